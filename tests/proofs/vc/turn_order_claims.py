"""Claims about ``TurnOrder``: one of those who request, the first one from the turn on, and nobody waits for long."""

from itertools import combinations
from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.common.part import Part
from rtl.common.selection import concat
from rtl.common.vc.turn_order import TurnOrder
from tests.proofs.claims import Claims, Describe, at_most_one
from tests.proofs.common.arbiter_claims import bound_waiting, distance, following_turn
from tests.proofs.inside import Inside

FIRST = "the first one from the turn on is chosen"


class TurnOrderAlone(Part):
    """A ``TurnOrder`` in a module of its own.

    Members
    -------
    requests : In(count)
    step : In(1)
    beaten, chosen : Out(count)
    values : In(count)
        A bit for each requester.
    selected : Out(1)
    """

    def __init__(self, count: int):
        self.count = count
        members = {"requests": In(count), "beaten": Out(count), "chosen": Out(count)}
        super().__init__(f"turn_order_{count}", {**members, "step": In(1), "values": In(count), "selected": Out(1)})

    def elaborate(self, _platform):
        m: Any = Module()
        order = TurnOrder(m, list(self.requests), "order", self.step)
        m.d.comb += [
            self.beaten.eq(concat(order.beaten)),
            self.chosen.eq(concat(order.chosen)),
            self.selected.eq(order.select(list(self.values))),
        ]
        return m


def turn_order(count: int) -> Describe:
    """Claims about some number of requesters."""

    def describe(claims: Claims) -> None:
        part = TurnOrderAlone(count)
        claims.free_inputs(part)
        inside = Inside(claims, part)
        requests, chosen = part.requests, part.chosen
        turn = reference_turn(claims, requests, part.step, count)
        claims.always("only who requests is chosen", ~(chosen & ~requests).any())
        claims.always("at most one is chosen", at_most_one(chosen))
        claims.always("somebody is chosen if anybody requests", chosen.any() | ~requests.any())
        for i, first in enumerate(first_from(claims, requests, turn)):
            claims.always(FIRST, chosen[i] == first)
        claims.always("who requests and is not chosen is beaten", (requests & part.beaten) == (requests & ~chosen))
        value = (part.values & chosen).any()
        claims.always("the value of the chosen one is selected", ~chosen.any() | (part.selected == value))
        tie_order(claims, inside, "order", turn, count)
        claims.possible("the last one is chosen while all request", chosen[-1] & requests.all())
        bound_waiting(claims, requests, chosen, turn, part.step)

    return describe


def reference_turn(claims: Claims, requests: Any, step: Any, count: int) -> Signal:
    """The requester after the one that was last chosen in a cycle with ``step``."""
    turn: Any = Signal(range(count), name="reference_turn")
    claims.m.d.sync += turn.eq(Mux(step, following_turn(claims, requests, turn, count), turn))
    claims.invariant("the turn is somebody's", turn < count)
    return turn


def first_from(claims: Claims, requests: Any, turn: Any) -> list[Any]:
    """Who requests, and has nobody before it from the turn on, by requester."""
    count, found = len(requests), []
    for i in range(count):
        before = [requests[j] & (distance(turn, j, count) < distance(turn, i, count)) for j in range(count)]
        found.append(claims.named(requests[i] & ~concat(before).any(), f"first_{i}"))
    return found


def tie_order(claims: Claims, inside: Inside, name: str, turn: Any, count: int, where: str | None = None) -> None:
    """The bits of the pairs stand for the turn."""
    for j in range(count):
        for i in range(j):
            first = distance(turn, i, count) < distance(turn, j, count)
            bit = inside.register(f"{name}_{i}_before_{j}", where)
            claims.invariant("the bits of the pairs stand for the turn", bit == first)


def tie_one_after_the_other(claims: Claims, inside: Inside, name: str, count: int, where: str | None = None) -> None:
    """The bits of the pairs go round no circle: of any three requesters one comes first."""
    for i, j, k in combinations(range(count), 3):
        bits = [inside.register(f"{name}_{a}_before_{b}", where) for a, b in ((i, j), (j, k), (i, k))]
        circle = (bits[0] & bits[1] & ~bits[2]) | (~bits[0] & ~bits[1] & bits[2])
        claims.invariant("requesters come one after the other", ~circle)
