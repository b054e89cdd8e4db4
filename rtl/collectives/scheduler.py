"""Scheduler of a switch of the plane: the words that are combined, and those that go down, in the next cycle."""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.parts.arbiter import RoundRobinArbiter
from rtl.parts.part import Part, instantiate


class PlaneScheduler(Part):
    """Grants the combiner and the down bank, one group each, round robin. Latency 1 cycle.

    Of the groups that are ready the first one behind that of the last grant is next. The down bank has one register,
    which words from the combiner take before those from the parent. If one of the parent was denied, no top is granted
    in the next cycle, so its turn comes. A grant of that cycle holds the turn: it would pass tops that could not be
    granted, again and again.

    Parameters:
        groups
        has_parent: False for the root, into whose down bank only the combiner's words go.

    Members:
        top (In(groups)): Groups whose words go into the down bank when they are combined. Constant. Absent at the root.
        ready (In(groups)): The combiner may be granted in the next cycle.
        down_ready (In(groups)): A word from the parent can go down in the next cycle; not at the top. Absent at the
            root.
        taken (In(1)): The combiner loads the down bank in the next cycle. Absent at the root.
        combine_next, down_next (Out(groups)): Grants of the next cycle, one-hot or 0. Combinational.
        combine, down (Out(groups)): Grants. Registers. ``down`` is absent at the root, like ``down_next``.
    """

    def __init__(self, groups: int, *, has_parent: bool):
        self.groups = groups
        self.has_parent = has_parent
        down = {
            "top": In(groups),
            "down_ready": In(groups),
            "taken": In(1),
            "down": Out(groups),
            "down_next": Out(groups),
        }
        super().__init__(
            f"plane_scheduler_{groups}" + ("" if has_parent else "_root"),
            {
                "ready": In(groups),
                **(down if has_parent else {}),
                "combine": Out(groups),
                "combine_next": Out(groups),
            },
        )

    def elaborate(self, platform):
        m: Any = Module()
        combines = instantiate(m, platform, "combines", RoundRobinArbiter(self.groups, holds=self.has_parent))
        eligible = self.ready
        if self.has_parent:
            downs = instantiate(m, platform, "downs", RoundRobinArbiter(self.groups))
            denied = Signal()  # a word of the parent, in this cycle
            eligible = self.ready & ~Mux(denied, self.top, 0)
            m.d.comb += [
                downs.eligible.eq(Mux(self.taken, 0, self.down_ready)),
                self.down_next.eq(downs.chosen),
                combines.hold.eq(denied),
            ]
            m.d.sync += [self.down.eq(self.down_next), denied.eq(self.taken & self.down_ready.any())]
        m.d.comb += [combines.eligible.eq(eligible), self.combine_next.eq(combines.chosen)]
        m.d.sync += self.combine.eq(self.combine_next)
        return m
