"""Scheduler of a switch of the plane: the words that are combined, and those that go down, in the next cycle."""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.parts.arbiter import RoundRobinArbiter
from rtl.parts.part import Part, instantiate


class PlaneScheduler(Part):
    """Grants the combiner and the down bank, one group each, round robin. Latency 1 cycle.

    The down bank has one register. The combiner's words for it and words from the parent take turns; of the groups that
    are ready the first one behind that of the last grant is next.

    Parameters:
        groups
        has_parent: False for the root, into whose down bank only the combiner's words go.

    Members:
        top (In(groups)): Groups whose words go into the down bank when they are combined. Constant.
        words_ready (In(groups)): A word can be combined in the next cycle.
        drains_ready (In(groups)): Words can be discarded in the next cycle; never with ``words_ready``.
        down_ready (In(groups)): A word from the parent can go down in the next cycle; not at the top. Absent at the
            root.
        combine_next, down_next (Out(groups)): Grants of the next cycle, one-hot or 0. Combinational.
        combine, down (Out(groups)): Grants. Registers. ``down`` is absent at the root, like ``down_next``.
        drains (Out(1)): The grant of the combiner is for words to be discarded. A register.
    """

    def __init__(self, groups: int, *, has_parent: bool):
        self.groups = groups
        self.has_parent = has_parent
        down = {"down_ready": In(groups), "down": Out(groups), "down_next": Out(groups)} if has_parent else {}
        super().__init__(
            f"plane_scheduler_{groups}" + ("" if has_parent else "_root"),
            {
                "top": In(groups),
                "words_ready": In(groups),
                "drains_ready": In(groups),
                **down,
                "combine": Out(groups),
                "combine_next": Out(groups),
                "drains": Out(1),
            },
        )

    def elaborate(self, platform):
        m: Any = Module()
        combines = instantiate(m, platform, "combines", RoundRobinArbiter(self.groups))
        words = Signal(self.groups)  # that may be combined, as far as the bank is concerned
        if self.has_parent:
            self._share_bank(m, platform, words)
        else:
            m.d.comb += words.eq(self.words_ready)
        m.d.comb += [combines.eligible.eq(words | self.drains_ready), self.combine_next.eq(combines.chosen)]
        m.d.sync += [self.combine.eq(self.combine_next), self.drains.eq((self.combine_next & self.drains_ready).any())]
        return m

    def _share_bank(self, m, platform, words):
        downs = instantiate(m, platform, "downs", RoundRobinArbiter(self.groups))
        parent_had = Signal()  # the bank's last word was the parent's
        to_parent = Signal()
        own = Signal()
        m.d.comb += [
            own.eq((self.words_ready & self.top).any()),
            to_parent.eq(self.down_ready.any() & ~(own & parent_had)),
            downs.eligible.eq(Mux(to_parent, self.down_ready, 0)),
            self.down_next.eq(downs.chosen),
            words.eq(self.words_ready & ~Mux(to_parent, self.top, 0)),
        ]
        m.d.sync += self.down.eq(self.down_next)
        with m.If(to_parent):
            m.d.sync += parent_had.eq(1)
        with m.Elif((self.combine_next & self.words_ready & self.top).any()):
            m.d.sync += parent_had.eq(0)
