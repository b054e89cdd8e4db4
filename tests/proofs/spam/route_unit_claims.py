"""Claims about ``RouteUnit``: enqueues are atomic, every input gets its turn, requests are what the notes say."""

from typing import Any

from amaranth.hdl import Const, Mux, Signal

from rtl.common.header_decoder import note_layout
from rtl.common.route_unit import RouteUnit
from rtl.common.selection import concat, lowest_one
from rtl.spam.parameters import CLASS_BITS, CLASSES, SpamRouterParameters
from tests.proofs.claims import Claims, Describe, at_most_one
from tests.proofs.common.arbiter_claims import bound_waiting, reference_turn
from tests.proofs.inside import Inside
from tests.proofs.spam.header_notes import prove_notes
from topology.common.flits import HeaderFormat

PORTS = 3
HEADERS = {
    "one-flit": HeaderFormat((("lca", 2),), 3, 8),
    "three-flit": HeaderFormat((("lca", 2), ("source", 2)), 17, 8),
    "two-flit-key": HeaderFormat((("lca", 10), ("source", 2)), 10, 8),
}
"""Header formats by what is special about them."""


class ReferenceScanner:
    """Collects the outputs for the worm at one input, from the notes that the route unit looks at.

    Members
    -------
    there : Signal
        Whether there is a flit to look at: in the buffer, or on its way in.
    looked_at, last : Signal
        The route unit looks at it; it is the last one of a header.
    queued, request : Signal
        What must stand in the queues.
    """

    def __init__(self, claims: Claims, unit: Any, i: int, busy: Any):
        m, p = claims.m, unit.parameters
        self.queued: Any = Signal(name=f"reference_queued_{i}")
        self.request: Any = Signal(p.ports, name=f"reference_request_{i}")
        arriving = unit.arriving_valid[i] if p.looks_ahead else Const(0)
        self.there = claims.named(unit.buffered_valid[i] | arriving, f"there_{i}")
        self.looked_at = unit.looked_at[i]
        packed = Mux(unit.buffered_valid[i], unit.buffered_note[i], unit.arriving_note[i])
        note: Any = note_layout(p)(claims.named(packed, f"note_{i}"))
        self.last = note.last
        unused = claims.named(note.candidates & ~busy, f"unused_{i}")
        port = Mux(unused.any(), lowest_one(unused), lowest_one(note.candidates))
        split = self.request | note.branches
        requested = claims.named(Mux(note.candidates.any(), port, split), f"requested_{i}")
        # a header leads somewhere: the static check of the tables promises it
        claims.assume(~(self.looked_at & self.last) | requested.any())
        with m.If(self.looked_at):
            m.d.sync += [self.request.eq(requested), self.queued.eq(self.last)]
        with m.If(unit.release[i]):
            m.d.sync += [self.request.eq(0), self.queued.eq(0)]


def route_unit(header: str, routing_cycles: int) -> Describe:
    """Claims about a route unit of three ports, for one of the header formats."""

    def describe(claims: Claims) -> None:
        vertices = 1 << min(2, HEADERS[header].fields[0][1])
        p = SpamRouterParameters(PORTS, vertices, HEADERS[header], routing_cycles=routing_cycles)
        unit: Any = RouteUnit(p)
        claims.free_inputs(unit)
        inside = Inside(claims, unit)
        for table in (unit.routes, unit.port_class, unit.reach):
            claims.never_changes(table)
        for i in range(p.ports):
            claims.assume(unit.port_class.word_select(i, CLASS_BITS) < CLASSES)
        claims.assume(~(unit.release & ~unit.queued).any())
        busy = [Mux(unit.queued[i], unit.request[i], 0) for i in range(p.ports)]
        requested = claims.named(busy[0] | busy[1] | busy[2], "requested_by_the_queued")
        scanners = [ReferenceScanner(claims, unit, i, requested) for i in range(p.ports)]
        _prove_enqueues(claims, unit, scanners)
        _prove_fairness(claims, inside, unit, scanners)
        prove_notes(claims, inside, unit)
        claims.possible("three inputs are queued", unit.queued.all())
        claims.possible("a multicast to two outputs", unit.queued[0] & unit.request[0][:2].all())

    return describe


def _prove_enqueues(claims: Claims, unit: Any, scanners: list[ReferenceScanner]) -> None:
    claims.always("one header flit is looked at per cycle", at_most_one(unit.looked_at))
    claims.always("one header enqueues per cycle", at_most_one(unit.completed))
    for i, scanner in enumerate(scanners):
        claims.always("only a flit that is there is looked at", ~scanner.looked_at | scanner.there & ~unit.queued[i])
        complete = scanner.looked_at & scanner.last
        claims.always("a request is complete with the last header flit", unit.completed[i] == complete)
        claims.always("a request stands from its completion to its release", unit.queued[i] == scanner.queued)
        claims.always("all outputs of a header stand at once", ~unit.queued[i] | (unit.request[i] == scanner.request))
        claims.always("a queued request has an output", ~unit.queued[i] | unit.request[i].any())
        claims.invariant("outputs are collected as in the reference", unit.request[i] == scanner.request)


def _prove_fairness(claims: Claims, inside: Inside, unit: Any, scanners: list[ReferenceScanner]) -> None:
    waiting = concat(scanner.there & ~unit.queued[i] for i, scanner in enumerate(scanners))
    eligible = claims.named(waiting, "eligible")
    turn = reference_turn(claims, eligible, len(scanners))
    later = concat((turn != 0) & (turn <= i) for i in range(1, len(scanners)))
    claims.invariant("the mask stands for the turn", inside.register("later", "arbiter") == later)
    bound_waiting(claims, eligible, unit.looked_at, turn)
