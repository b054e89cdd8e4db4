"""Claims about the selectors of routers with virtual channels."""

from collections.abc import Callable, Sequence
from itertools import combinations, pairwise
from math import lcm
from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from rtl.parts.part import Part, instantiate
from rtl.parts.selection import concat
from rtl.vc.cycle_order import CycleOrder, FirstOf, pairs
from rtl.vc.random_order import STATE_BITS, RandomOrder
from rtl.vc.round_robin_selector import RoundRobinSelector
from tests.proofs.claims import Claims, Describe, Inside, at_most_one
from tests.proofs.selection import bound_waiting, distance, following_turn
from topology.common.choice_orders import ORDER_SEED, cycle_order, next_random_order

# RoundRobinSelector: the first requester from the turn on, with a bounded wait.

FIRST = "the first one from the turn on is chosen"


class RoundRobinSelectorAlone(Part):
    """A ``RoundRobinSelector`` in a module of its own.

    values: A bit for each requester.
    """

    def __init__(self, count: int, yielding: int):
        self.count, self.yielding = count, yielding
        members = {"requests": In(count), "beaten": Out(count), "chosen": Out(count)}
        members |= {"step": In(1), "values": In(count), "selected": Out(1)}
        super().__init__(f"turn_order_{count}_{yielding}", members)

    def elaborate(self, _platform):
        m: Any = Module()
        order = RoundRobinSelector(m, list(self.requests), "order", self.step, yielding=self.yielding)
        m.d.comb += [
            self.beaten.eq(concat(order.lost_arbitration)),
            self.chosen.eq(concat(order.chosen)),
            self.selected.eq(order.select(list(self.values))),
        ]
        return m


def round_robin_selector(count: int, yielding: int = 0) -> Describe:
    """Claims about some number of requesters, the last of which come after all others."""

    def describe(claims: Claims) -> None:
        part = RoundRobinSelectorAlone(count, yielding)
        claims.free_inputs(part)
        inside = Inside(claims, part)
        requests, chosen = part.requests, part.chosen
        rivals = rivals_of(claims, requests, yielding)
        turn = reference_turn(claims, rivals, part.step, count)
        claims.always("only a requester is chosen", ~(chosen & ~requests).any())
        claims.always("at most one is chosen", at_most_one(chosen))
        claims.always("a requester is chosen if there are requests", chosen.any() | ~requests.any())
        for i, first in enumerate(first_from(claims, rivals, turn)):
            claims.always(FIRST, chosen[i] == first)
        claims.always(
            "a request that is not chosen has lost arbitration", (requests & part.beaten) == (requests & ~chosen)
        )
        value = (part.values & chosen).any()
        claims.always("the value of the chosen one is selected", ~chosen.any() | (part.selected == value))
        tie_order(claims, inside, "order", turn, count, yielding)
        last = count - yielding - 1
        claims.possible("the last one that does not yield is chosen while all request", chosen[last] & requests.all())
        bound_waiting_of_others(claims, requests, chosen, turn, part.step, yielding)

    return describe


def rivals_of(claims: Claims, requests: Any, yielding: int) -> Any:
    """Requests between which the turn decides: all of them, without those that yield if there are others."""
    others = (1 << (len(requests) - yielding)) - 1
    return claims.named(Mux((requests & others).any(), requests & others, requests), "rivals")


def bound_waiting_of_others(claims: Claims, requests: Any, chosen: Any, turn: Any, step: Any, yielding: int) -> None:
    """A request that does not yield has a bounded wait, whatever the yielding ones do."""
    others = len(requests) - yielding
    theirs = claims.named(Mux(turn < others, turn, 0), "turn_of_others")
    bound_waiting(claims, requests[:others], chosen[:others], theirs, step)


def reference_turn(claims: Claims, requests: Any, step: Any, count: int) -> Signal:
    """The requester after the one that was last chosen in a cycle with ``step``."""
    turn: Any = Signal(range(count), name="reference_turn")
    claims.m.d.sync += turn.eq(Mux(step, following_turn(claims, requests, turn, count), turn))
    claims.invariant("the turn is a requester's", turn < count)
    return turn


