"""Reference model of election, pick and random order, by docs/look_up/timing_hypercube.md."""

from typing import Any

from amaranth.hdl import Const, Mux, Signal, Value

from rtl.parts.selection import concat, either
from rtl.vc.cycle_order import pairs
from tests.proofs.claims import Claims
from tests.proofs.hypercube.allocator_contract import escape_of, free_outputs
from tests.proofs.vc.random_order_claims import RandomReference


def first_one(requests: Any, before: Any) -> Value:
    """Of some requesters the one that comes before all others that request, one-hot."""
    position = {pair: k for k, pair in enumerate(pairs(len(requests)))}

    def comes_first(i: int, j: int) -> Any:
        return before[position[i, j]] if i < j else ~before[position[j, i]]

    numbers = range(len(requests))
    beaten = [concat(requests[j] & comes_first(j, i) for j in numbers if j != i).any() for i in numbers]
    return concat(requests[i] & ~beaten[i] for i in numbers)


class AllocatorReference:
    """The leader of the election, and its pick.

    Parameters
    ----------
    claims : Claims
    part : HeadAllocator

    Members
    -------
    picker : Signal
        The lane that has picked in the last cycle, one-hot or 0.
    picked : Signal
        The output that it has picked, one-hot or 0.
    escapes : Signal
        It has picked the escape lane.
    random : RandomReference or None
        None with a single dimension.
    """

    def __init__(self, claims: Claims, part: Any):
        p = self._parameters = part.parameters
        self._part = part
        outputs, lanes = len(p.output_lanes), len(part.asking)
        leader: Any = Signal(lanes, name="reference_leader")
        wanted = [row & leader[lane].replicate(outputs) for lane, row in enumerate(part.wanted)]
        asked: Any = claims.named(either(wanted), "leader_wants")
        usable: Any = claims.named(asked & free_outputs(part), "leader_can_have")
        ways = usable[: p.dimensions]
        chose = claims.was(ways.any(), "leader_has_chosen")
        self.random = RandomReference(claims, p.dimensions, chose) if p.dimensions > 1 else None
        first = self.random.first_of(ways) if self.random else ways
        own = Mux(usable.any(), concat((first, usable[p.delivery])), escape_of(part, asked))
        self.picker: Any = Signal(lanes, name="picker")
        self.picked: Any = Signal(outputs, name="picked")
        self.escapes: Any = Signal(name="picked_an_escape")
        claims.m.d.sync += [
            leader.eq(self._elected(claims)),
            self.picker.eq(leader),
            self.picked.eq(own),
            self.escapes.eq(~usable.any() & int(p.has_escapes)),
        ]

    def _elected(self, claims: Claims) -> Value:
        """The first lane of the cycle of the first input of the cycle."""
        part, spans = self._part, self._parameters.spans
        ports = claims.named(concat(part.asking[low:high].any() for low, high in spans), "ports_that_ask")
        first = claims.named(first_one(ports, part.before), "first_port")
        rows = []
        for port, (low, high) in enumerate(spans):
            asking = part.asking[low:high]
            lane = first_one(asking, part.lane_before) if high - low > 1 else asking
            rows.append(lane & first[port].replicate(high - low))
        return concat(rows)

    def free_escape(self, escape: Any) -> Value:
        """True if the escape channel of an output is free."""
        p = self._parameters
        return (escape[: p.dimensions] & self._part.free_escapes).any() if p.has_escapes else Value.cast(Const(0))
