"""What every AXI4-Stream injector does with its link: header flits, then the packet's words as they come."""

from typing import Any

from amaranth.hdl import Module

from rtl.parts.output_register import OutputRegister


class PacketFlits:
    """Loads the link of a stream injector; the injector's states say with what.

    Latency 1 cycle from a word to the link; throughput 1 flit per cycle.

    Parameters
    ----------
    m : Module
    injector
        A part with ``tdata``, ``tvalid``, ``tready`` and ``link``.
    header : Value
        The header flit that is next.

    Members
    -------
    free : Signal(1)
        The link takes a flit in this cycle.
    """

    def __init__(self, m: Module, injector: Any, header: Any):
        self._m: Any = m
        self._injector = injector
        self._register = register = OutputRegister(m, injector.link)
        self.free = register.free
        self._m.d.comb += register.following.data.eq(header)

    def offer_header(self, first: Any) -> None:
        """In this state a header flit goes onto the link as soon as it is free."""
        register = self._register
        self._m.d.comb += [register.load.eq(self.free), register.following.head.eq(first)]

    def offer_word(self, last: Any) -> None:
        """In this state words go onto the link, the last one as the tail."""
        register, injector = self._register, self._injector
        self._m.d.comb += [
            injector.tready.eq(self.free),
            register.load.eq(self.free & injector.tvalid),
            register.following.data.eq(injector.tdata),
            register.following.tail.eq(last),
        ]