def first_from(claims: Claims, requests: Any, turn: Any) -> list[Any]:
    """By requester: it requests, and none before it does from the turn on."""
    count, found = len(requests), []
    for i in range(count):
        before = [requests[j] & (distance(turn, j, count) < distance(turn, i, count)) for j in range(count)]
        found.append(claims.named(requests[i] & ~concat(before).any(), f"first_{i}"))
    return found


def tie_order(claims: Claims, inside: Inside, name: str, turn: Any, count: int, yielding: int) -> None:
    """The bits of the pairs encode the turn."""
    for i, j in combinations(range(count), 2):
        if i < count - yielding <= j:
            continue
        first = distance(turn, i, count) < distance(turn, j, count)
        bit = inside.register(f"{name}_{i}_before_{j}")
        claims.invariant("the bits of the pairs encode the turn", bit == first)


def tie_one_after_the_other(claims: Claims, inside: Inside, name: str, count: int, where: str | None = None) -> None:
    """The bits of the pairs form no cycle: of any three requesters one comes first."""
    for i, j, k in combinations(range(count), 3):
        bits = [inside.register(f"{name}_{a}_before_{b}", where) for a, b in ((i, j), (j, k), (i, k))]
        circle = (bits[0] & bits[1] & ~bits[2]) | (~bits[0] & ~bits[1] & bits[2])
        claims.invariant("requesters come one after the other", ~circle)


def tie_turn(claims: Claims, inside: Inside, name: str, count: int, where: str | None = None) -> None:
    """The bits of the pairs encode a turn: the first requester is followed by those of higher numbers, then the others.

    A grant moves the turn, and so brings every other request nearer to it.
    """
    for i, j, k in combinations(range(count), 3):
        bits = [inside.register(f"{name}_{a}_before_{b}", where) for a, b in ((i, j), (j, k), (i, k))]
        claims.invariant("the bits of the pairs encode a turn", (bits[0] | bits[1]) & (bits[2] == (bits[0] & bits[1])))


# The order of the cycle as tables by a count of cycles, and the longest wait that it allows.


class CyclePhases:
    """Cycles since reset, modulo those after which all orders of some sizes come again.

    count: Phases.
    """

    def __init__(self, claims: Claims, sizes: Sequence[int]):
        self.count = lcm(*(2 * size for size in sizes))
        self.now: Any = Signal(range(self.count), name="phase")
        claims.m.d.sync += self.now.eq(Mux(self.now == self.count - 1, 0, self.now + 1))
        claims.invariant("phases come again", self.now < self.count)

    def by_phase(self, rows: Sequence[int], bits: int) -> Value:
        """A number for each phase, as a table that is looked up."""
        packed = sum(row << bits * phase for phase, row in enumerate(rows))
        return Value.cast(Const(packed, bits * self.count).word_select(self.now, bits))

    def before(self, claims: Claims, size: int, members: Sequence[int], name: str) -> Any:
        """Which of two numbers comes first, for all pairs of those in use (``CycleOrder.before``)."""
        rows = [order_bits(self.order(size, phase), members) for phase in range(self.count)]
        return claims.named(self.by_phase(rows, len(pairs(len(members)))), name)

    def tie(self, claims: Claims, inside: Inside, size: int, where: str) -> None:
        """Invariant: the register of a ``CycleOrder`` of some instance name has the order of the phase."""
        everyone = pairs(size)
        opposite = sum(1 << k for k, (i, _) in enumerate(everyone) if i % 2)
        rows = [order_bits(self.order(size, phase), range(size)) ^ opposite for phase in range(self.count)]
        held = inside.register("held", where)
        claims.invariant("all pairs encode the phase", held == self.by_phase(rows, len(everyone)))

    def order(self, size: int, phase: int) -> list[int]:
        """The order of some size, as ``topology`` has it."""
        return cycle_order(size, phase - 1)

    def first(self, size: int, members: Sequence[int]) -> list[int]:
        """By phase, which of the numbers in use comes first."""
        return [next(n for n in self.order(size, phase) if n in members) for phase in range(self.count)]

    def passed(self, served: Callable[[int], bool]) -> list[int]:
        """By phase: number of successive phases up to this one that do not serve a requester."""
        serving = [phase for phase in range(self.count) if served(phase)]
        if not serving:
            raise ValueError(f"Phases that serve must be some of {self.count}, not none")
        passed = [0] * self.count
        for last, following in pairwise([*serving, serving[0] + self.count]):
            for phase in range(last + 1, following + 1):
                passed[phase % self.count] = phase - last - 1
        return passed


