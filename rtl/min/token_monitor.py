"""Monitor of a network's token rings: each must have one token."""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import In, Out

from rtl.parts.part import Part
from rtl.parts.selection import concat


class TokenMonitor(Part):
    """Reports rings that have lost their token or have two, from two cycles after the fault up to the next reset.

    With ``clearable``: up to the next clear, and longer if the ring is still faulty.

    Parameters
    ----------
    sizes : sequence of int
        Switches of each ring, and register stages of its wires.
    clearable : bool
        Whether its marks can be cleared.

    Members
    -------
    here : In(sum of sizes)
        Whether the token is at a switch (``TokenStation.here``) or in a stage, ring by ring.
    clear_lost, clear_duplicated : In(rings)
        Rings whose reports are cleared. Only if clearable.
    lost, duplicated : Out(rings)
        Whether a ring had no token, or more than one. Registers.
    """

    def __init__(self, sizes: Sequence[int], *, clearable: bool = False):
        self.sizes = tuple(sizes)
        self.clearable = clearable
        rings = len(self.sizes)
        members = {"here": In(sum(self.sizes)), "lost": Out(rings), "duplicated": Out(rings)}
        if clearable:
            members |= {"clear_lost": In(rings), "clear_duplicated": In(rings)}
        super().__init__("token_monitor", members)

    def elaborate(self, _platform):
        m: Any = Module()
        settling = Signal(2, init=3)  # after reset no station reports for two cycles
        m.d.sync += settling.eq(settling >> 1)
        none, many, first = [], [], 0
        for ring, size in enumerate(self.sizes):
            places = Signal(size, name=f"ring_{ring}")
            m.d.comb += places.eq(self.here[first : first + size])
            none.append(~places.any())
            many.append((places & (places - 1)).any())
            first += size
        lost, duplicated = self.lost, self.duplicated
        if self.clearable:
            lost, duplicated = lost & ~self.clear_lost, duplicated & ~self.clear_duplicated
        with m.If(~settling.any()):
            m.d.sync += [self.lost.eq(lost | concat(none)), self.duplicated.eq(duplicated | concat(many))]
        return m
