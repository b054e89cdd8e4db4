"""Switch of the collective plane: combines the words of its branches on the way up, and copies words on the way down.

=================  ==========================================================================================
cycle              what happens to a word
=================  ==========================================================================================
t                  on the link of the last branch that takes part; the scheduler grants the next cycle
t + 1              combined with those of the other branches
t + 2              on the link to the parent, or at the top of its group on the links to all branches
=================  ==========================================================================================

A word from the parent takes 2 cycles likewise. Throughput 1 word per cycle in each direction.
"""

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from rtl.collectives.combiner import CONTROL, Combiner, control_of
from rtl.collectives.credits import GroupCredits
from rtl.collectives.error_masks import TimeoutMask
from rtl.collectives.parameters import TIMEOUT_BITS, SwitchShape, plane_link, stored_bits
from rtl.collectives.scheduler import PlaneScheduler
from rtl.collectives.word_buffers import WordBuffers
from rtl.parts.part import Part, instantiate
from rtl.parts.selection import concat, either, encoded, lowest_one, table_row
from topology.collectives.operators import OPERATOR_BITS, XOR

HEADER_BITS = 8
"""Bits of the sum of the operators of 32 branches; no word has fewer."""


class PlaneSwitch(Part):
    """A switch with data words. All outputs are registers.

    Parameters:
        shape

    Members:
        taking_part (In(branches * groups)): Branches with members of each group behind them, group by group; all 0
            above the top. Constant.
        top (In(groups)): This switch is the top of the group. Constant.
        up_{i} (In(plane_link)): Words from branch i.
        up_credits_{i} (Out(groups)): Credits for branch i.
        up (Out(plane_link)), up_credited (In(groups)): Words to the parent, and its credits. Absent at the root.
        parent (In(plane_link)), parent_credits (Out(groups)): Words from the parent, and credits for it. Absent at the
            root.
        down (Out(plane_link)): Words to the branches, with a bit of ``valid`` for each.
        down_credited_{i} (In(groups)): Credits of branch i.
        flush (In(groups)): Drop all words of these groups, from the next cycle on. High for at least ``link_cycles`` +
            2 cycles, everywhere at once.
        mismatches (Out(branches)): Branches whose operator or number of words differed from that of others.
        clear_mismatches (In(branches)): Clear these bits.
        limit, clear_timeouts, timeouts: As ``limit``, ``clear`` and ``mask`` of ``TimeoutMask``. Absent without
            timeouts.
    """

    def __init__(self, shape: SwitchShape):
        self.shape = shape
        plane, n = shape.plane, shape.branches
        link = plane_link(plane)
        members: dict[str, Any] = {"taking_part": In(n * plane.groups), "top": In(plane.groups)}
        for i in range(n):
            members |= {f"up_{i}": In(link), f"up_credits_{i}": Out(plane.groups)}
            members[f"down_credited_{i}"] = In(plane.groups)
        if shape.has_parent:
            members |= {"up": Out(link), "up_credited": In(plane.groups)}
            members |= {"parent": In(link), "parent_credits": Out(plane.groups)}
        members |= {"down": Out(plane_link(plane, n)), "flush": In(plane.groups)}
        members |= {"mismatches": Out(n), "clear_mismatches": In(n)}
        if plane.timeouts:
            members |= {"limit": In(TIMEOUT_BITS), "clear_timeouts": In(n), "timeouts": Out(n)}
        super().__init__(f"plane_switch_{shape.name}", members)

    def elaborate(self, platform):
        m: Any = Module()
        logic = _SwitchLogic(self, m, platform)
        logic.combine_words()
        logic.load_outputs()
        logic.find_ready()
        logic.record_errors()
        return m