def order_bits(order: Sequence[int], members: Sequence[int]) -> int:
    """An order as a bit for each pair of the numbers in use."""
    bits = [order.index(members[i]) < order.index(members[j]) for i, j in pairs(len(members))]
    return sum(bit << k for k, bit in enumerate(bits))


# CycleOrder and FirstOf: the orders of topology, with a bounded wait.

FIRST_OF_THE_CYCLE = "the first one in the order of the cycle is chosen"
WAIT_BOUND = "a request that persists is chosen before all orders have been"


class FirstOfTheCycle(Part):
    """``CycleOrder`` and ``FirstOf``, in a module of their own."""

    def __init__(self, size: int, used: int):
        self.size, self.used = size, used
        members = {"requests": In(used), "before": Out(len(pairs(used)))}
        super().__init__(f"first_of_the_cycle_{used}_of_{size}", {**members, "beaten": Out(used), "chosen": Out(used)})

    def elaborate(self, platform):
        m: Any = Module()
        order = instantiate(m, platform, "order", CycleOrder(self.size, self.used))
        first = FirstOf(m, list(self.requests), range(self.used), order.before, "input")
        m.d.comb += [
            self.before.eq(order.before),
            self.beaten.eq(concat(first.lost_arbitration)),
            self.chosen.eq(concat(first.chosen)),
        ]
        return m


def cycle_order_claims(size: int, used: int) -> Describe:
    """Claims about the first ones of some numbers in an order."""

    def describe(claims: Claims) -> None:
        part = FirstOfTheCycle(size, used)
        claims.free_inputs(part)
        inside = Inside(claims, part)
        phases = CyclePhases(claims, [size])
        requests, chosen = part.requests, part.chosen
        order = phases.before(claims, size, range(used), "order")
        claims.always("the pairs encode the order of the cycle", part.before == order)
        claims.always("only a requester is chosen", ~(chosen & ~requests).any())
        claims.always("at most one is chosen", at_most_one(chosen))
        claims.always("a requester is chosen if there are requests", chosen.any() | ~requests.any())
        claims.always(
            "a request that is not chosen has lost arbitration", (requests & part.beaten) == (requests & ~chosen)
        )
        _prove_first(claims, phases, part)
        phases.tie(claims, inside, size, "order")
        firsts = phases.first(size, range(used))
        passed = [phases.passed(lambda phase, i=i: firsts[phase] == i) for i in range(used)]
        claims.possible("the longest wait", bound_phases_waited(claims, phases, passed, requests, chosen, WAIT_BOUND))

    return describe


def _prove_first(claims: Claims, phases: CyclePhases, part: Any) -> None:
    """A requester is chosen if those before it, in the list of ``topology``, do not request."""
    for i, first in enumerate(first_of_the_cycle(phases, part.size, range(part.used), part.requests)):
        claims.always(FIRST_OF_THE_CYCLE, part.chosen[i] == first)


def first_of_the_cycle(phases: CyclePhases, size: int, members: Sequence[int], requests: Any) -> list[Value]:
    """By requester: it requests, and none before it does."""
    found = []
    for i, member in enumerate(members):
        rows = []
        for phase in range(phases.count):
            order = phases.order(size, phase)
            earlier = order[: order.index(member)]
            rows.append(sum(1 << j for j, other in enumerate(members) if other in earlier))
        rivals = phases.by_phase(rows, len(members)) & requests
        found.append(Value.cast(requests[i] & ~rivals.any()))
    return found


