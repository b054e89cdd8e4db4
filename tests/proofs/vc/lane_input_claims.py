"""Claims about ``LaneInput``: flits leave a lane once, in order, and only for the lane of their worm."""

from typing import Any

from amaranth.hdl import Mux, Signal, Value

from rtl.parts.selection import concat
from rtl.vc.lane_input import LaneInput
from rtl.vc.parameters import InputShape
from tests.proofs.claims import Claims, Describe, at_most_one, started
from tests.proofs.common.links import assume_link_rules
from tests.proofs.inside import Inside
from tests.proofs.vc.lane_reference import LaneReference, LastCycle, lanes_of, pops, tie_lanes
from tests.proofs.vc.turn_order_claims import tie_one_after_the_other

FLIT_BITS = 8
ONE_CREDIT = "every grant gives one credit back"


def lane_input(
    lanes: int, depth: int, routing_cycles: int = 1, *, from_host: bool = False, several_ways: bool = True
) -> Describe:
    """Claims about an input that leads to an output with two lanes and to one with one lane."""

    def describe(claims: Claims) -> None:
        shape = InputShape(FLIT_BITS, lanes, depth, routing_cycles, from_host, several_ways, (2, 1))
        part = LaneInput(shape)
        claims.free_inputs(part)
        inside = Inside(claims, part)
        _assume_neighbours(claims, part)
        last = LastCycle(claims, part, "last")
        rows = lanes_of(claims, inside, part)
        left = claims.named(concat(row.left for row in rows), "left")
        claims.always(ONE_CREDIT, at_most_one(left) & (~last.granted | left.any()))
        requests = claims.named(part.requests.any(), "has_a_request")
        claims.always("a request is for one output lane at most", ~requests | at_most_one(part.good))
        for (low, high), asked in zip(shape.spans, part.requests, strict=True):
            elsewhere = requests & ~asked
            claims.always("a request for a lane is one for its output", ~elsewhere | ~part.good[low:high].any())
        claims.always("a request is for one output at most", at_most_one(part.requests))
        lost = claims.was(part.lost.any(), "has_lost")
        way = inside.register("request_way")
        kept = (part.requests == claims.was(part.requests, "last_requests")) & (way == claims.was(way, "last_way"))
        same = (Value.cast(part.flit) == last.flit) & kept
        claims.always("a request that has lost stays", ~lost | same)
        dropped = claims.was(part.requests.any() & ~part.good.any() & ~part.lost.any(), "is_dropped")
        claims.possible("a request is dropped, and another lane requests", dropped & (part.requests != 0))
        for v, row in enumerate(rows):
            _prove_lane(claims, part, row, last, v)
        if from_host:
            assume_link_rules(claims, part.link, "link")
            ready = (rows[0].held_now < depth) & started(claims)
            claims.always("ready shows whether a place is free", part.link.ready == ready)
        tie_lanes(claims, inside, part, rows)
        _bound_waiting(claims, inside, part, rows)
        claims.possible("all lanes are full", concat(row.queue.held == depth for row in rows).all())
        claims.possible("a flit behind the head is granted", last.granted & rows[0].left & rows[0].begun)

    return describe


def _assume_neighbours(claims: Claims, part: Any) -> None:
    """Only a request loses; a link carries one flit at a time."""
    claims.assume(~(part.lost & ~part.requests).any())
    claims.assume(at_most_one(part.link.valid))
    if not part.shape.several_ways:
        claims.assume(at_most_one(part.ways))


def _prove_lane(claims: Claims, part: Any, row: LaneReference, last: LastCycle, v: int) -> None:
    if not part.shape.from_host:
        row.assume_room(claims)
    claims.always("a credit comes back only for a flit that is there", ~row.left | (row.queue.held != 0))
    first = row.queue.row[0]
    moved = claims.named(row.left & last.granted, f"moved_{v}")
    unaltered = last.flit == Value.cast(row.flit(first))
    claims.always("flits leave unaltered in the order of their lane", ~moved | unaltered)
    allowed = row.ways(first) & last.can_start
    claims.always(
        "a head requests only an available route candidate", ~moved | row.begun | ~(last.good & ~allowed).any()
    )
    goes_on = (last.good == row.own) & ~(last.good & ~last.has_credit).any()
    claims.always("a flit behind the head requests the lane of its worm", ~moved | ~row.begun | goes_on)
    claims.always("a worm is drained if and only if it is unroutable", ~row.left | (last.granted == ~row.nowhere))
    dropped = row.left & ~row.begun & row.nowhere
    claims.always("discarding marks unroutable heads", part.discarding[v] == dropped)
    claims.possible("an unroutable worm is drained", dropped & ~row.flit(first).tail)


def _bound_waiting(claims: Claims, inside: Inside, part: Any, rows: list[LaneReference]) -> None:
    """With free output lanes and no rivals flits leave after one cycle, or as soon as the head may request."""
    routing_cycles = part.shape.routing_cycles
    most = max(1, routing_cycles - 1)
    popped = claims.named(pops(inside, part), "popped")
    there = concat(row.held_now != 0 for row in rows).any()
    usable = concat((part.has_credit, part.can_start, part.may_send, part.may_start)).all()
    good = usable & ~part.lost.any()
    vain = claims.named(there & good & ~popped, "waits_in_vain")
    waited: Any = Signal(range(most + 2), name="waited_cycles")
    claims.m.d.sync += waited.eq(Mux(vain, waited + (waited <= most), 0))
    claims.always("a flit that could leave does so after one cycle, or after routing", ~vain | (waited < most))
    claims.possible("the longest wait", ~vain & (waited == most))
    _tie_waiting(claims, inside, rows, waited, most, routing_cycles - 2)


def _tie_waiting(claims: Claims, inside: Inside, rows: list[LaneReference], waited: Any, most: int, delay: int) -> None:
    ready = []
    for v, row in enumerate(rows):
        counted: Any = 1
        if delay > 0:
            passed = inside.register(f"delay_{v}")
            claims.invariant("the delay ends", passed <= delay)
            counted = passed >= Mux(waited < delay, waited, delay)
        may = row.begun_now | counted
        ready.append((row.held_now != 0) & may)
    claims.invariant("waiting brings a lane nearer to asking", (waited == 0) | concat(ready).any())
    asks = inside.register("request_lane").any()
    claims.invariant("a lane requests in the end", (waited < most) | asks)
    tie_one_after_the_other(claims, inside, "lane", len(rows))
