"""Claims about ``DeliveryBuffer``: flits and credits come out once each, in order; or it reports its room."""

from typing import Any

from amaranth.hdl import Array, Signal, Value

from rtl.vc.delivery_buffer import DeliveryBuffer
from tests.proofs.claims import Claims, Describe, started
from tests.proofs.common.links import prove_link_rules
from tests.proofs.common.reference_queue import ReferenceQueue
from tests.proofs.inside import Inside
from topology.common.lanes import ROOM_FLITS

FLIT_BITS = 8
SAYS_ROOM = "room shows whether there were places for three flits in the last cycle"
FINDS_A_PLACE = "a flit that comes by what room said finds a place"


def delivery_buffer(depth: int, *, tells_room: bool = False) -> Describe:
    """Claims about a buffer of some depth, see ``DeliveryBuffer``."""

    def describe(claims: Claims) -> None:
        part = DeliveryBuffer(FLIT_BITS, depth, tells_room=tells_room)
        claims.free_inputs(part)
        inside = Inside(claims, part)
        link: Any = part.link
        prove_link_rules(claims, link, "link")
        leaving = claims.named(link.valid & link.ready, "leaving")
        # the last place is that of the output register
        queue = ReferenceQueue(claims, depth + 1, part.write, part.flit, leaving)
        waiting = claims.named(queue.held - link.valid, "waiting")
        (_prove_room if tells_room else _prove_credits)(claims, part, waiting)
        claims.always("only flits that entered come out", ~link.valid | (queue.held != 0))
        claims.always("flits come out unaltered in order", ~link.valid | (Value.cast(link.payload) == queue.row[0]))
        free = claims.was((~link.valid | link.ready) & (waiting != 0), "could_go")
        claims.always("a flit in the buffer waits for the register alone", ~free | link.valid)
        tie_delivery(claims, inside, depth, queue.row, link, waiting)
        claims.possible("the buffer and the register are full", queue.held == depth + 1)
        if depth > 2:  # a credit is counted in the third cycle
            streaming = leaving & part.write & (part.room if tells_room else part.credit)
            claims.possible("one flit per cycle", streaming & claims.was(streaming, "streaming"))

    return describe


def _prove_credits(claims: Claims, part: Any, waiting: Any) -> None:
    """Flits are written with credits, which come back."""
    depth, out = part.depth, Signal(range(part.depth + 2), name="without_credit")
    claims.m.d.sync += out.eq(out + part.write - part.credit)
    claims.assume(~part.write | (out < depth))
    claims.always("a flit has its credit on the wire or is in the buffer", out == waiting + part.credit)


def _prove_room(claims: Claims, part: Any, waiting: Any) -> None:
    """Flits are written only in the cycle after one with ``room``."""
    claims.assume(~part.write | claims.was(part.room, "had_room"))
    room = claims.was(waiting + ROOM_FLITS <= part.depth, "three_places") & started(claims)
    claims.always(SAYS_ROOM, part.room == room)
    claims.always(FINDS_A_PLACE, ~part.write | (waiting < part.depth))
    tie_room(claims, part, waiting)


def tie_room(claims: Claims, part: Any, waiting: Any) -> None:
    """Adds the invariants of a buffer with ``room``: the writes that are possible since it was high."""
    claims.invariant("room is for two flits", ~part.room | (waiting + 2 <= part.depth))
    claims.invariant("a cycle later it is for one", ~claims.was(part.room, "told_room") | (waiting < part.depth))


def tie_delivery(
    claims: Claims, inside: Inside, depth: int, row: list[Any], link: Any, waiting: Any, where: str | None = None
) -> None:
    """Flits in the buffer are those of the reference row, behind the flit in the output register.

    Parameters
    ----------
    claims : Claims
    inside : Inside
    depth : int
    row : list of Value
        Flits that have not come out, the first one first.
    link : link
        It shows the first one if it is valid.
    waiting : Value
        Flits in the buffer.
    where : str or None
        Instance name of the buffer.
    """
    place = f"{where}/" if where else ""
    claims.invariant("the register holds the first one", ~link.valid | (Value.cast(link.payload) == row[0]))
    claims.invariant("the buffer counts", inside.register("count", where) == waiting)
    claims.invariant(
        "present says whether a flit is in the buffer", inside.register("present", where) == (waiting != 0)
    )
    claims.invariant("the buffer has room for its flits", waiting <= depth)
    slots = 1 << (depth - 1).bit_length()
    front: Any = inside.register("front", where) if slots > 1 else 0
    if slots > 1:
        back = inside.register("back", where)
        claims.invariant("the back is behind the last flit", back == (front + waiting)[: len(back)])
    rows = Array(Value.cast(inside.memory_row(k, f"{place}flits")) for k in range(slots))
    for k in range(depth):
        held = Value.cast(rows[(front + k)[: len(front)] if slots > 1 else 0])
        behind = Value.cast(Array([row[k], row[k + 1]])[link.valid])
        claims.invariant("slots hold their flits", (waiting <= k) | (held == behind))
