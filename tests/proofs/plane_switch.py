"""Claims about a whole switch of the collective plane, of two branches, and a parent or none, without flushes."""

from typing import Any

from amaranth.hdl import Const, Mux, Signal, Value

from rtl.collectives.parameters import PlaneParameters, SwitchShape
from rtl.collectives.switch import PlaneSwitch
from rtl.parts.selection import concat, either
from tests.proofs.claims import Claims, Describe, Inside, at_most_one
from tests.proofs.links import ReferenceQueue
from tests.proofs.plane_parts import are_apart, is_pointer, place
from topology.collectives.operators import SUM, combiner_stages

BRANCHES, DEPTH, WORD_BITS = 2, 2, 8
LAST, ERROR = WORD_BITS, WORD_BITS + 1
"""Positions in the stored bits of a word."""


class _Queues:
    """Words of one link by group, as they must be in its buffers.

    held, front: By group.
    """

    def __init__(self, claims: Claims, inside: Inside, link: Any, name: str, groups: int):
        buffers = inside.placed[name]
        self.pop = buffers.pop
        self.rows = []
        if groups > 1:
            claims.assume(link.payload.group < groups)
        entry = claims.named(Value.cast(link.payload)[: WORD_BITS + 2], f"entry_{name}")
        for g in range(groups):
            arrives = link.valid & (link.payload.group == g) if groups > 1 else link.valid
            arrives = claims.named(arrives, f"arrives_{name}_{g}")
            queue = ReferenceQueue(claims, DEPTH, arrives, entry, buffers.pop[g])
            queue.held.name = f"held_{name}_{g}"
            for k, row in enumerate(queue.row):
                row.name = f"place_{k}_{name}_{g}"
            claims.assume(~arrives | (queue.held + buffers.credits[g] < DEPTH))
            self.rows.append(queue)
            self._tie(claims, inside, name, buffers, g, queue)
        self.held = [queue.held for queue in self.rows]
        self.front = [queue.row[0] for queue in self.rows]

    def _tie(self, claims, inside, name, buffers, g, queue) -> None:
        claims.invariant("words have places", queue.held + buffers.credits[g] <= DEPTH)
        claims.invariant("present shows a front", buffers.present[g] == (queue.held != 0))
        pointers = buffers.pointers
        back, front = (inside.register(f"{end}_{g}", name) for end in ("back", "front"))
        claims.invariant("a pointer is one", is_pointer(pointers, front))
        claims.invariant("pointers are apart by the words", are_apart(pointers, back, front, queue.held))
        slots = 1 << pointers.code_bits
        rows = [inside.memory_row(g * slots + code, f"{name}/words") for code in range(slots)]
        for k, entry in enumerate(queue.row):
            here = place(pointers, rows, front, k) == entry
            claims.invariant("places have their words", (queue.held <= k) | here)


class _Places:
    """Places left at the sinks of words, by group and sink; all sinks of a group take a word at once."""

    def __init__(
        self, claims: Claims, inside: Inside, name: str, part_of: list[Any], returned: list[Any], sent: list[Any]
    ):
        self.left: list[list[Any]] = []
        for g, takes in enumerate(part_of):
            lefts = []
            for i in range(len(takes)):
                left: Any = Signal(range(DEPTH + 1), init=DEPTH, name=f"left_{name}_{i}_{g}")
                back = returned[i][g]
                claims.assume(~back | takes[i] & (left != DEPTH))
                claims.m.d.sync += left.eq(left + back - (sent[g] & takes[i]))
                claims.always("nothing leaves without a credit", ~sent[g] | ~takes[i] | (left != 0))
                pointers = inside.placed[name].pointers
                out, back = inside.register(f"sent_{g}", name), inside.register(f"returned_{i}_{g}", name)
                used = claims.named((DEPTH - left)[: len(left)], f"used_{name}_{i}_{g}")
                apart = are_apart(pointers, out, back, used)
                claims.invariant("places are at most those of the buffer", left <= DEPTH)
                claims.invariant("a pointer is one", is_pointer(pointers, back))
                claims.invariant("counters are apart by the places in use", ~takes[i] | apart)
                some = inside.register(f"has_credit_{i}_{g}", name)
                claims.invariant("a register shows a credit", ~takes[i] | (some == (left != 0)))
                lefts.append((left != 0) | ~takes[i])
            self.left.append(lefts)

    def some(self, g: int) -> Value:
        """Return whether every sink has a place."""
        return concat(self.left[g]).all()


