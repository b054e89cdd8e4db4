"""Link side of every AXI4-Stream injector: header flits, then the packet's words as they arrive."""

from typing import Any

from amaranth.hdl import Module

from rtl.parts.output_register import OutputRegister


class PacketFlits:
    """Loads the link of a stream injector; the injector's states select the source.

    Latency 1 cycle from a word to the link; throughput 1 flit per cycle.

    Parameters:
        injector: A part with ``tdata``, ``tvalid``, ``tready`` and ``link``.
        header (Value): The next header flit.

    Members:
        free (Signal(1)): The link takes a flit in this cycle.
    """

    def __init__(self, m: Module, injector: Any, header: Any):
        self._m: Any = m
        self._injector = injector
        self._register = register = OutputRegister(m, injector.link)
        self.free = register.free
        self._m.d.comb += register.following.data.eq(header)

    def offer_header(self, first: Any) -> None:
        """Offer a header flit in this state, as soon as the link is free."""
        register = self._register
        self._m.d.comb += [register.load.eq(self.free), register.following.head.eq(first)]

    def offer_word(self, last: Any) -> None:
        """Offer the packet's words in this state, the last one as the tail."""
        self._m.d.comb += self._register.following.data.eq(self._injector.tdata)
        self._take_word(last)

    def offer_first_word(self, last: Any) -> None:
        """Offer the packet's first word in this state, in the only header flit."""
        self._m.d.comb += self._register.following.head.eq(1)
        self._take_word(last)

    def swallow(self) -> Any:
        """Drop the packet's words in this state; return whether the last one is dropped."""
        injector = self._injector
        self._m.d.comb += injector.tready.eq(1)
        return injector.tvalid & injector.tlast

    def _take_word(self, last: Any) -> None:
        register, injector = self._register, self._injector
        self._m.d.comb += [
            injector.tready.eq(self.free),
            register.load.eq(self.free & injector.tvalid),
            register.following.tail.eq(last),
        ]
