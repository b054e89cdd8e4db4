"""Claims about arbiters, the ages of requests, and the crossbar."""

from itertools import combinations
from typing import Any

from amaranth.hdl import Mux, Signal, Value

from rtl.parts.arbiter import AgeMatrix, PairwiseArbiter, RoundRobinArbiter
from rtl.parts.crossbar import ReplicatingCrossbar
from rtl.parts.selection import concat
from tests.proofs.claims import Claims, Describe, Inside, at_most_one
from tests.proofs.links import prove_link_rules

# AgeMatrix: one order of all members, by their last entry.


def age_matrix(count: int) -> Describe:
    """Claims about the ages of some number of members."""

    def describe(claims: Claims) -> None:
        ages = AgeMatrix(count)
        claims.free_inputs(ages)
        Inside(claims, ages)
        claims.assume(at_most_one(ages.enter))
        members = range(count)
        older = [[claims.named(ages.older[i][j], f"older_{i}_{j}") for j in members] for i in members]
        for i in members:
            claims.always("no request is older than itself", ~older[i][i])
            for j in range(count):
                if i == j:
                    continue
                claims.always("of two members exactly one is older", older[i][j] ^ older[j][i])
                entered_last = claims.was(ages.enter[j], f"enter_{i}_{j}")
                claims.always("a request that enters is the youngest of all", ~entered_last | older[i][j])
                unchanged = ~claims.was(ages.enter[i] | ages.enter[j], f"either_{i}_{j}")
                before = claims.was(older[i][j], f"older_{i}_{j}")
                kept = ~unchanged | ~_started(claims) | (older[i][j] == before)
                claims.always("an entry changes nothing between the others", kept)
                for k in members:
                    transitive = ~(older[i][j] & older[j][k]) | older[i][k]
                    claims.always("the ages are one order of all", transitive)
        claims.possible("the order is reversed", concat(older[i + 1][i] for i in range(count - 1)).all())

    return describe


def _started(claims: Claims) -> Any:
    """False in the first cycle only."""
    return claims.was(1, "started")


# RoundRobinArbiter: one eligible request, each in its turn, with a bounded wait.

WAIT_BOUND = "a request that stays eligible is granted within count cycles"


def round_robin(count: int, *, pairwise: bool = False) -> Describe:
    """Claims about an arbiter for some number of requesters."""

    def describe(claims: Claims) -> None:
        arbiter = PairwiseArbiter(count) if pairwise else RoundRobinArbiter(count)
        claims.free_inputs(arbiter)
        inside = Inside(claims, arbiter)
        eligible, chosen = arbiter.eligible, arbiter.chosen
        turn = reference_turn(claims, eligible, count)

        claims.always("only the eligible are chosen", ~(chosen & ~eligible).any())
        claims.always("at most one is chosen", at_most_one(chosen))
        claims.always("a request is chosen if any is eligible", chosen.any() | ~eligible.any())
        for i in range(count):
            before_i = [eligible[j] & (distance(turn, j, count) < distance(turn, i, count)) for j in range(count)]
            first = claims.named(eligible[i] & ~concat(before_i).any(), f"first_{i}")
            claims.always("the first one from the turn on is chosen", chosen[i] == first)
        tie_turn(claims, inside, turn, count, pairwise=pairwise)
        bound_waiting(claims, eligible, chosen, turn)

    return describe


def tie_turn(
    claims: Claims, inside: Inside, turn: Any, count: int, instance: str | None = None, *, pairwise: bool
) -> None:
    """Tie the registers of an arbiter to the turn."""
    if pairwise:
        for i in range(count):
            for j in range(i + 1, count):
                wraps = inside.register(f"wraps_{i}_{j}", instance)
                claims.invariant("pairs encode the turn", wraps == (i < turn) & (turn <= j))
        return
    later = concat((turn != 0) & (turn <= i) for i in range(1, count))
    claims.invariant("the mask encodes the turn", inside.register("later", instance) == later)


def tie_pairs(claims: Claims, inside: Inside, count: int, instance: str) -> None:
    """Tie the registers of a ``PairwiseArbiter`` to each other: the turn is between two requesters at most."""
    for i, j, k in combinations(range(count), 3):
        first, second, both = (inside.register(f"wraps_{a}_{b}", instance) for a, b in ((i, j), (j, k), (i, k)))
        claims.invariant("pairs encode one turn", (both == first | second) & ~(first & second))


