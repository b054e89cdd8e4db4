"""Claims about ``RoundRobinSelector``: the first requester from the turn on, with a bounded wait."""

from itertools import combinations
from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.parts.part import Part
from rtl.parts.selection import concat
from rtl.vc.turn_order import RoundRobinSelector
from tests.proofs.claims import Claims, Describe, at_most_one
from tests.proofs.common.arbiter_claims import bound_waiting, distance, following_turn
from tests.proofs.inside import Inside

FIRST = "the first one from the turn on is chosen"


class TurnOrderAlone(Part):
    """A ``RoundRobinSelector`` in a module of its own.

    Members
    -------
    requests : In(count)
    step : In(1)
    beaten, chosen : Out(count)
    values : In(count)
        A bit for each requester.
    selected : Out(1)
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
            self.beaten.eq(concat(order.beaten)),
            self.chosen.eq(concat(order.chosen)),
            self.selected.eq(order.select(list(self.values))),
        ]
        return m


def turn_order(count: int, yielding: int = 0) -> Describe:
    """Claims about some number of requesters, the last of which come after all others."""

    def describe(claims: Claims) -> None:
        part = TurnOrderAlone(count, yielding)
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