def bound_phases_waited(
    claims: Claims, phases: CyclePhases, most: list[list[int]], requests: Any, chosen: Any, name: str
) -> Value:
    """Successive cycles in which any one requester was not granted."""
    longest = max(map(max, most))
    bits = longest.bit_length() + 1
    me: Any = claims.constant(max(1, (len(most) - 1).bit_length()), "requester")
    claims.assume(me < len(most))
    vain = claims.named(requests.bit_select(me, 1) & ~chosen.bit_select(me, 1), "requests_in_vain")
    waited: Any = Signal(bits, name="waited_cycles")
    claims.m.d.sync += waited.eq(Mux(vain, waited + (waited <= longest), 0))
    claims.always(name, ~vain | (waited < longest))
    for i, row in enumerate(most):
        cap = phases.by_phase(row, bits)
        claims.invariant("waiting brings the turn nearer", (me != i) | (waited <= cap))
    return chosen.bit_select(me, 1) & (waited == longest)


# RandomOrder: its pairs encode the random order of topology, which is tested for fairness.

SAYS_THE_ORDER = "the pairs say the random order"


class RandomReference:
    """A random order, as a list of numbers, that takes its steps from tables made with ``next_random_order``.

    row: The first number first.
    state: Of the shift register.
    """

    def __init__(self, claims: Claims, count: int, step: Any):
        numbers = list(range(count))
        bits = (count - 1).bit_length()
        self.row: list[Any] = [Signal(range(count), init=k, name=f"random_{k}") for k in numbers]
        self.state: Any = Signal(STATE_BITS, init=ORDER_SEED, name="random_state")
        # new place of a number, by the deciding bit; the register's step is linear
        tables = [next_random_order(numbers, bit)[0] for bit in (0, 1)]
        packed = [sum(number << bits * k for k, number in enumerate(table)) for table in tables]
        table = Mux(self.state[0], *(Const(row, bits * count) for row in reversed(packed)))
        columns = [next_random_order(numbers, 1 << bit)[1] for bit in range(STATE_BITS)]
        shifted: Any = Const(0, STATE_BITS)
        for bit, column in enumerate(columns):
            shifted = shifted ^ Mux(self.state[bit], column, 0)
        with claims.m.If(step):
            claims.m.d.sync += self.state.eq(shifted)
            claims.m.d.sync += [number.eq(Value.cast(table).word_select(number, bits)) for number in self.row]
        for k, number in enumerate(self.row):
            others = concat(number == other for other in self.row[:k]).any() if k else Const(0)
            claims.invariant("the random order has each number once", (number < count) & ~others)

    def before(self, i: int, j: int) -> Value:
        """True if a number comes before another one."""
        after = [concat(other == j for other in self.row[k:]).any() for k in range(len(self.row))]
        return concat((number == i) & later for number, later in zip(self.row, after, strict=True)).any()

    def first_of(self, mask: Any) -> Value:
        """The first number of a mask, one-hot; 0 if there is none."""
        found: Any = Const(0, len(mask))
        for number in reversed(self.row):
            found = Mux(mask.bit_select(number, 1), Const(1, len(mask)) << number, found)
        return Value.cast(found)[: len(mask)]

    def tie(self, claims: Claims, inside: Inside, where: str | None = None) -> None:
        """The part's registers agree with it."""
        bits = concat(self.before(i, j) for i, j in pairs(len(self.row)))
        claims.invariant("the pairs encode the random order", inside.register("before", where) == bits)
        claims.invariant("the shift register is that of the order", inside.register("state", where) == self.state)


def random_order(count: int) -> Describe:
    """Claims about an order of some numbers."""

    def describe(claims: Claims) -> None:
        part = RandomOrder(count)
        claims.free_inputs(part)
        reference = RandomReference(claims, count, part.step)
        reference.tie(claims, Inside(claims, part))
        for k, (i, j) in enumerate(pairs(count)):
            claims.always(SAYS_THE_ORDER, part.before[k] == reference.before(i, j))
        claims.possible("the last number comes first", reference.row[0] == count - 1)

    return describe
