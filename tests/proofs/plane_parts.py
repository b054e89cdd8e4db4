"""Claims about the parts of a switch of the collective plane: buffers, credits, combiner, scheduler."""

from collections.abc import Sequence
from functools import reduce
from typing import Any

from amaranth.hdl import Array, Mux, Signal, Value

from rtl.collectives.combiner import Combiner, control_of, header_control
from rtl.collectives.credits import GroupCredits
from rtl.collectives.error_masks import TimeoutMask
from rtl.collectives.parameters import TIMEOUT_BITS
from rtl.collectives.pointers import Pointers
from rtl.collectives.scheduler import PlaneScheduler
from rtl.collectives.word_buffers import WordBuffers
from rtl.parts.selection import concat, either, lowest_one
from tests.proofs.claims import Claims, Describe, Inside, at_most_one
from tests.proofs.links import ReferenceQueue
from tests.proofs.selection import distance, following_turn
from topology.collectives.operators import AND, MAX, MIN, OR, SIGNED_MAX, SIGNED_MIN, SUM, XOR, combiner_stages

# Pointers, for the invariants of what has them.


def is_pointer(pointers: Pointers, pointer: Any) -> Value:
    """Return whether a register has the value of a pointer."""
    values = [pointers.following(pointers.first(), steps) for steps in range(pointers.period)]
    return concat(pointer == value for value in values).any()


def are_apart(pointers: Pointers, back: Any, front: Any, steps: Any) -> Value:
    """Return whether a pointer is some steps, at most the places, after another one."""
    found = [(steps == k) & (back == pointers.following(front, k)) for k in range(pointers.places + 1)]
    return concat(found).any()


def place(pointers: Pointers, rows: Sequence[Any], front: Any, steps: int) -> Value:
    """Return the row of a memory that is some steps after a pointer.

    rows: By code.
    """
    return Value.cast(Array(rows)[pointers.code(pointers.following(front, steps))])


# GroupCredits: a word may leave if every sink has a place for it.


def group_credits(groups: int, depths: Sequence[int]) -> Describe:
    """Claims about the credits of some sinks."""

    def describe(claims: Claims) -> None:
        part: Any = GroupCredits(groups, depths)
        claims.free_inputs(part)
        inside = Inside(claims, part)
        sinks = len(depths)
        if sinks > 1:
            claims.never_changes(part.taking_part)
        for g in range(groups):
            rows = [_Credits(claims, part, g, i, depth) for i, depth in enumerate(depths)]
            claims.assume(
                ~part.sent[g] | part.flush[g] | concat(row.left.any() | ~row.takes_part for row in rows).all()
            )
            every = concat((row.following != 0) | ~row.takes_part for row in rows).all()
            claims.always(
                "a word may leave if every sink that takes part has a place", (part.some[g] == every) | part.flush[g]
            )
            sent = inside.register(f"sent_{g}")
            for i, row in enumerate(rows):
                returned = inside.register(f"returned_{i}_{g}")
                used = claims.named((depths[i] - row.left)[: len(row.left)], f"used_{i}_{g}")
                apart = are_apart(part.pointers, sent, returned, used)
                claims.invariant("credits are at most the places", row.left <= depths[i])
                claims.invariant("a pointer is one", is_pointer(part.pointers, returned))
                claims.invariant("pointers are apart by the places in use", ~row.takes_part | apart)
                has = inside.register(f"has_credit_{i}_{g}")
                claims.invariant("a register shows a credit", ~row.takes_part | (has == (row.left != 0)))
            claims.possible("all credits are gone", concat(row.left == 0 for row in rows).all())
        claims.possible("a credit comes as a word leaves", (part.sent.any()) & part.returned.any())

    return describe


class _Credits:
    """Places left at a sink.

    left: Now; following: in the next cycle, without a flush.
    """

    def __init__(self, claims: Claims, part: Any, g: int, i: int, depth: int):
        several = len(part.depths) > 1
        bit = g * len(part.depths) + i
        self.takes_part: Any = part.taking_part[bit] if several else Value.cast(1)
        self.left: Any = Signal(range(depth + 1), init=depth, name=f"left_{i}_{g}")
        back = part.returned[bit]
        claims.assume(~back | self.takes_part & (self.left != depth) | part.flush[g])
        self.following = claims.named(
            (self.left + back - (part.sent[g] & self.takes_part))[: len(self.left)], f"following_{i}_{g}"
        )
        claims.m.d.sync += self.left.eq(Mux(part.flush[g], depth, self.following))


# WordBuffers: words of a group leave once, in order; credits, words and places make up the buffer.

