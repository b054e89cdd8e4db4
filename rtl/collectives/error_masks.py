"""Sticky masks of branches: those that disagree about an operation, and those that a group waits for too long."""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.collectives.parameters import TIMEOUT_BITS
from rtl.parts.part import Part
from rtl.parts.selection import either


class TimeoutMask(Part):
    """Records the branches without a word when a group has waited for some number of consecutive cycles, once per wait.

    Parameters:
        groups
        branches

    Members:
        limit (In(16)): Number of cycles; 0 for no timeouts. Lowered below a wait it is reached in the next cycle.
        waits (In(groups)): Some branches of the group have a word, or its operation has begun, and not all have one.
        missing (In(branches * groups)): Branches that take part without a word, group by group.
        combined (In(groups)): A word of the group is combined.
        flush (In(groups))
        clear (In(branches)): Clear these bits. A branch that is recorded in the same cycle stays.
        mask (Out(branches)): Recorded branches. A register.
    """

    def __init__(self, groups: int, branches: int):
        self.groups = groups
        self.branches = branches
        super().__init__(
            f"timeout_mask_{groups}x{branches}",
            {
                "limit": In(TIMEOUT_BITS),
                "waits": In(groups),
                "missing": In(branches * groups),
                "combined": In(groups),
                "flush": In(groups),
                "clear": In(branches),
                "mask": Out(branches),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        n = self.branches
        expired = [Signal(name=f"expires_{g}") for g in range(self.groups)]
        for g in range(self.groups):
            cycles: Any = Signal(TIMEOUT_BITS, name=f"cycles_{g}")
            over = Signal(name=f"over_{g}")  # the wait is recorded
            following = Signal(TIMEOUT_BITS, name=f"following_{g}")
            stops = self.flush[g] | self.combined[g] | ~self.limit.any()
            m.d.comb += [
                following.eq(cycles + 1),
                expired[g].eq(self.waits[g] & ~over & ~stops & (following >= self.limit)),
            ]
            with m.If(stops):
                m.d.sync += [cycles.eq(0), over.eq(0)]
            with m.Elif(~over):
                m.d.sync += [cycles.eq(Mux(self.waits[g], following, 0)), over.eq(expired[g])]
        recorded = either([Mux(expired[g], self.missing[g * n : (g + 1) * n], 0) for g in range(self.groups)])
        m.d.sync += self.mask.eq(self.mask & ~self.clear | recorded)
        return m
