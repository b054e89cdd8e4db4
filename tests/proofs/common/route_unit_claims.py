"""Claims about ``RouteUnit``: enqueues are atomic, every input gets its turn, requests follow the headers."""

from typing import Any

from amaranth.hdl import Const, Mux, Signal

from rtl.generator.router_parameters import RouterParameters
from rtl.parts.selection import concat, lowest_one
from rtl.routed.header_decoder import decoded_layout
from rtl.routed.route_unit import RouteUnit
from tests.proofs.claims import Claims, Describe, at_most_one
from tests.proofs.common.arbiter_claims import bound_waiting, reference_turn
from tests.proofs.common.decoded_headers import prove_decoded
from tests.proofs.inside import Inside
from topology.common.flits import HeaderFormat
from topology.common.part_headers import PartsFormat

HEADERS = {
    "one-flit": HeaderFormat((("key", 2),), 3, 8),
    "three-flit": HeaderFormat((("key", 2), ("source", 2)), 17, 8),
    "spare-keys": HeaderFormat((("key", 3),), 3, 8),
    "two-flit-key": HeaderFormat((("key", 10), ("source", 2)), 10, 8),
    "parts": PartsFormat((("key", 4), ("source", 2)), 13, 8),
    "parts-two-flit-key": PartsFormat((("key", 10), ("source", 8)), 7, 8),
}
"""Header formats by their special property."""


class ReferenceScanner:
    """Collects the outputs for the worm at one input, from the header flits that the route unit processes.

    Members
    -------
    there : Signal
        Whether there is a flit to look at: in the buffer, or on its way in.
    looked_at, last : Signal
        The route unit looks at it; it is the last one of a header.
    requested : Signal
        The outputs that are then requested.
    queued, request : Signal
        Expected content of the queues.
    """

    def __init__(self, claims: Claims, unit: Any, i: int, busy: Any):
        m, p = claims.m, unit.parameters
        self.queued: Any = Signal(name=f"reference_queued_{i}")
        self.request: Any = Signal(p.outputs, name=f"reference_request_{i}")
        arriving = unit.arriving_valid[i] if p.looks_ahead else Const(0)
        self.there = claims.named(unit.buffered_valid[i] | arriving, f"there_{i}")
        self.looked_at = unit.looked_at[i]
        packed = Mux(unit.buffered_valid[i], unit.buffered_decoded[i], unit.arriving_decoded[i])
        decoded: Any = decoded_layout(p)(claims.named(packed, f"decoded_{i}"))
        self.last = decoded.last
        unused = claims.named(decoded.candidates & ~busy, f"unused_{i}")
        port = Mux(unused.any(), lowest_one(unused), lowest_one(decoded.candidates))
        split = self.request | decoded.branches
        self.requested: Any = claims.named(Mux(decoded.candidates.any(), port, split), f"requested_{i}")
        with m.If(self.looked_at):
            m.d.sync += [self.request.eq(self.requested), self.queued.eq(self.last)]
        with m.If(unit.release[i]):
            m.d.sync += [self.request.eq(0), self.queued.eq(0)]


def route_unit(parameters: RouterParameters) -> Describe:
    """Claims about the route unit of a router of some shape."""

    def describe(claims: Claims) -> None:
        p = parameters
        unit: Any = RouteUnit(p)
        claims.free_inputs(unit)
        inside = Inside(claims, unit)
        _assume_tables(claims, unit)
        claims.assume(~(unit.release & ~unit.queued).any())
        busy = claims.named(_requested_by_the_queued(unit), "requested_by_the_queued")
        scanners = [ReferenceScanner(claims, unit, i, busy) for i in range(p.inputs)]
        _prove_enqueues(claims, unit, scanners)
        if p.tells_branching:
            _prove_branching(claims, unit, scanners)
        _prove_fairness(claims, inside, unit, scanners)
        prove_decoded(claims, inside, unit)
        claims.possible("all inputs are queued", unit.queued.all())
        claims.possible("an unroutable header is queued", unit.queued[0] & ~unit.request[0].any())
        claims.possible("a multicast to two outputs", unit.queued[0] & unit.request[0][:2].all())

    return describe


def _assume_tables(claims: Claims, unit: Any) -> None:
    """Any constant tables; an input's class is one of those that there are."""
    p = unit.parameters
    for table in (unit.routes, unit.reach):
        claims.never_changes(table)
    if p.class_bits:
        claims.never_changes(unit.port_class)
        for i in range(p.inputs):
            claims.assume(unit.port_class.word_select(i, p.class_bits) < p.classes)


def _requested_by_the_queued(unit: Any) -> Any:
    requested: Any = 0
    for i in range(unit.parameters.inputs):
        requested = requested | Mux(unit.queued[i], unit.request[i], 0)
    return requested


def _prove_enqueues(claims: Claims, unit: Any, scanners: list[ReferenceScanner]) -> None:
    claims.always("one header flit is looked at per cycle", at_most_one(unit.looked_at))
    claims.always("one header enqueues per cycle", at_most_one(unit.completed))
    for i, scanner in enumerate(scanners):
        claims.always("only a flit that is there is looked at", ~scanner.looked_at | scanner.there & ~unit.queued[i])
        complete = scanner.looked_at & scanner.last
        claims.always("a request is complete with the last header flit", unit.completed[i] == complete)
        claims.always("a request is stable from its completion to its release", unit.queued[i] == scanner.queued)
        claims.always("all outputs of a header enqueue at once", ~unit.queued[i] | (unit.request[i] == scanner.request))
        claims.invariant("outputs are collected as in the reference", unit.request[i] == scanner.request)


def _prove_branching(claims: Claims, unit: Any, scanners: list[ReferenceScanner]) -> None:
    for i, scanner in enumerate(scanners):
        told = unit.branching[i] == ~at_most_one(scanner.requested)
        claims.always("branching marks a request with several outputs", ~unit.completed[i] | told)


def _prove_fairness(claims: Claims, inside: Inside, unit: Any, scanners: list[ReferenceScanner]) -> None:
    waiting = concat(scanner.there & ~unit.queued[i] for i, scanner in enumerate(scanners))
    eligible = claims.named(waiting, "eligible")
    turn = reference_turn(claims, eligible, len(scanners))
    later = concat((turn != 0) & (turn <= i) for i in range(1, len(scanners)))
    claims.invariant("the mask encodes the turn", inside.register("later", "arbiter") == later)
    bound_waiting(claims, eligible, unit.looked_at, turn)
