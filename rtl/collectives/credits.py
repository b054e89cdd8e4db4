"""Credits of a link of the plane, for each group."""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.parts.part import Part
from rtl.parts.selection import concat


class GroupCredits(Part):
    """Free places in the buffer of each group behind a link.

    A credit that is on the wire in cycle t can be used from t + 1 on.

    Parameters:
        groups
        depth: Words per group of the buffer, at least 2.

    Members:
        sent (In(groups)): A word leaves for the buffer in this cycle. Only with a credit.
        returned (In(groups)): A credit is on the wire.
        flush (In(groups)): All credits are back from the next cycle on; nothing else counts.
        some (Out(groups)): There is a credit in the next cycle. Combinational.
    """

    def __init__(self, groups: int, depth: int):
        self.groups = groups
        self.depth = depth
        super().__init__(
            f"group_credits_{groups}x{depth}",
            {"sent": In(groups), "returned": In(groups), "flush": In(groups), "some": Out(groups)},
        )

    def elaborate(self, _platform):
        m: Any = Module()
        m.d.comb += self.some.eq(concat(self._count(m, g) for g in range(self.groups)))
        return m

    def _count(self, m, g) -> Any:
        """Count the credits of a group; return whether there is one in the next cycle."""
        sent, returned = self.sent[g], self.returned[g]
        credits: Any = Signal(range(self.depth + 1), init=self.depth, name=f"credits_{g}")
        some: Any = Signal(init=1, name=f"has_credit_{g}")
        following: Any = Signal(name=f"will_have_credit_{g}")
        m.d.comb += following.eq(returned | Mux(sent, credits[1:].any(), some))
        with m.If(self.flush[g]):
            m.d.sync += [credits.eq(self.depth), some.eq(1)]
        with m.Else():
            m.d.sync += some.eq(following)
            with m.If(sent != returned):
                m.d.sync += credits.eq(Mux(returned, credits + 1, credits - 1))
        return following
