"""Claims about ``RoundRobinArbiter``: one eligible request, each in its turn, with a bounded wait."""

from typing import Any

from amaranth.hdl import Mux, Signal

from rtl.parts.arbiter import RoundRobinArbiter
from rtl.parts.selection import concat
from tests.proofs.claims import Claims, Describe, at_most_one
from tests.proofs.inside import Inside

WAIT_BOUND = "a request that stays eligible is granted within count cycles"


def round_robin(count: int) -> Describe:
    """Claims about an arbiter for some number of requesters."""

    def describe(claims: Claims) -> None:
        arbiter = RoundRobinArbiter(count)
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
        later = concat((turn != 0) & (turn <= i) for i in range(1, count))
        claims.invariant("the mask encodes the turn", inside.register("later") == later)
        bound_waiting(claims, eligible, chosen, turn)

    return describe


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
    """Successive cycles in which any one requester was eligible without a grant.

    Parameters
    ----------
    claims : Claims
    eligible, chosen : Value
        One bit for each requester.
    turn : Value
    step : Value
        Cycles in which what is chosen counts; only these are counted.
    """
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
