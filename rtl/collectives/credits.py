"""Credits of links of the plane, for each group."""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.collectives.pointers import Pointers
from rtl.parts.part import Part
from rtl.parts.selection import concat


class GroupCredits(Part):
    """Free places in the buffers at the sinks of a word: one sink, or all branches that take part in a group.

    Words that have left are counted once per group, and returned credits once per sink. A credit that is on the wire in
    cycle t can be used from t + 1 on.

    Parameters:
        groups
        depths: Words per group of the buffer at each sink, at least 2.

    Members:
        taking_part (In(sinks * groups)): Sinks of each group, group by group. Constant. Absent if there is one sink.
        sent (In(groups)): A word leaves for all sinks of the group in this cycle. Only with credits.
        returned (In(sinks * groups)): Credits on the wires, group by group.
        flush (In(groups)): All credits are back from the next cycle on; nothing else counts.
        some (Out(groups)): There is a credit of every sink in the next cycle. Combinational.
    """

    def __init__(self, groups: int, depths: Sequence[int]):
        self.groups = groups
        self.depths = tuple(depths)
        self.pointers = Pointers(max(self.depths))
        sinks = len(self.depths)
        several = {"taking_part": In(sinks * groups)} if sinks > 1 else {}
        super().__init__(
            f"group_credits_{groups}x{'_'.join(map(str, self.depths))}",
            {
                **several,
                "sent": In(groups),
                "returned": In(sinks * groups),
                "flush": In(groups),
                "some": Out(groups),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        for g in range(self.groups):
            self._count(m, g)
        return m

    def _count(self, m, g):
        """Count the credits of a group."""
        pointers = self.pointers
        sent = pointers.register(f"sent_{g}")
        with m.If(self.flush[g]):
            m.d.sync += sent.eq(pointers.first())
        with m.Elif(self.sent[g]):
            m.d.sync += sent.eq(pointers.following(sent))
        ready = []
        for i, depth in enumerate(self.depths):
            bit = g * len(self.depths) + i
            arrived = self.returned[bit]
            returned = pointers.register(f"returned_{i}_{g}")
            some: Any = Signal(init=1, name=f"has_credit_{i}_{g}")
            others: Any = Signal(name=f"has_others_{i}_{g}")  # besides the one that is used in this cycle
            remains: Any = Signal(name=f"will_have_credit_{i}_{g}")
            uses = self.sent[g] & self.taking_part[bit] if len(self.depths) > 1 else self.sent[g]
            m.d.comb += [
                others.eq(~pointers.is_behind(sent, returned, depth - 1)),
                remains.eq(arrived | Mux(uses, others, some)),
            ]
            with m.If(self.flush[g]):
                m.d.sync += [returned.eq(pointers.first()), some.eq(1)]
            with m.Else():
                m.d.sync += some.eq(remains)
                with m.If(arrived):
                    m.d.sync += returned.eq(pointers.following(returned))
            ready.append(remains | ~self.taking_part[bit] if len(self.depths) > 1 else remains)
        m.d.comb += self.some[g].eq(concat(ready).all())
