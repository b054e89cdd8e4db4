# amaranth: UnusedElaboratable=no
# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""AXI4-Stream ejector: strips the header from the messages that arrive at a node."""

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib.wiring import In, Out, connect, flipped

from rtl.common.ejector import MessageEjector
from rtl.common.flit import link_signature
from rtl.common.part import Part, place
from topology.common.flits import HeaderFormat


class AxiStreamEjector(Part):
    """Hands the bodies of messages to the user as AXI4-Stream packets.

    A header does not say how long it is. But a multicast's key is never the unicast key of a node that it reaches, so
    the first field tells a unicast, whose header has no bit string, from a multicast.

    Latency 1 cycle from link to ``tdata``; throughput 1 flit per cycle, header flits included. A message without body
    gives no packet.

    Parameters
    ----------
    header : HeaderFormat
        Header format of the network.

    Members
    -------
    unicast_key : In
        Key of a message to this node alone, a constant. Not there if both kinds of header have the same length.
    link : In(link_signature)
        The delivery channel. ``ready`` is a register.
    tdata, tvalid, tready, tlast
        The AXI4-Stream. ``tdata``, ``tvalid`` and ``tlast`` depend on registers only.
    """

    def __init__(self, header: HeaderFormat):
        self.header = header
        differ = header.unicast_flits != header.multicast_flits
        super().__init__(
            "axi_stream_ejector",
            {
                **({"unicast_key": In(header.fields[0][1])} if differ else {}),
                "link": In(link_signature(header.flit_bits)),
                "tdata": Out(header.flit_bits),
                "tvalid": Out(1),
                "tready": In(1),
                "tlast": Out(1),
            },
        )

    def elaborate(self, platform):
        m: Any = Module()
        ejector = place(m, platform, "ejector", MessageEjector(self.header.flit_bits))
        connect(m, flipped(self.link), ejector.link)
        flit = ejector.user.payload
        in_body = Signal()
        taken = Signal()
        m.d.comb += [
            self.tdata.eq(flit.data),
            self.tlast.eq(flit.tail),
            self.tvalid.eq(ejector.user.valid & in_body),
            ejector.user.ready.eq(~in_body | self.tready),
            taken.eq(ejector.user.valid & ejector.user.ready),
        ]
        if self.header.multicast_flits == 1:
            m.d.comb += in_body.eq(~flit.head)
            return m
        last = self._is_last_header_flit(m, flit, taken)
        with m.If(taken & flit.tail):
            m.d.sync += in_body.eq(0)
        with m.Elif(taken & last):
            m.d.sync += in_body.eq(1)
        return m

    def _is_last_header_flit(self, m, flit, taken) -> Signal:
        header = self.header
        position = Signal(range(header.multicast_flits))  # of the flit in its message; wrong for the first one
        last = Signal()
        with m.If(taken):
            m.d.sync += position.eq(Mux(flit.head, 1, position + 1))

        def at(flit_number: int) -> Any:
            return ~flit.head & (position == flit_number) if flit_number else flit.head

        if header.unicast_flits == header.multicast_flits:
            m.d.comb += last.eq(at(header.multicast_flits - 1))
            return last
        # the key is not this node's unicast key: so far, this flit included
        differed = Signal()
        multicast = Signal()
        key, flit_bits = self.unicast_key, header.flit_bits
        differs: Any = Const(0)
        for k in range(header.key_flits):
            part = key[k * flit_bits : (k + 1) * flit_bits]
            differs = differs | (at(k) & (flit.data[: len(part)] != part))
        m.d.comb += [
            multicast.eq(~flit.head & differed | differs),
            last.eq(Mux(multicast, at(header.multicast_flits - 1), at(header.unicast_flits - 1))),
        ]
        with m.If(taken):
            m.d.sync += differed.eq(multicast)
        return last
