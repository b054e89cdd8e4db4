"""Claims about ``LaneOutput``: who is granted, that a lane has one owner, and that credits are counted."""

from typing import Any

from amaranth.hdl import Mux, Signal, Value

from rtl.common.selection import concat
from rtl.common.vc.lane_output import LaneOutput
from tests.proofs.claims import Claims, Describe, at_most_one
from tests.proofs.common.arbiter_claims import bound_waiting, reference_turn
from tests.proofs.inside import Inside
from tests.proofs.vc.turn_order_claims import FIRST, first_from, tie_order

FLIT_BITS = 8
OVERFLOW = "no lane gets more flits than its buffer holds"


def lane_output(inputs: int, lanes: int, depth: int, *, reuse_empty: bool = False) -> Describe:
    """Claims about an output of some shape, see ``LaneOutput``."""

    def describe(claims: Claims) -> None:
        part = LaneOutput(FLIT_BITS, inputs, lanes, depth, reuse_empty=reuse_empty)
        claims.free_inputs(part)
        inside = Inside(claims, part)
        rows = [claims.named(part.requests.word_select(i, lanes), f"lanes_of_{i}") for i in range(inputs)]
        asks = claims.named(concat(row.any() for row in rows), "asks")
        turn = _prove_grants(claims, part, rows, asks)
        tie_order(claims, inside, "input", turn, inputs)
        for w in range(lanes):
            _prove_lane(claims, inside, part, rows, w)
        for row in rows:
            claims.assume(at_most_one(row))
        claims.possible("all inputs ask for one lane", concat(row[0] for row in rows).all())
        claims.possible("a lane has no credit, and worms in it", ~part.has_credit[0] & ~part.can_start[0])

    return describe


def _prove_grants(claims: Claims, part: Any, rows: list[Any], asks: Any) -> Any:
    """Gives the turn."""
    turn = reference_turn(claims, asks, part.inputs)
    for i, first in enumerate(first_from(claims, asks, turn)):
        claims.always(FIRST, part.granted[i] == first)
        mine = (part.load == rows[i]) & (Value.cast(part.flit) == Value.cast(part.flits[i]))
        claims.always("what is granted leaves, and nothing else", ~part.granted[i] | mine)
    claims.always("one is granted if anybody asks, and one at most", at_most_one(part.granted))
    claims.always("one is granted if anybody asks, and one at most", part.granted.any() == asks.any())
    claims.always("who asks and is not granted has lost", part.lost == (asks & ~part.granted))
    claims.always("what is granted leaves, and nothing else", part.granted.any() | ~part.load.any())
    bound_waiting(claims, asks, part.granted, turn)
    return turn


def _prove_lane(claims: Claims, inside: Inside, part: Any, rows: list[Any], w: int) -> None:
    """One lane: flits for which the credit has not come back, and the worm in it."""
    depth, m = part.depth, claims.m
    out: Any = Signal(range(depth + 2), name=f"out_{w}")
    begun, owner = Signal(name=f"begun_{w}"), Signal(range(part.inputs), name=f"owner_{w}")
    load, credited = part.load[w], part.credited[w]
    granted = sum((Mux(part.granted[i], i, 0) for i in range(part.inputs)), start=Value.cast(0))
    m.d.sync += out.eq(out + load - credited)
    with m.If(load):
        m.d.sync += [begun.eq(~part.flit.tail), owner.eq(granted)]
    claims.assume(~credited | (out != 0))
    for i, row in enumerate(rows):
        goes_on = begun & (owner == i) & part.has_credit[w]
        claims.assume(~row[w] | goes_on | part.can_start[w])
    has_credit = out < depth
    claims.always("has credit tells whether there are credits", part.has_credit[w] == has_credit)
    claims.always("nothing leaves without a credit", ~load | has_credit)
    claims.always(OVERFLOW, out <= depth)
    start = ~begun & (out == 0 if part.reuse_empty else has_credit)
    claims.always("a head may have a lane if no worm is in it and it has credits", part.can_start[w] == start)
    back = part.credited[w]
    claims.always("a credit on the wire may be used", part.may_send[w] == (has_credit | back))
    soon = ~begun & (out == back if part.reuse_empty else has_credit | back)
    claims.always("a head may soon have a lane with a credit on the wire", part.may_start[w] == soon)
    claims.always("a lane with a worm in it carries that worm alone", ~load | ~begun | (granted == owner))
    claims.invariant("the counter counts", inside.register(f"credits_{w}") == (depth - out)[: len(out)])
    claims.invariant("a lane is free if no worm is in it", inside.register(f"free_{w}") == ~begun)
    if not part.reuse_empty:
        claims.possible("the worm in a lane goes on as another lane is asked for", load & begun & (rows[0] != rows[1]))