BITS = 4


def word_buffers(groups: int, depth: int) -> Describe:
    """Claims about the buffers of a link."""

    def describe(claims: Claims) -> None:
        part: Any = WordBuffers(BITS, groups, depth)
        claims.free_inputs(part)
        inside = Inside(claims, part)
        if groups > 1:
            claims.assume(part.group < groups)
        claims.assume(at_most_one(part.pop) if groups > 1 else Value.cast(1))
        for g in range(groups):
            arrives = part.valid & (part.group == g) if groups > 1 else part.valid
            arrives = claims.named(arrives & ~part.flush[g], f"arrives_{g}")
            queue = flushed_queue(claims, depth, arrives, part.entry, part.pop[g], part.flush[g], f"of_{g}")
            claims.assume(~part.pop[g] | (queue.held != 0))
            if groups > 1:
                claims.assume(~part.pop[g] | (part.chosen == g))
            _prove_buffer(claims, inside, part, g, queue, arrives)
            here = queue.held != 0
            right = (part.front == queue.row[0]) | ~here
            claims.always(
                "words are read unaltered in the order of arrival", right if groups == 1 else right | (part.chosen != g)
            )
        claims.possible("a word leaves as another one arrives", part.pop.any() & part.valid)

    return describe


def flushed_queue(
    claims: Claims, depth: int, arrives: Any, entry: Any, leaves: Any, flush: Any, name: str
) -> ReferenceQueue:
    """Return the words of a group of which a flush drops all."""
    queue = ReferenceQueue(claims, depth, arrives, entry, leaves)
    for k, row in enumerate(queue.row):
        row.name = f"reference_{k}_{name}"
    queue.held.name = f"held_{name}"
    with claims.m.If(flush):
        claims.m.d.sync += queue.held.eq(0)
    return queue


def _prove_buffer(claims: Claims, inside: Inside, part: Any, g: int, queue: ReferenceQueue, arrives: Any) -> None:
    depth, pop, flush = part.depth, part.pop[g], part.flush[g]
    credits: Any = Signal(range(depth + 1), init=depth, name=f"credits_left_{g}")
    with claims.m.If(flush):
        claims.m.d.sync += credits.eq(depth)
    with claims.m.Else():
        claims.m.d.sync += credits.eq(credits + part.credits[g] - arrives)
    claims.assume(~arrives | (credits != 0))
    fresh = claims.was(flush, f"flushed_{g}")
    claims.invariant("nothing leaves in a flush", ~(fresh & part.credits[g]))
    claims.always("present shows whether there is a front", part.present[g] == (queue.held != 0))
    follows = claims.was(part.follows[g], f"followed_{g}")
    started = claims.was(1, f"started_{g}")
    claims.always("follows shows whether there will be a front", ~started | fresh | (part.present[g] == follows))
    claims.always("every word that leaves gives one credit back", part.credits[g] == claims.was(pop, f"popped_{g}"))
    claims.assume(~flush | ~pop)
    whole = credits + queue.held + part.credits[g] == depth
    claims.always("credits, words and credits on the wire make up the buffer", whole)
    pointers = part.pointers
    back, front = (inside.register(f"{end}_{g}") for end in ("back", "front"))
    claims.invariant("a pointer is one", is_pointer(pointers, front))
    claims.invariant("the pointers are apart by the words", are_apart(pointers, back, front, queue.held))
    claims.invariant("there are no more words than places", queue.held <= depth)
    slots = 1 << pointers.code_bits
    rows = [inside.memory_row(g * slots + code, "words") for code in range(slots)]
    for k, entry in enumerate(queue.row):
        here = place(pointers, rows, front, k) == entry
        claims.invariant("places have their words", (queue.held <= k) | here)
    claims.possible("the buffer gets full", queue.held == depth)


# Combiner: the operator over the words that take part.


def combined(operator: Any, words: Sequence[Any], take: Any) -> Value:
    """Return the operator, folded over the words that take part one after the other."""
    n = len(words[0])

    def pair(a: Any, b: Any) -> Value:
        """Return the operator over two words."""
        results = {
            SUM: (a + b)[:n],
            MIN: Mux(a < b, a, b),
            MAX: Mux(a > b, a, b),
            SIGNED_MIN: Mux(a.as_signed() < b.as_signed(), a, b),
            SIGNED_MAX: Mux(a.as_signed() > b.as_signed(), a, b),
            AND: a & b,
            OR: a | b,
            XOR: a ^ b,
        }
        return Value.cast(either([Mux(operator == number, value, 0) for number, value in results.items()]))

    def step(done: tuple[Any, Any], branch: tuple[Any, Any]) -> tuple[Any, Any]:
        (some, value), (takes, word) = done, branch
        return some | takes, Mux(takes, Mux(some, pair(value, word)[:n], word), value)

    _, result = reduce(step, zip(take[1:], words[1:], strict=True), (take[0], words[0]))
    return Value.cast(result)


