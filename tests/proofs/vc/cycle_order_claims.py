"""Claims about ``CycleOrder`` and ``FirstOf``: the orders of ``topology``, with a bounded wait."""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from rtl.parts.part import Part, instantiate
from rtl.parts.selection import concat
from rtl.vc.cycle_order import CycleOrder, FirstOf, pairs
from tests.proofs.claims import Claims, Describe, at_most_one
from tests.proofs.inside import Inside
from tests.proofs.vc.cycle_reference import CyclePhases

FIRST = "the first one in the order of the cycle is chosen"
WAIT_BOUND = "a request that persists is chosen before all orders have been"


class FirstOfTheCycle(Part):
    """``CycleOrder`` and ``FirstOf``, in a module of their own.

    Members
    -------
    requests : In(used)
    before : Out(pairs)
    beaten, chosen : Out(used)
    """

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
            self.beaten.eq(concat(first.beaten)),
            self.chosen.eq(concat(first.chosen)),
        ]
        return m


def cycle_order(size: int, used: int) -> Describe:
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
        claims.possible("the longest wait", bound_waiting(claims, phases, passed, requests, chosen, WAIT_BOUND))

    return describe


def _prove_first(claims: Claims, phases: CyclePhases, part: Any) -> None:
    """A requester is chosen if those before it, in the list of ``topology``, do not request."""
    for i, first in enumerate(first_of_the_cycle(phases, part.size, range(part.used), part.requests)):
        claims.always(FIRST, part.chosen[i] == first)


def first_of_the_cycle(phases: CyclePhases, size: int, members: Sequence[int], requests: Any) -> list[Value]:
    """By requester: it requests, and none before it does.

    Parameters
    ----------
    phases : CyclePhases
    size : int
        Of the order.
    members : sequence of int
        The number of each requester in the order.
    requests : Value
        A bit of each.
    """
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


def bound_waiting(
    claims: Claims, phases: CyclePhases, most: list[list[int]], requests: Any, chosen: Any, name: str
) -> Value:
    """Successive cycles in which any one requester was not granted.

    Parameters
    ----------
    claims : Claims
    phases : CyclePhases
    most : list of list of int
        By requester and phase: how many such cycles there can have been.
    requests, chosen : Value
        One bit for each requester.
    name : str
        Of the property.

    Returns
    -------
    Value
        It is chosen after the longest wait.
    """
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
