"""Message injector: turns a message descriptor and a stream of payload words into flits on a link."""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from rtl.parts.flit import link_signature, stream_of
from rtl.parts.output_register import OutputRegister
from rtl.parts.part import Part
from topology.common.flits import MESSAGE_FLITS_BITS, HeaderFormat, bits_for


def descriptor_layout(header: HeaderFormat) -> data.StructLayout:
    """Return the layout of a message descriptor.

    ``header`` contains the header in as many whole flits as the longest header needs, first flit lowest;
    ``header_flits`` is the number of them that this message sends (at least 1); ``flits`` is the length of the whole
    message, header included (at least ``header_flits``). Other descriptors are refused.
    """
    return data.StructLayout(
        {
            "header": header.multicast_flits * header.flit_bits,
            "header_flits": bits_for(header.multicast_flits + 1),
            "flits": MESSAGE_FLITS_BITS,
        }
    )


class MessageInjector(Part):
    """Sends one message at a time: header flits from the descriptor, then body flits from the payload stream.

    A descriptor accepted in cycle t has its first flit on the link from t+1. Throughput 1 flit per cycle while the
    payload keeps up; a missing payload word leaves a bubble. ``message.ready`` comes back in the cycle after the tail
    has moved; after a reset it comes after one cycle.

    A descriptor of a message without a tail is taken, but nothing is sent, and no payload word is taken.

    Parameters:
        header: Header format of the network.
        most_flits: The longest message that is sent; by default limited only by the field.

    Members:
        message (In(stream of descriptor_layout)): Descriptors.
        payload (In(stream of flit_bits)): Body words, ``flits - header_flits`` per message. A message of header flits
            alone takes none.
        link (Out(link_signature)): The injection channel; ``valid`` and ``payload`` are registers.
        error (Out(1)): A descriptor has been refused since the last reset. A register.
    """

    def __init__(self, header: HeaderFormat, most_flits: int | None = None):
        if most_flits is not None and most_flits < 1:
            raise ValueError(f"Longest message is {most_flits!r}; it must be at least 1 flit")
        self.header = header
        self.most_flits = most_flits
        super().__init__(
            "message_injector",
            {
                "message": In(stream_of(descriptor_layout(header))),
                "payload": In(stream_of(header.flit_bits)),
                "link": Out(link_signature(header.flit_bits)),
                "error": Out(1),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        message, link, flit_bits = self.message.payload, self.link, self.header.flit_bits
        ready = Signal()
        sound = Signal()
        header_left = Signal(range(self.header.multicast_flits + 1))
        flits_left = Signal(MESSAGE_FLITS_BITS)
        header = Signal(max(0, len(message.header) - flit_bits), reset_less=True)
        header_due = Signal()
        load = Signal()
        register = OutputRegister(m, link)
        free, following = register.free, register.following
        m.d.comb += [
            self.message.ready.eq(ready),
            sound.eq(self._is_sound(message)),
            header_due.eq(header_left != 0),
            self.payload.ready.eq(free & (flits_left != 0) & ~header_due),
            load.eq(free & (flits_left != 0) & (header_due | self.payload.valid)),
            register.load.eq(load),
            following.data.eq(Mux(header_due, header[:flit_bits], self.payload.payload)),
            following.head.eq(0),
            following.tail.eq(flits_left == 1),
        ]
        with m.If(load):
            m.d.sync += flits_left.eq(flits_left - 1)
            with m.If(header_due):
                m.d.sync += [header.eq(header >> flit_bits), header_left.eq(header_left - 1)]
        with m.If(link.valid & link.ready & link.payload.tail | ~link.valid & ~flits_left.any()):
            m.d.sync += ready.eq(1)
        with m.If(self.message.valid & ready & ~sound):
            m.d.sync += self.error.eq(1)
        with m.If(self.message.valid & ready & sound):
            # the last message's tail has moved, so the register is free
            m.d.comb += [
                register.load.eq(1),
                following.data.eq(message.header[:flit_bits]),
                following.head.eq(1),
                following.tail.eq(message.flits == 1),
            ]
            m.d.sync += [
                ready.eq(0),
                header.eq(message.header[flit_bits:]),
                header_left.eq(message.header_flits - 1),
                flits_left.eq(message.flits - 1),
            ]
        return m

    def _is_sound(self, message) -> Any:
        """Return whether a message has a header that fits, and an end."""
        longest, most = self.header.multicast_flits, self.most_flits
        counted = message.header_flits.any()
        if longest + 1 < 1 << len(message.header_flits):  # otherwise none is too large, and lint would report it
            counted &= message.header_flits <= longest
        ends = message.flits >= message.header_flits
        return counted & ends & (message.flits <= most if most else 1)