def reference_turn(claims: Claims, eligible: Any, count: int) -> Signal:
    """The requester after the one that was last chosen, which is the first eligible one from the turn on."""
    turn: Any = Signal(range(count), name="reference_turn")
    claims.m.d.sync += turn.eq(following_turn(claims, eligible, turn, count))
    claims.invariant("the turn is a requester's", turn < count)
    return turn


def following_turn(claims: Claims, eligible: Any, turn: Any, count: int) -> Any:
    """The requester after the first eligible one from the turn on; the turn itself if none is eligible."""
    following: Any = turn
    for steps in reversed(range(count)):
        candidate = claims.named(_modulo(turn + steps, count), f"candidate_{steps}")
        following = Mux(eligible.bit_select(candidate, 1), _modulo(candidate + 1, count), following)
    return following


def _modulo(number: Any, count: int) -> Any:
    """A number below ``2 * count``, less ``count`` if need be."""
    return Mux(number >= count, number - count, number)


def distance(turn: Any, requester: Any, count: int) -> Any:
    """Cyclic distance of a requester from the turn."""
    return Mux(turn <= requester, requester - turn, requester + count - turn)


def bound_waiting(claims: Claims, eligible: Any, chosen: Any, turn: Any, step: Any = 1) -> None:
    """Successive cycles in which any one requester was eligible without a grant."""
    count = len(eligible)
    me: Any = claims.constant((count - 1).bit_length(), "requester")
    claims.assume(me < count)
    mine = claims.named(eligible.bit_select(me, 1), "requester_is_eligible")
    served = claims.named(chosen.bit_select(me, 1), "requester_is_chosen")
    waited: Any = Signal(range(count + 2), name="waited_cycles")
    claims.m.d.sync += waited.eq(Mux(mine & ~served, waited + (step & (waited <= count)), 0))
    claims.always(WAIT_BOUND, ~(mine & ~served & step) | (waited < count - 1))
    claims.invariant("waiting brings the turn nearer", (waited == 0) | (waited + distance(turn, me, count) < count))
    claims.possible("the longest wait", served & (waited == count - 1))


# ReplicatingCrossbar: each output shows exactly the loaded flit, until it moves.

FLIT_BITS = 8


def crossbar(inputs: int, outputs: int) -> Describe:
    """Claims about a crossbar of some size."""

    def describe(claims: Claims) -> None:
        part = ReplicatingCrossbar(FLIT_BITS, inputs, outputs)
        claims.free_inputs(part)
        Inside(claims, part)
        for o in range(outputs):
            link, load, select = part.links[o], part.load[o], part.select[o]
            claims.assume(~load | part.free[o])
            claims.assume(~load | select.any() & at_most_one(select))
            prove_link_rules(claims, link, f"link_{o}")
            claims.always("free means empty or being emptied", part.free[o] == ~link.valid | link.ready)
            flit, occupied = _reference_register(claims, part, o)
            claims.always("valid is high from the load until the flit moves", link.valid == occupied)
            unaltered = Value.cast(link.payload) == flit
            claims.always("the flit is that of the selected input", ~occupied | unaltered)
        _possibilities(claims, part, inputs, outputs)

    return describe


def _reference_register(claims: Claims, part: Any, o: int) -> tuple[Any, Any]:
    """The flit last loaded into output o, and a bit that it has not moved yet."""
    link = part.links[o]
    chosen: Any = Value.cast(part.flits[0])
    for i in range(1, part.inputs):
        chosen = Mux(part.select[o][i], Value.cast(part.flits[i]), chosen)
    flit: Any = Signal(len(chosen), name=f"reference_flit_{o}")
    occupied: Any = Signal(name=f"reference_occupied_{o}")
    claims.m.d.sync += [flit.eq(Mux(part.load[o], chosen, flit)), occupied.eq(part.load[o] | occupied & ~link.ready)]
    return flit, occupied


def _possibilities(claims: Claims, part: Any, inputs: int, outputs: int) -> None:
    together = part.load.all() & (part.select[0] == 1)
    for o in range(1, outputs):
        together = together & (part.select[o] == 1)
    claims.possible("one flit goes to all outputs", together)
    link = part.links[outputs - 1]
    claims.possible("a flit follows another at once", link.valid & link.ready & part.load[outputs - 1])
    claims.possible("the last input is selected", part.load[0] & part.select[0][inputs - 1])
