"""Claims about ``LaneOutput``: grants, one owner per lane, and the count of credits."""

from typing import Any

from amaranth.hdl import Mux, Signal, Value

from rtl.parts.selection import concat
from rtl.vc.lane_output import LaneOutput
from tests.proofs.claims import Claims, Describe, at_most_one
from tests.proofs.inside import Inside
from tests.proofs.vc.turn_order_claims import (
    FIRST,
    bound_waiting_of_others,
    first_from,
    reference_turn,
    rivals_of,
    tie_order,
)

FLIT_BITS = 8
OVERFLOW = "no lane gets more flits than its buffer holds"


def lane_output(inputs: int, lanes: int, depth: int, *, reuse_empty: bool = False, yielding: int = 0) -> Describe:
    """Claims about an output of some shape, see ``LaneOutput``."""

    def describe(claims: Claims) -> None:
        part = LaneOutput(FLIT_BITS, inputs, lanes, depth, reuse_empty=reuse_empty, yielding=yielding)
        claims.free_inputs(part)
        inside = Inside(claims, part)
        good = [part.requests[i].replicate(lanes) & part.good.word_select(i, lanes) for i in range(inputs)]
        rows = [claims.named(row, f"lanes_of_{i}") for i, row in enumerate(good)]
        # a request is granted if it is good, and has not lost
        granted = claims.named(concat(row.any() & ~part.lost[i] for i, row in enumerate(rows)), "granted")
        turn = _prove_grants(claims, part, granted, rows)
        tie_order(claims, inside, "input", turn, inputs, yielding)
        for w in range(lanes):
            _prove_lane(claims, inside, part, granted, rows, w)
        for row in rows:
            claims.assume(at_most_one(row))
        claims.possible("all inputs request one lane", concat(row[0] for row in rows).all())
        claims.possible("a lane has no credit, and worms in it", ~part.has_credit[0] & ~part.can_start[0])

    return describe


def _prove_grants(claims: Claims, part: Any, granted: Any, rows: list[Any]) -> Any:
    """Gives the turn."""
    requests = part.requests
    step = claims.named(granted.any(), "somebody_is_granted")
    rivals = rivals_of(claims, requests, part.yielding)
    turn = reference_turn(claims, rivals, step, part.inputs)
    first = claims.named(concat(first_from(claims, rivals, turn)), "first")
    claims.always(FIRST, part.lost == (requests & ~first))
    for i, row in enumerate(rows):
        mine = (part.load == row) & (Value.cast(part.flit) == Value.cast(part.flits[i]))
        claims.always("exactly the granted flit leaves", ~granted[i] | mine)
    claims.always("exactly the granted flit leaves", granted.any() | ~part.load.any())
    unbeaten = claims.named(requests & ~part.lost, "unbeaten")
    bound_waiting_of_others(claims, requests, unbeaten, turn, step, part.yielding)
    claims.possible("a first request is not good as another one is", ~step & concat(row.any() for row in rows).any())
    return turn


def _prove_lane(claims: Claims, inside: Inside, part: Any, granted: Any, rows: list[Any], w: int) -> None:
    """One lane: flits for which the credit has not come back, and the worm in it."""
    depth, m = part.depth, claims.m
    out: Any = Signal(range(depth + 2), name=f"out_{w}")
    begun, owner = Signal(name=f"begun_{w}"), Signal(range(part.inputs), name=f"owner_{w}")
    load, credited = part.load[w], part.credited[w]
    sender = sum((Mux(granted[i], i, 0) for i in range(part.inputs)), start=Value.cast(0))
    m.d.sync += out.eq(out + load - credited)
    with m.If(load):
        m.d.sync += [begun.eq(~part.flit.tail), owner.eq(sender)]
    claims.assume(~credited | (out != 0))
    for i, row in enumerate(rows):
        goes_on = begun & (owner == i) & part.has_credit[w]
        claims.assume(~row[w] | goes_on | part.can_start[w])
    has_credit = out < depth
    claims.always("has credit shows whether there are credits", part.has_credit[w] == has_credit)
    claims.always("no flit leaves without a credit", ~load | has_credit)
    claims.always(OVERFLOW, out <= depth)
    start = ~begun & (out == 0 if part.reuse_empty else has_credit)
    claims.always("a head may have a lane if no worm is in it and it has credits", part.can_start[w] == start)
    back = part.credited[w]
    claims.always("a credit on the wire may be used", part.may_send[w] == (has_credit | back))
    soon = ~begun & (out == back if part.reuse_empty else has_credit | back)
    claims.always("a head may soon have a lane with a credit on the wire", part.may_start[w] == soon)
    claims.always("a lane with a worm in it carries that worm alone", ~load | ~begun | (sender == owner))
    claims.invariant("the counter counts", inside.register(f"credits_{w}") == (depth - out)[: len(out)])
    claims.invariant("a lane is free if no worm is in it", inside.register(f"free_{w}") == ~begun)
    if not part.reuse_empty:
        claims.possible(
            "the worm in a lane goes on while another lane is requested", load & begun & (rows[0] != rows[1])
        )