def plane_switch(groups: int, *, has_parent: bool = True, operator: int = SUM) -> Describe:
    """Claims about a switch with one operator, sum or exclusive or.

    has_parent: False for the root, which is the top of each group that takes part.
    """

    def describe(claims: Claims) -> None:
        plane = PlaneParameters(groups, WORD_BITS, (operator,), DEPTH, DEPTH, timeouts=False)
        part: Any = PlaneSwitch(SwitchShape(plane, (DEPTH,) * BRANCHES, has_parent))
        claims.free_inputs(part, ("flush",))
        inside = Inside(claims, part)
        claims.never_changes(part.taking_part)
        claims.never_changes(part.top)
        claims.invariant("no group is flushed", inside.register("flushing") == 0)
        part_of = [part.taking_part[g * BRANCHES : (g + 1) * BRANCHES] for g in range(groups)]
        for g in range(groups):
            takes = part_of[g].any()
            claims.assume(~part.top[g] | takes if has_parent else part.top[g] == takes)
        _Reference(claims, inside, part, part_of, groups).prove()

    return describe


class _Reference:
    """A switch that is correct by inspection, given what is granted in each cycle."""

    def __init__(self, claims: Claims, inside: Inside, part: Any, part_of: list[Any], groups: int):
        self.claims, self.inside, self.part, self.part_of, self.groups = claims, inside, part, part_of, groups
        self.scheduler = inside.placed["scheduler"]
        self.has_parent, self.operators = part.shape.has_parent, part.shape.plane.operators
        self.combine = self.scheduler.combine
        self.down: Any = self.scheduler.down if self.has_parent else Const(0, groups)
        names = [f"buffers_{i}" for i in range(BRANCHES)]
        self.queues = [_Queues(claims, inside, getattr(part, f"up_{i}"), names[i], groups) for i in range(BRANCHES)]
        if self.has_parent:
            self.parent = _Queues(claims, inside, part.parent, "buffers_parent", groups)
        self.moving = [inside.register(f"moving_{k}") for k in range(combiner_stages(self.operators))]
        self.draining = inside.register("draining")
        spared = [inside.register(f"spared_{g}") for g in range(groups)]
        self.drains = [  # branches that drain
            claims.named(Mux(self.draining[g], part_of[g] & ~spared[g], 0), f"drains_{g}") for g in range(groups)
        ]
        for g in range(groups):
            claims.invariant("some branch of a group that drains does so", self.draining[g] == self.drains[g].any())
        self.words = claims.named(self.combine & ~self.draining, "words_granted")
        up = [self.words[g] & ~part.top[g] for g in range(groups)]
        downs = [self.words[g] & part.top[g] | self.down[g] for g in range(groups)]
        returned = [getattr(part, f"down_credited_{i}") for i in range(BRANCHES)]
        self.places = _Places(claims, inside, "down_credits", part_of, returned, downs)
        if self.has_parent:
            one = [Value.cast(1)] * groups
            self.parent_places = _Places(claims, inside, "parent_credits_left", one, [part.up_credited], up)

    def prove(self) -> None:
        """Claim what leaves, and when."""
        claims, part = self.claims, self.part
        claims.invariant("one group is granted", at_most_one(self.combine) & at_most_one(self.down))
        numbers = [self.inside.register(name) for name in ("active", "active_down")[: 1 + self.has_parent]]
        for g in range(self.groups):
            if self.groups > 1:
                right = (~self.combine[g] | (numbers[0] == g)) & (~self.down[g] | (numbers[-1] == g))
                claims.invariant("the number is that of the group", right)
            self._prove_grants(g)
            self._prove_drains(g)
        self._prove_readiness()
        self._prove_words()
        claims.possible("words of a branch are discarded", (self.combine & self.draining).any())
        claims.possible("a word turns at the top", (self.words & part.top).any())
        if self.has_parent:
            claims.possible("a word goes up", part.up.valid & (part.up.payload.word == 7))
            claims.possible("a word of the parent goes down", self.down.any())

    def _takes(self, g: int) -> list[Any]:
        return [self.queues[i].held[g] != 0 for i in range(BRANCHES)]

    def _all_there(self, g: int) -> Value:
        there = concat(self._takes(g)) | ~self.part_of[g]
        return there.all() & self.part_of[g].any()

    def _prove_grants(self, g: int) -> None:
        claims = self.claims
        popped = concat(queues.pop[g] for queues in self.queues)
        together = Mux(self.words[g], popped == self.part_of[g], (popped & ~self.drains[g]) == 0)
        claims.always("the words of all branches that take part leave together", together)
        claims.always("words are combined when all are there", ~self.words[g] | self._all_there(g))
        there = (concat(self._takes(g)) | ~self.drains[g]).all()
        claims.always("words are discarded when all are there", ~(self.combine[g] & self.draining[g]) | there)
        if self.has_parent:
            there = (self.parent.held[g] != 0) & ~self.part.top[g]
            claims.invariant("a word of the parent is there", ~self.down[g] | there)

    def _prove_drains(self, g: int) -> None:
        claims = self.claims
        lasts = concat(queues.front[g][LAST] for queues in self.queues)
        wrong = Mux((lasts & self.part_of[g]).any(), self.part_of[g] & ~lasts, 0)
        popped = concat(queues.pop[g] for queues in self.queues)
        following = claims.was(Mux(self.words[g], wrong, self.drains[g] & ~(popped & lasts)), f"will_drain_{g}")
        claims.always("a branch whose operation is longer is drained to its last word", self.drains[g] == following)

    def _prove_readiness(self) -> None:
        """A group waits for its own members, for credits, and for its turn, and for nothing else.

        Draining counts as of the cycle before; a group that discarded in it rests.
        """
        claims, part = self.claims, self.part
        ready, downs = [], []
        for g in range(self.groups):
            drained = claims.was(self.drains[g], f"drained_{g}")
            discarded = claims.was(self.combine[g] & self.draining[g], f"discarded_{g}")
            same = (self.drains[g] == drained) | discarded & ~(self.drains[g] & ~drained).any()
            claims.invariant("branches drain until they discard their last words", ~drained.any() | same)
            words = concat(self._takes(g))
            drain = (words | ~drained).all() & ~discarded
            credit = self.places.some(g)
            if self.has_parent:
                credit = Mux(part.top[g], credit, self.parent_places.some(g))
            ready.append(claims.named(Mux(drained.any(), drain, self._all_there(g) & credit), f"ready_{g}"))
            down = ~part.top[g] & (self.parent.held[g] != 0) & self.places.some(g) if self.has_parent else Const(0, 1)
            downs.append(claims.named(down, f"down_{g}"))
        for g in range(self.groups):
            waits = claims.was(concat((ready[g] & ~self.combine[g], downs[g] & ~self.down[g])), f"waited_{g}")
            stays = (~waits | concat((ready[g], downs[g]))).all()
            claims.always("what is ready stays so until it is granted", stays)
        if self.has_parent:  # as the proof of the scheduler assumes
            top = claims.named((self.combine & part.top).any(), "a_top_is_granted")
            for k in range(len(self.moving) - 1):
                top = claims.was(top, f"top_{k}")
            claims.invariant("the bank is taken for a granted top", ~self.scheduler.taken | top)
        bank = claims.named(concat(downs).any(), "down_ready")
        taken = claims.named((self.moving[-1] & part.top).any(), "bank_taken")
        denied = claims.named(bank & taken, "parent_denied")
        if self.has_parent:
            register = self.inside.register("denied", "scheduler")
            claims.invariant("the scheduler shows a denied word", register == denied)
        others = claims.named((concat(ready) & ~Mux(claims.was(denied, "denied"), part.top, 0)).any(), "others_ready")
        claims.always("a group that is ready waits for its turn alone", ~others | self.combine.any())
        claims.always("a word of the parent waits for the combiner alone", ~bank | self.down.any() | taken)

    def _prove_words(self) -> None:
        claims, part = self.claims, self.part
        inside, failed = (self.inside.register(name) for name in ("inside", "failed"))
        results, headers = [], []
        for g in range(self.groups):
            fronts = [queues.front[g] for queues in self.queues]
            taken: list[Any] = [Mux(self.part_of[g][i], front, 0) for i, front in enumerate(fronts)]
            first, second = (front[:WORD_BITS] for front in taken)
            total: Any = (first + second)[:WORD_BITS] if self.operators == (SUM,) else first ^ second
            last = taken[0][LAST] | taken[1][LAST]
            differ = last & (concat(~front[LAST] for front in fronts) & self.part_of[g]).any()
            error = taken[0][ERROR] | taken[1][ERROR] | differ | failed[g]
            headers.append(self.words[g] & ~inside[g])
            total = Mux(inside[g], total, self.operators[0])
            for i in range(BRANCHES):
                claims.assume(~headers[g] | ~self.part_of[g][i] | (fronts[i][:WORD_BITS] == self.operators[0]))
            word = claims.named(concat((total, last, error)), f"combined_{g}")
            results.append(Mux(self.words[g], word, 0))
            before = claims.was(concat((self.words[g], last, error & ~last, inside[g], failed[g])), f"operation_{g}")
            following = Mux(before[0], concat((~before[1], before[2])), before[3:])
            claims.invariant("the operation goes on until its last word", concat((inside[g], failed[g])) == following)
        combined = claims.named(either(results), "combined")
        own = (self.words & part.top).any()
        busy = concat(self.moving).any()
        passes_by = claims.named(concat(headers).any() & ~busy & ~(own & self.down.any()), "passes_by")
        entering, held = Mux(passes_by, 0, self.words), combined
        for k, moving in enumerate(self.moving):
            entering, held = claims.was(entering, f"entering_{k}"), claims.was(held, f"held_{k}")
            claims.invariant("the pipeline has one word in a stage", at_most_one(moving))
            claims.always("a word that does not pass by goes through the pipeline", moving == entering)
            marks = held[WORD_BITS:] == self.inside.register(f"marks_{k}")
            claims.invariant("marks go with their word", ~moving.any() | marks)
        right = self.inside.placed["combiner"].result == held[:WORD_BITS]
        claims.invariant("the pipeline has the sum", ~self.moving[-1].any() | right)
        leaving = claims.named(Mux(passes_by, self.words, self.moving[-1]), "leaving")
        result = claims.was(Mux(passes_by, combined, held), "result")
        self._prove_outputs(leaving, result)

    def _prove_outputs(self, leaving: Any, result: Any) -> None:
        """Claim what the output registers show.

        leaving: Group of a word that leaves the pipeline, or passes by it.
        result: That word, in the cycle before.
        """
        claims, part = self.claims, self.part
        own = claims.named(leaving & part.top, "own")
        claims.always("the bank is loaded by one", ~(own.any() & self.down.any()))
        goes_up = claims.named(leaving & ~part.top, "goes_up")
        goes_down = claims.named(self.down | own, "goes_down")
        from_parent, down = Const(0, WORD_BITS + 2), Value.cast(part.down.payload)
        if self.has_parent:
            parents = [Mux(self.down[g], self.parent.front[g], 0) for g in range(self.groups)]
            from_parent, up = claims.was(either(parents), "from_parent"), Value.cast(part.up.payload)
            sent = claims.was(goes_up.any(), "sent_up")
            claims.always("a word goes up for every word that is combined", part.up.valid == sent)
            claims.always("it is the sum of the next words", ~part.up.valid | (up[: WORD_BITS + 2] == result))
        branches = either([Mux(goes_down[g], self.part_of[g], 0) for g in range(self.groups)])
        claims.always(
            "every word of the parent and of the top goes down once to all branches",
            part.down.valid == claims.was(branches, "sent_down"),
        )
        was_parents = claims.was(self.down.any(), "was_parents")
        right = down[: WORD_BITS + 2] == Mux(was_parents, from_parent, result)
        claims.always("a word goes down unaltered", ~part.down.valid.any() | right)
        if self.groups > 1:
            for g in range(self.groups):
                of = claims.was(goes_down[g], f"went_down_{g}")
                claims.always("a word keeps its group", ~of | (part.down.payload.group == g))
                if self.has_parent:
                    of = claims.was(goes_up[g], f"went_up_{g}")
                    claims.always("a word keeps its group", ~of | (part.up.payload.group == g))
