"""Guard that keeps flits outside of worms from entering an input, so that only whole worms are routed.

======================================  ====================================================================
on the link                             effect
======================================  ====================================================================
a flit without head, between worms      dropped; so the rest of a truncated worm is dropped as well
a head inside a worm                    becomes a body flit of that worm
the flit ``watchdog_flits`` of a worm   becomes its tail
======================================  ====================================================================
"""

from typing import Any

from amaranth.hdl import Module, Signal, Value
from amaranth.lib.wiring import In, Out

from rtl.parts.flit import link_signature
from rtl.parts.part import Part

MAX_WATCHDOG_FLITS = 65_535


class WormGuard(Part):
    """Filters between a link and an input buffer. Combinational from link to link; one flit per cycle.

    Parameters:
        flit_bits: Data bits of a flit.
        watchdog_flits: Longest worm; 0 for worms of any length.

    Members:
        link (In(link_signature)): The link that ends here. Dropped flits move on it like all others.
        onward (Out(link_signature)): To the buffer: each worm has one head, its first flit, and one tail, its last.
        misframed (Out(1)): A flit that moved in the cycle before was dropped, or altered. A register.
    """

    def __init__(self, flit_bits: int, watchdog_flits: int = 0):
        self.watchdog_flits = watchdog_flits
        link = link_signature(flit_bits)
        members = {"link": In(link), "onward": Out(link), "misframed": Out(1)}
        super().__init__(f"worm_guard_{watchdog_flits}", members)

    def elaborate(self, _platform):
        m: Any = Module()
        flit, onward = self.link.payload, self.onward.payload
        in_worm = Signal()
        moves = Signal()
        too_long = self._count(m, in_worm, moves)
        m.d.comb += [
            moves.eq(self.link.valid & self.onward.ready),
            self.link.ready.eq(self.onward.ready),
            self.onward.valid.eq(self.link.valid & (flit.head | in_worm)),
            onward.data.eq(flit.data),
            onward.head.eq(flit.head & ~in_worm),
            onward.tail.eq(flit.tail | too_long),
        ]
        with m.If(moves):
            m.d.sync += in_worm.eq((flit.head | in_worm) & ~onward.tail)
        m.d.sync += self.misframed.eq(moves & ((flit.head == in_worm) | too_long & ~flit.tail))
        return m

    def _count(self, m, in_worm, moves) -> Value:
        """Return whether the flit on the link is the last one that its worm may have."""
        if not self.watchdog_flits:
            return Value.cast(0)
        flits: Any = Signal(range(self.watchdog_flits + 1))  # of the worm, before this one
        too_long = Signal()
        m.d.comb += too_long.eq(flits == self.watchdog_flits - 1)
        with m.If(moves):
            m.d.sync += flits.eq(flits + 1)
            with m.If(~(self.link.payload.head | in_worm) | self.onward.payload.tail):
                m.d.sync += flits.eq(0)
        return too_long
