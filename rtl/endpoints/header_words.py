# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""AXI4-Stream ends of packets to one receiver each, whose first word travels in the header.

The first word has a few bits, for which the header's only flit has room behind its fields. So a packet of one word is a
message of one flit.
"""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out, connect, flipped

from rtl.endpoints.packet_flits import PacketFlits
from rtl.endpoints.stream_injector import StreamInjector
from rtl.generator.plan import Addressing, UnicastAddressing
from rtl.parts.ejector import MessageEjector
from rtl.parts.flit import link_signature
from rtl.parts.part import Part, instantiate
from rtl.parts.selection import concat
from topology.common.flits import HeaderFormat


def check_word(header: HeaderFormat, word_bits: int) -> None:
    """Raise ValueError unless the header of a message to one receiver has room for the first word."""
    if not 1 <= word_bits <= header.spare_bits:
        text = f"word_bits is {word_bits!r}; in a header with {header.fixed_bits} bits it must be from 1 to"
        raise ValueError(f"{text} {header.spare_bits}")


class HeaderWordInjector(StreamInjector):
    """Sends AXI4-Stream packets of one node into the network, each to node ``tdest``.

    A packet costs 1 cycle besides its words. Throughput 1 word per cycle. ``tready`` depends on registers only: on this
    part's, and on the register behind ``link.ready``.

    Parameters:
        header: Header format of the network.
        addressing
        word_bits: Bits of a packet's first word that are sent, the lowest ones.

    Members:
        node, node_fields, tdata, tvalid, tready, tlast, tdest, link: See ``StreamInjector``.
        error (Out(1)): High for one cycle when a packet begins to be drained, because it goes to the node itself or to
            a node that does not exist. A register.

    Raises:
        ValueError: If the header has no room.
    """

    def __init__(self, header: HeaderFormat, addressing: Addressing | UnicastAddressing, word_bits: int):
        check_word(header, word_bits)
        self.word_bits = word_bits
        super().__init__("header_word_injector", header, addressing)

    def elaborate(self, platform):
        m: Any = Module()
        key: Any = Signal(self.header.fields[0][1], reset_less=True)
        flits = PacketFlits(m, self, concat((key, self._node_fields, self.tdata[: self.word_bits])))
        found, exists = self._find_key(m, platform)
        m.d.sync += [key.eq(found), self.error.eq(0)]
        with m.FSM():
            with m.State("IDLE"), m.If(self.tvalid):
                m.next = "HEADER"
                with m.If(~exists | (self.tdest == self.node)):
                    m.d.sync += self.error.eq(1)
                    m.next = "SWALLOW"
            with m.State("HEADER"):
                flits.offer_first_word(self.tlast)
                with m.If(self.tvalid & flits.free):
                    m.next = "BODY"
                    with m.If(self.tlast):
                        m.next = "IDLE"
            with m.State("BODY"):
                flits.offer_word(self.tlast)
                with m.If(self.tvalid & flits.free & self.tlast):
                    m.next = "IDLE"
            with m.State("SWALLOW"), m.If(flits.swallow()):
                m.next = "IDLE"
        return m


class HeaderWordEjector(Part):
    """Delivers the packets of ``HeaderWordInjector`` to the user.

    Latency 1 cycle from link to ``tdata``; throughput 1 word per cycle.

    Parameters:
        header, word_bits: See ``HeaderWordInjector``.

    Members:
        link (In(link_signature)): The delivery channel. ``ready`` is a register.
        tdata, tvalid, tready, tlast: The AXI4-Stream. ``tdata``, ``tvalid`` and ``tlast`` depend on registers only. Of
            ``tdata`` the lowest ``word_bits`` are those of the first word.

    Raises:
        ValueError: If the header has no room.
    """

    def __init__(self, header: HeaderFormat, word_bits: int):
        check_word(header, word_bits)
        self.header = header
        self.word_bits = word_bits
        super().__init__(
            "header_word_ejector",
            {
                "link": In(link_signature(header.flit_bits)),
                "tdata": Out(header.flit_bits),
                "tvalid": Out(1),
                "tready": In(1),
                "tlast": Out(1),
            },
        )

    def elaborate(self, platform):
        m: Any = Module()
        ejector = instantiate(m, platform, "ejector", MessageEjector(self.header.flit_bits))
        connect(m, flipped(self.link), ejector.link)
        flit, low, bits = ejector.user.payload, self.header.fixed_bits, self.word_bits
        word = Mux(flit.head, flit.data[low : low + bits], flit.data[:bits])
        m.d.comb += [
            self.tdata.eq(concat((word, flit.data[bits:]))),
            self.tvalid.eq(ejector.user.valid),
            self.tlast.eq(flit.tail),
            ejector.user.ready.eq(self.tready),
        ]
        return m