class _SwitchLogic:
    """Logic of a switch, in steps.

    part_of: Mask of the branches that take part, by group.
    """

    def __init__(self, part: PlaneSwitch, m: Any, platform: object):
        self.part, self.m, self.platform = part, m, platform
        self.shape = shape = part.shape
        self.plane = plane = shape.plane
        self.n, self.groups = shape.branches, plane.groups
        self.part_of = [part.taking_part[g * self.n : (g + 1) * self.n] for g in range(self.groups)]
        self.flushing: Any = Signal(self.groups)
        self.killed: Any = Signal(self.groups)  # nothing of the group is ready in the next cycle
        m.d.sync += self.flushing.eq(part.flush)
        m.d.comb += self.killed.eq(part.flush | self.flushing)
        self.scheduler = instantiate(m, platform, "scheduler", PlaneScheduler(self.groups, has_parent=shape.has_parent))
        self.combine = self.scheduler.combine
        self.down: Any = self.scheduler.down if shape.has_parent else Const(0, self.groups)
        self.active: Any = Signal(max(1, plane.group_bits))  # number of the group that is combined
        self.chosen = chosen = concat(self._number(self.scheduler.combine_next))  # that of the next cycle
        m.d.sync += self.active.eq(chosen)
        self.buffers = [self._buffers(f"buffers_{i}", getattr(part, f"up_{i}"), chosen) for i in range(self.n)]
        for i, buffer in enumerate(self.buffers):
            m.d.comb += getattr(part, f"up_credits_{i}").eq(buffer.credits)
        if shape.has_parent:
            down_chosen = concat(self._number(self.scheduler.down_next))
            self.parent_buffers = self._buffers("buffers_parent", part.parent, down_chosen)
            m.d.comb += [
                self.parent_buffers.pop.eq(self.down),
                part.parent_credits.eq(self.parent_buffers.credits),
            ]

    def _buffers(self, name: str, link: Any, chosen: Any) -> Any:
        plane = self.plane
        part = WordBuffers(stored_bits(plane), self.groups, plane.buffer_words)
        buffers = instantiate(self.m, self.platform, name, part)
        self.m.d.comb += [
            buffers.valid.eq(link.valid),
            buffers.entry.eq(Value.cast(link.payload)[: stored_bits(plane)]),
            buffers.flush.eq(self.flushing),
        ]
        if self.groups > 1:
            self.m.d.comb += [buffers.group.eq(link.payload.group), buffers.choose.eq(chosen)]
        return buffers

    def _number(self, one_hot: Any) -> list[Value]:
        return encoded(one_hot, range(self.groups), self.plane.group_bits) or [Value.cast(Const(0, 1))]

    def _of_active(self, rows: list[Any], name: str) -> Any:
        """Return the row of the group that is combined."""
        return self._row(rows, self.active, name)

    def _row(self, rows: list[Any], group: Any, name: str) -> Any:
        if self.groups == 1:
            return rows[0]
        return table_row(self.m, concat(rows), group, len(rows[0]), name)

    def combine_words(self):
        """Take the fronts of the granted group, and combine or discard them."""
        m, n = self.m, self.n
        self.take: Any = Signal(n)
        self.combines: Any = Signal()
        lasts, failing = Signal(n), Signal(n)
        self.inside: Any = Signal(self.groups)
        self.failed: Any = Signal(self.groups)
        self.header: Any = Signal()
        self.ends: Any = Signal()
        self.wrong_length: Any = Signal(n)
        self.wrong_operator: Any = Signal(n)
        self.error: Any = Signal()
        self.fronts = [buffer.front[: self.plane.word_bits] for buffer in self.buffers]
        self.words: Any = Signal(self.groups)  # group of which a word is combined, one-hot or 0
        m.d.comb += [
            self.take.eq(self._of_active(self.part_of, "take_row")),
            self.words.eq(Mux(self.scheduler.drains, 0, self.combine)),
            self.combines.eq(self.words.any()),
            lasts.eq(concat(buffer.front[-2] for buffer in self.buffers)),
            failing.eq(concat(buffer.front[-1] for buffer in self.buffers)),
            self.header.eq(~self._of_active(list(self.inside), "inside_row")),
            self.ends.eq((self.take & lasts).any()),
            self.wrong_length.eq(Mux(self.ends, self.take & ~lasts, 0)),
            self.error.eq(
                (self.take & failing).any()
                | self._of_active(list(self.failed), "failed_row")
                | self.wrong_length.any()
                | self.wrong_operator.any()
            ),
        ]
        self._drain(lasts)
        self._keep_operations()
        for g in range(self.groups):
            with m.If(self.words[g]):
                m.d.sync += [self.inside[g].eq(~self.ends), self.failed[g].eq(self.error & ~self.ends)]
            with m.If(self.flushing[g]):
                m.d.sync += [self.inside[g].eq(0), self.failed[g].eq(0)]

    def _drain(self, lasts):
        """Pop the fronts: all that are combined, or those of branches that drain."""
        m, n, drains = self.m, self.n, self.scheduler.drains
        self.draining = [Signal(n, name=f"draining_{g}") for g in range(self.groups)]
        self.will_drain = [Signal(n, name=f"will_drain_{g}") for g in range(self.groups)]
        for g in range(self.groups):
            popped = Signal(n, name=f"popped_{g}")
            present = concat(buffer.present[g] for buffer in self.buffers)
            taken = Mux(drains, self.draining[g] & present, self.part_of[g])
            wrong = Mux(drains, 0, self.wrong_length)
            m.d.comb += [
                popped.eq(Mux(self.combine[g], taken, 0)),
                # nothing of the group drains when words are combined
                self.will_drain[g].eq(Mux(self.combine[g], wrong, 0) | self.draining[g] & ~(popped & lasts)),
                *(buffer.pop[g].eq(popped[i]) for i, buffer in enumerate(self.buffers)),
            ]
            m.d.sync += self.draining[g].eq(Mux(self.flushing[g], 0, self.will_drain[g]))

    def _keep_operations(self):
        """Compare the operators of headers, and keep that of the lowest branch; place the combiner."""
        m, n, operators = self.m, self.n, self.plane.operators
        combiner = instantiate(m, self.platform, "combiner", Combiner(n, self.plane.word_bits, operators))
        m.d.comb += combiner.take.eq(self.take)
        for i in range(n):
            m.d.comb += combiner.words[i].eq(self.fronts[i])
        self.result = combiner.result
        if len(operators) == 1:
            if operators[0] == XOR:  # of an even number of headers it would be 0
                self._show_header(Const(XOR, OPERATOR_BITS), combiner.result)
            return
        codes = [front[:OPERATOR_BITS] for front in self.fronts]
        rows = [Signal(n, name=f"lowest_of_{g}") for g in range(self.groups)]
        for g in range(self.groups):
            m.d.comb += rows[g].eq(lowest_one(self.part_of[g]))
        lowest = self._of_active(rows, "lowest_row")
        code = Signal(OPERATOR_BITS)
        kept: list[Any] = [Signal(OPERATOR_BITS, name=f"operator_{g}") for g in range(self.groups)]
        following = [Signal(OPERATOR_BITS, name=f"next_operator_{g}") for g in range(self.groups)]
        control = Signal(CONTROL)  # of the group that is combined, if its word is not a header
        m.d.comb += [
            code.eq(either([Mux(lowest[i], codes[i], 0) for i in range(n)])),
            self.wrong_operator.eq(Mux(self.header, self.take & concat(codes[i] != code for i in range(n)), 0)),
            combiner.control.eq(control),
        ]
        for g in range(self.groups):
            m.d.comb += following[g].eq(Mux(self.words[g] & self.header, code, kept[g]))
            m.d.sync += kept[g].eq(following[g])
        operation = self._row(following, self.chosen, "next_operator_row")
        m.d.sync += control.eq(control_of(operation, operators))
        self._show_header(code, combiner.result)

    def _show_header(self, code, combined):
        """Replace the low bits of the result in a header; the others of any operator over headers are 0."""
        low = Mux(self.header, code, combined[:HEADER_BITS])
        self.result = concat((low, combined[HEADER_BITS:]))

    def load_outputs(self):
        """Load the combined word into one of the output registers, and the parent's into the down bank."""
        m, part = self.m, self.part
        own = Signal(self.groups)  # combined, and going down
        m.d.comb += own.eq(self.words & part.top)
        self.goes_down = [self.down[g] | own[g] for g in range(self.groups)]
        entry = concat((self.result, self.ends, self.error))
        if self.shape.has_parent:
            self._register(part.up, self.combines & ~own.any(), entry, self.combine)
            down = self.down.any()
            entry = Mux(down, self.parent_buffers.front, entry)
        copies = either([Mux(self.goes_down[g], self.part_of[g], 0) for g in range(self.groups)])
        self._register(part.down, copies, entry, concat(self.goes_down))

    def _register(self, link, valid, entry, group):
        m = self.m
        held = Signal(len(Value.cast(link.payload)), name=f"{link.valid.name}_held", reset_less=True)
        number = self._number(group) if self.plane.group_bits else []
        m.d.sync += [link.valid.eq(valid), held.eq(concat((entry, *number)))]
        m.d.comb += Value.cast(link.payload).eq(held)

    def _credits(self, name: str, part: GroupCredits, sent: Any, returned: Any) -> Any:
        """Place the counters of credits; return them."""
        counters = instantiate(self.m, self.platform, name, part)
        self.m.d.comb += [counters.sent.eq(sent), counters.returned.eq(returned), counters.flush.eq(self.flushing)]
        return counters

    def _down_credits(self) -> Any:
        """Return whether all branches that take part in each group have a credit in the next cycle."""
        sinks = range(self.n)
        returned = concat(getattr(self.part, f"down_credited_{i}")[g] for g in range(self.groups) for i in sinks)
        counters = self._credits(
            "down_credits", GroupCredits(self.groups, self.shape.depths), concat(self.goes_down), returned
        )
        if self.n > 1:
            self.m.d.comb += counters.taking_part.eq(self.part.taking_part)
        return counters.some

    def find_ready(self):
        """Find for each group what can be granted in the next cycle."""
        m, part, scheduler = self.m, self.part, self.scheduler
        down, up = self._down_credits(), Const(0, self.groups)
        if self.shape.has_parent:
            sent = self.words & ~part.top
            depths = [self.plane.buffer_words]
            up = self._credits("parent_credits_left", GroupCredits(self.groups, depths), sent, part.up_credited).some
        m.d.comb += scheduler.top.eq(part.top)
        for g in range(self.groups):
            follow = concat(buffer.follows[g] for buffer in self.buffers)
            killed, others = self.killed[g], ~self.part_of[g]
            credit = Mux(part.top[g], down[g], up[g]) if self.shape.has_parent else down[g]
            m.d.comb += [
                scheduler.words_ready[g].eq(
                    (follow | others).all() & self.part_of[g].any() & ~self.will_drain[g].any() & credit & ~killed
                ),
                scheduler.drains_ready[g].eq((follow & self.will_drain[g]).any() & ~killed),
            ]
            if self.shape.has_parent:
                follows = self.parent_buffers.follows[g]
                m.d.comb += scheduler.down_ready[g].eq(~part.top[g] & follows & down[g] & ~killed)

    def record_errors(self):
        """Keep the masks of branches."""
        m, part = self.m, self.part
        wrong = Mux(self.combines, self.wrong_length | self.wrong_operator, 0)
        m.d.sync += part.mismatches.eq(part.mismatches & ~part.clear_mismatches | wrong)
        if not self.plane.timeouts:
            return
        mask = instantiate(m, self.platform, "timeout", TimeoutMask(self.groups, self.n))
        waits, missing = [], []
        for g in range(self.groups):
            present = concat(buffer.present[g] for buffer in self.buffers)
            lacks = Signal(self.n, name=f"missing_{g}")
            m.d.comb += lacks.eq(self.part_of[g] & ~present)
            missing.append(lacks)
            waits.append(lacks.any() & ((self.part_of[g] & present).any() | self.inside[g]))
        m.d.comb += [
            mask.limit.eq(part.limit),
            mask.waits.eq(concat(waits)),
            mask.missing.eq(concat(missing)),
            mask.combined.eq(self.words),
            mask.flush.eq(self.flushing),
            mask.clear.eq(part.clear_timeouts),
            part.timeouts.eq(mask.mask),
        ]