def combiner(branches: int, word_bits: int, operators: tuple[int, ...]) -> Describe:
    """Claims about a combiner."""

    def describe(claims: Claims) -> None:
        part: Any = Combiner(branches, word_bits, operators)
        claims.free_inputs(part, ("control",))
        operator: Any = Signal(3, name="any_operator")
        claims.anything(operator)
        claims.assume(concat(operator == number for number in operators).any())
        is_header: Any = Signal(name="is_header")
        if operators == (SUM,):
            claims.m.d.comb += is_header.eq(0)
        else:
            claims.anything(is_header)
            control = control_of(operator, operators)
            claims.m.d.comb += Value.cast(part.control).eq(Mux(is_header, header_control(control), control))
        Inside(claims, part)
        inputs: Any = concat((part.take, operator, is_header, Value.cast(1), *map(Value.cast, part.words)))
        for stage in range(combiner_stages(operators)):
            inputs = claims.was(inputs, f"stage_{stage}")
        take, was_header = inputs[:branches], inputs[branches + 3]
        words = [inputs[branches + 5 + i * word_bits :][:word_bits] for i in range(branches)]
        counts = inputs[branches + 4] & take.any()  # of the cycles after reset
        right = part.result == combined(inputs[branches : branches + 3], words, take)
        claims.always("the result is the operator over the words that take part", right | was_header | ~counts)
        first = part.result == either([Mux(lowest_one(take)[i], word, 0) for i, word in enumerate(words)])
        claims.always("a header is that of the lowest branch", first | ~was_header | ~counts)
        last = 1 << (branches - 1)
        claims.possible("one branch takes part, not the first", counts & (take == last) & (part.result == 5))
        claims.possible("all branches take part", counts & take.all() & (part.result == 6))

    return describe


# PlaneScheduler: grants of the next cycle.


def plane_scheduler(groups: int, stages: int) -> Describe:
    """Claims about the scheduler of a switch with a parent, whose combiner has some stages."""

    def describe(claims: Claims) -> None:
        part: Any = PlaneScheduler(groups, has_parent=True)
        claims.free_inputs(part)
        claims.never_changes(part.top)
        claims.assume(~(part.down_ready & part.top).any())
        inside = Inside(claims, part)
        ready = claims.was(part.ready, "was_ready")
        down = claims.was(part.down_ready, "downs")
        taken = claims.was(part.taken, "was_taken")
        one = at_most_one(part.combine) & at_most_one(part.down)
        only = ~(part.combine & ~ready).any() & ~(part.down & ~down).any()
        claims.always("one group of each side is granted, that is ready", one & only)
        claims.always("the bank is loaded once in a cycle", ~(taken & part.down.any()))
        denied = claims.named(taken & down.any(), "is_denied")
        claims.invariant("the register shows a denied word", inside.register("denied") == denied)
        was_denied = claims.was(denied, "denied_before")
        tops = claims.named((ready & part.top).any(), "tops")
        others = (ready & ~part.top).any()
        granted = part.combine.any()
        claims.always("the combiner rests only if nothing is ready but a top", ~others | granted)
        claims.always("a top waits for a denied word of the parent alone", ~tops | granted | was_denied)
        claims.always("after a denied word no top is granted", ~was_denied | ~(part.combine & part.top).any())
        claims.always("a word of the parent waits for the combiner alone", ~down.any() | part.down.any() | taken)
        claims.possible("a top waits", tops & ~granted)
        _bound_waits(claims, inside, part, stages)

    return describe


IN_TIME = "a group that stays ready is granted within twice the groups and the stages cycles"
DOWN_IN_TIME = "a word of the parent that stays ready goes within as many cycles"


