"""Switch of the collective plane: combines the words of its branches on the way up, and copies words on the way down.

=================  ==========================================================================================
cycle              what happens to a word
=================  ==========================================================================================
t                  on the link of the last branch that takes part; the scheduler grants the next cycle
t + 1              taken with those of the other branches
t + 2              a header: on the link to the parent, or at the top of its group on the links to all branches
t + 2 + stages     a combined word, or a header behind others: on those links
=================  ==========================================================================================

A word from the parent takes 2 cycles. Throughput 1 word per cycle in each direction.
"""

from itertools import pairwise
from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from rtl.collectives.combiner import Combiner, control_of, header_control
from rtl.collectives.credits import GroupCredits
from rtl.collectives.error_masks import TimeoutMask
from rtl.collectives.parameters import TIMEOUT_BITS, SwitchShape, plane_link, stored_bits
from rtl.collectives.scheduler import PlaneScheduler
from rtl.collectives.word_buffers import WordBuffers
from rtl.parts.part import Part, instantiate
from rtl.parts.selection import concat, either, encoded, lowest_one, table_row
from topology.collectives.operators import OPERATOR_BITS, SUM, combiner_stages


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
            3 cycles, everywhere at once.
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
        self.active = self._number_of_grant("active", self.scheduler.combine_next)
        self.buffers = [self._buffers(f"buffers_{i}", getattr(part, f"up_{i}"), self.active) for i in range(self.n)]
        for i, buffer in enumerate(self.buffers):
            m.d.comb += getattr(part, f"up_credits_{i}").eq(buffer.credits)
        if shape.has_parent:
            active_down = self._number_of_grant("active_down", self.scheduler.down_next)
            self.parent_buffers = self._buffers("buffers_parent", part.parent, active_down)
            m.d.comb += [
                self.parent_buffers.pop.eq(self.down),
                part.parent_credits.eq(self.parent_buffers.credits),
            ]

    def _number_of_grant(self, name: str, following: Any) -> Any:
        """Return a register with the number of the granted group."""
        number: Any = Signal(max(1, self.plane.group_bits), name=name)
        self.m.d.sync += number.eq(concat(self._number(following)))
        return number

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
            self.m.d.comb += [buffers.group.eq(link.payload.group), buffers.chosen.eq(chosen)]
        return buffers

    def _number(self, one_hot: Any) -> list[Value]:
        return encoded(one_hot, range(self.groups), self.plane.group_bits) or [Value.cast(Const(0, 1))]

    def _of_active(self, rows: list[Any], name: str) -> Any:
        """Return the row of the granted group."""
        if self.groups == 1:
            return rows[0]
        return table_row(self.m, concat(rows), self.active, len(rows[0]), name)

    def combine_words(self):
        """Take the fronts of the granted group, and combine or discard them."""
        m, n = self.m, self.n
        self.take: Any = Signal(n)
        self.combines: Any = Signal()
        self.lasts, failing = Signal(n), Signal(n)
        self.inside: Any = Signal(self.groups)
        self.failed: Any = Signal(self.groups)
        self.header: Any = Signal()
        self.ends: Any = Signal()
        self.differ: Any = Signal()  # in length
        self.wrong_operator: Any = Signal(n)
        self.operators_differ: Any = Signal()
        self.fails: Any = Signal()  # besides a wrong length, which ends the operation
        self.error: Any = Signal()
        self.fronts = [buffer.front[: self.plane.word_bits] for buffer in self.buffers]
        self.draining: Any = Signal(self.groups)
        self.words: Any = Signal(self.groups)  # group of which words are combined, one-hot or 0
        m.d.comb += [
            self.take.eq(self._of_active(self.part_of, "take_row")),
            self.words.eq(self.combine & ~self.draining),
            self.combines.eq(self.words.any()),
            self.lasts.eq(concat(buffer.front[-2] for buffer in self.buffers)),
            failing.eq(concat(buffer.front[-1] for buffer in self.buffers)),
            self.header.eq(~self._of_active(list(self.inside), "inside_row")),
            self.ends.eq((self.take & self.lasts).any()),
            self.differ.eq(self.ends & (self.take & ~self.lasts).any()),
            self.fails.eq(
                (self.take & failing).any() | self._of_active(list(self.failed), "failed_row") | self.operators_differ
            ),
            self.error.eq(self.fails | self.differ),
        ]
        self._drain()
        self._keep_operations()
        for g in range(self.groups):
            with m.If(self.words[g]):
                m.d.sync += [self.inside[g].eq(~self.ends), self.failed[g].eq(self.fails & ~self.ends)]
            with m.If(self.flushing[g]):
                m.d.sync += [self.inside[g].eq(0), self.failed[g].eq(0)]

    def _drain(self):
        """Pop the fronts: all that are combined, or those of branches that drain.

        In a group that drains, ``spared`` are the branches that do not. In others they do not count.
        """
        m, n = self.m, self.n
        self.spared = [Signal(n, name=f"spared_{g}") for g in range(self.groups)]
        self.idle = [Mux(self.draining[g], self.spared[g], 0) for g in range(self.groups)]
        spared_row, over = Signal(n), Signal(n)  # over: no word of the operation is left in the branch
        drains, goes_on = Signal(), Signal()
        m.d.comb += [
            spared_row.eq(self._of_active(list(self.spared), "spared_row")),
            drains.eq(self._of_active(list(self.draining), "draining_row")),
            over.eq(~self.take | self.lasts | Mux(drains, spared_row, 0)),
            goes_on.eq(~over.all() & (self.ends | drains)),
        ]
        self.wrong_length = Mux(self.ends, ~over, 0)  # if words are combined
        for g in range(self.groups):
            popped = Signal(n, name=f"popped_{g}")
            m.d.comb += [
                popped.eq(Mux(self.combine[g], self.part_of[g] & ~self.idle[g], 0)),
                *(buffer.pop[g].eq(popped[i]) for i, buffer in enumerate(self.buffers)),
            ]
            with m.If(self.combine[g]):
                m.d.sync += [self.draining[g].eq(goes_on), self.spared[g].eq(over)]
            with m.If(self.flushing[g]):
                m.d.sync += [self.draining[g].eq(0), self.spared[g].eq(0)]

    def _keep_operations(self):
        """Compare the operators of headers, and keep that of the lowest branch; place the combiner."""
        m, n, operators = self.m, self.n, self.plane.operators
        combiner = instantiate(m, self.platform, "combiner", Combiner(n, self.plane.word_bits, operators))
        m.d.comb += combiner.take.eq(self.take)
        for i in range(n):
            m.d.comb += combiner.words[i].eq(self.fronts[i])
        self.result = combiner.result
        self.code = Const(operators[0], OPERATOR_BITS)
        kept = control_of(self.code, operators)
        if len(operators) > 1:
            kept = self._compare_operators()
        if operators != (SUM,):
            m.d.comb += Value.cast(combiner.control).eq(Mux(self.header, Value.cast(header_control(kept)), kept))

    def _compare_operators(self) -> Any:
        """Return the control of the group that is combined, if its word is not a header."""
        m, n, operators = self.m, self.n, self.plane.operators
        codes = [front[:OPERATOR_BITS] for front in self.fronts]
        rows = [Signal(n, name=f"lowest_of_{g}") for g in range(self.groups)]
        for g in range(self.groups):
            m.d.comb += rows[g].eq(lowest_one(self.part_of[g]))
        lowest = self._of_active(rows, "lowest_row")
        self.code = Signal(OPERATOR_BITS)
        kept: list[Any] = [Signal(OPERATOR_BITS, name=f"code_{g}", reset_less=True) for g in range(self.groups)]
        differing = []  # bits of the operators of which some branch has 1 and some has 0
        for bit in range(OPERATOR_BITS):
            ones = concat(code[bit] for code in codes)
            differing.append((self.take & ones).any() & (self.take & ~ones).any())
        m.d.comb += [
            self.code.eq(either([Mux(lowest[i], codes[i], 0) for i in range(n)])),
            self.wrong_operator.eq(Mux(self.header, self.take & concat(codes[i] != self.code for i in range(n)), 0)),
            self.operators_differ.eq(self.header & concat(differing).any()),
        ]
        for g in range(self.groups):
            with m.If(self.words[g] & self.header):
                m.d.sync += kept[g].eq(self.code)
        return control_of(self._of_active(kept, "code_row"), operators)

    def load_outputs(self):
        """Load the combined word into one of the output registers, and the parent's into the down bank.

        A header that finds no word in the pipeline passes by it, unless it would meet one of the parent at the bank.
        """
        m, part, has_parent = self.m, self.part, self.shape.has_parent
        stages = combiner_stages(self.plane.operators)
        moving = [Signal(self.groups, name=f"moving_{k}") for k in range(stages)]  # group of the word in each stage
        marks: list[Any] = [Signal(2, name=f"marks_{k}", reset_less=True) for k in range(stages)]
        passes_by = Signal()
        own: Any = (self.words & part.top).any()
        busy = concat(moving).any()
        m.d.comb += passes_by.eq(self.combines & self.header & ~busy & ~(own & self.down.any()))
        entering = Mux(passes_by, 0, self.words)
        m.d.sync += [moving[0].eq(entering), marks[0].eq(concat((self.ends, self.error)))]
        m.d.sync += [after.eq(before) for before, after in pairwise(moving)]
        m.d.sync += [after.eq(before) for before, after in pairwise(marks)]
        leaving: Any = Signal(self.groups)  # behind combiner and pipeline
        header = concat((self.code, Const(0, self.plane.word_bits - OPERATOR_BITS)))
        entry = concat(
            (
                Mux(passes_by, header, self.result),
                Mux(passes_by, concat((self.ends, self.error)), marks[-1]),
            )
        )
        m.d.comb += leaving.eq(Mux(passes_by, self.words, moving[-1]))
        own_leaving = leaving & part.top
        self.goes_down = concat(self.down[g] | self.words[g] & part.top[g] for g in range(self.groups))
        if has_parent:
            m.d.comb += self.scheduler.taken.eq(((entering if stages == 1 else moving[-2]) & part.top).any())
            self._register(part.up, (leaving & ~part.top).any(), entry, leaving)
            # without a top of some group here, the combiner is not in the way
            entry = Mux(self.down.any() | ~part.top.any(), self.parent_buffers.front, entry)
        loads = [self.down[g] | own_leaving[g] for g in range(self.groups)]
        copies = either([Mux(loads[g], self.part_of[g], 0) for g in range(self.groups)])
        self._register(part.down, copies, entry, concat(loads))

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
        counters = self._credits("down_credits", GroupCredits(self.groups, self.shape.depths), self.goes_down, returned)
        if self.n > 1:
            self.m.d.comb += counters.taking_part.eq(self.part.taking_part)
        return counters.some

    def find_ready(self):
        """Find for each group what can be granted in the next cycle.

        Which branches drain then is not known yet. So a group that drains has to have words of the branches that drain
        now, and it rests after each discard. A group that begins to drain has to have words and credits as before.
        """
        m, part, scheduler = self.m, self.part, self.scheduler
        down, up = self._down_credits(), Const(0, self.groups)
        if self.shape.has_parent:
            sent = self.words & ~part.top
            depths = [self.plane.buffer_words]
            up = self._credits("parent_credits_left", GroupCredits(self.groups, depths), sent, part.up_credited).some
            m.d.comb += scheduler.top.eq(part.top)
        for g in range(self.groups):
            follow = concat(buffer.follows[g] for buffer in self.buffers)
            killed, spared = self.killed[g], ~self.part_of[g] | self.idle[g]
            credit = Mux(part.top[g], down[g], up[g]) if self.shape.has_parent else down[g]
            may: Any = Mux(self.draining[g], ~self.combine[g], credit)
            m.d.comb += scheduler.ready[g].eq((follow | spared).all() & self.part_of[g].any() & may & ~killed)
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