def _bound_waits(claims: Claims, inside: Inside, part: Any, stages: int) -> None:
    """Bound the waits of groups for their turns.

    A denied word of the parent keeps tops from being granted in one cycle, in which the turn stays. It was denied for a
    top that was granted ``stages`` + 1 cycles before, so each top that is granted while a group waits costs the group
    one cycle more. A cycle in which the bank is taken from a word of the parent leaves it free ``stages`` + 1 cycles
    later.
    """
    tops = [claims.named((part.combine & part.top).any(), "a_top_is_granted")]
    past = [inside.register("denied")]
    for k in range(stages):
        tops.append(claims.was(tops[-1], f"top_{k + 1}_ago"))
        past.append(claims.was(past[-1], f"denied_{k + 1}_ago"))
    claims.assume(~part.taken | tops[stages - 1])
    claims.invariant("a word is denied for a top", ~past[0] | tops[stages])
    for k in range(stages):
        claims.invariant("no top comes behind a denied word", ~past[k + 1] | ~tops[k])
    me: Any = claims.constant((part.groups - 1).bit_length(), "group")
    claims.assume(me < part.groups)
    bound = 2 * part.groups + stages
    eligible = claims.named(part.ready & ~Mux(past[0], part.top, 0), "may_combine")
    left = _left(claims, inside, part.ready, eligible, ~past[0], me, tops, "combines")
    _bound_wait(claims, IN_TIME, part.ready, part.combine_next, me, left, bound)
    eligible = claims.named(Mux(part.taken, 0, part.down_ready), "may_go_down")
    left = _left(claims, inside, part.down_ready, eligible, Value.cast(1), me, [~was for was in past], "downs")
    _bound_wait(claims, DOWN_IN_TIME, part.down_ready, part.down_next, me, left, bound)


def _left(
    claims: Claims, inside: Inside, ready: Any, eligible: Any, moves: Any, me: Any, delays: Sequence[Any], name: str
) -> Any:
    """Return the most cycles that a group can still have to wait: two for each one before it, and the delays."""
    count = len(ready)
    turn: Any = Signal(range(count), name=f"turn_of_{name}")
    claims.m.d.sync += turn.eq(Mux(moves, following_turn(claims, eligible, turn, count), turn))
    claims.invariant("the turn is a group's", turn < count)
    later = concat((turn != 0) & (turn <= i) for i in range(1, count))
    claims.invariant("the mask encodes the turn", inside.register("later", name) == later)
    sum_of: Any = Value.cast(0)
    for delay in delays:
        sum_of = sum_of + delay
    return claims.named(2 * distance(turn, me, count) + sum_of, f"left_for_{name}")


def _bound_wait(claims: Claims, name: str, ready: Any, granted: Any, me: Any, left: Any, bound: int) -> None:
    """Claim that a group is granted in the last of some cycles in which it is ready, or before."""
    waits = claims.named((ready & ~granted).bit_select(me, 1), "waits")
    waited: Any = Signal(range(bound + 1), name="waited")
    claims.m.d.sync += waited.eq(Mux(waits, waited + (waited != bound), 0))
    claims.always(name, ~waits | (waited < bound - 1))
    claims.invariant("waiting leaves less to wait for", (waited == 0) | (waited + left < bound))
    claims.possible("a group waits long", waited == len(ready))


# TimeoutMask: branches that a group waits for too long.


def timeout_mask(groups: int, branches: int) -> Describe:
    """Claims about the mask of missing branches."""

    def describe(claims: Claims) -> None:
        part: Any = TimeoutMask(groups, branches)
        claims.free_inputs(part)
        inside = Inside(claims, part)
        records = []
        for g in range(groups):
            missing = part.missing[g * branches : (g + 1) * branches]
            waited: Any = Signal(TIMEOUT_BITS + 1, name=f"waited_{g}")  # stays until the group goes on
            is_recorded: Any = Signal(name=f"is_recorded_{g}")
            ends = claims.named(part.flush[g] | part.combined[g] | ~part.limit.any(), f"is_over_{g}")
            expires = part.waits[g] & ~ends & ~is_recorded & (waited + 1 >= part.limit)
            with claims.m.If(ends):
                claims.m.d.sync += [waited.eq(0), is_recorded.eq(0)]
            with claims.m.Elif(~is_recorded):
                claims.m.d.sync += [waited.eq(Mux(part.waits[g], waited + 1, 0)), is_recorded.eq(expires)]
            claims.invariant("the counter counts a wait until it is recorded", inside.register(f"cycles_{g}") == waited)
            claims.invariant("a wait is recorded once", inside.register(f"over_{g}") == is_recorded)
            claims.invariant("no wait is longer than any limit", is_recorded | (waited + 1 < 1 << TIMEOUT_BITS))
            records.append(Mux(expires, missing, 0))
        mask: Any = Signal(branches, name="recorded")
        claims.m.d.sync += mask.eq(mask & ~part.clear | either(records))
        claims.always(
            "the mask has the branches that were missing when a wait reached the limit, until they are cleared",
            part.mask == mask,
        )
        claims.possible("a branch is recorded again", part.mask.any() & claims.was(part.clear.all(), "cleared"))

    return describe
