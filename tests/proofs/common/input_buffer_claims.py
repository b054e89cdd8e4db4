"""Claims about ``InputBuffer``: a first-in first-out queue with a cursor, whose ready shows a free place."""

from typing import Any

from amaranth.hdl import Array, Mux, Signal, Value

from rtl.parts.input_buffer import MAX_REGISTER_FLITS, InputBuffer
from rtl.parts.selection import concat
from tests.proofs.claims import Claims, Describe, started
from tests.proofs.common.links import assume_link_rules
from tests.proofs.common.reference_queue import ReferenceQueue
from tests.proofs.inside import Inside

FLIT_BITS = 8
NOTE_BITS = 2


def input_buffer(depth: int, header_flits: int) -> Describe:
    """Claims about a buffer of some depth for headers of some length."""

    def describe(claims: Claims) -> None:
        buffer = InputBuffer(FLIT_BITS, depth, header_flits, NOTE_BITS)
        claims.free_inputs(buffer)
        inside = Inside(claims, buffer)
        assume_link_rules(claims, buffer.link, "link")
        arriving = claims.named(buffer.link.valid & buffer.link.ready, "arriving")
        entry = concat((buffer.link.payload, buffer.arriving_decoded))
        queue = ReferenceQueue(claims, depth, arriving, entry, buffer.pop)
        claims.assume(~buffer.pop | (queue.held != 0))
        ready = (queue.held < depth) & started(claims)
        claims.always("ready shows whether a place is free", buffer.link.ready == ready)
        claims.always("present shows whether there is a front", buffer.present == (queue.held != 0))
        claims.possible("the buffer gets full", queue.held == depth)
        if depth > 1:
            claims.possible("a flit leaves as another one arrives", buffer.pop & arriving)

        read: Any = concat((buffer.flit, buffer.decoded))
        if header_flits == 1:
            claims.always("flits are read unaltered in the order of arrival", ~buffer.present | (read == queue.row[0]))
            cursor = None
        else:
            cursor = _prove_cursor(claims, buffer, queue, arriving, read)
        _tie_inside(claims, inside, buffer, queue, cursor)

    return describe


def _prove_cursor(claims: Claims, buffer: Any, queue: ReferenceQueue, arriving: Any, read: Any) -> Any:
    """Gives the number of flits that are before the cursor."""
    cursor: Any = Signal(range(buffer.depth + 1), name="reference_cursor")
    claims.m.d.sync += cursor.eq(Mux(buffer.at_front, 0, cursor + buffer.advance))
    claims.assume(~buffer.pop | buffer.at_front)
    claims.assume(~buffer.advance | ~buffer.at_front)
    claims.assume(~buffer.advance | (cursor < queue.held) | (cursor == queue.held) & arriving)
    claims.always("readable shows whether there is a flit at the cursor", buffer.readable == (cursor < queue.held))
    there = Mux(buffer.at_front, buffer.present, buffer.readable)
    right = read == Mux(buffer.at_front, queue.row[0], queue.at(cursor))
    claims.always("flits are read unaltered in the order of arrival", ~there | right)
    returns = buffer.at_front & (cursor == buffer.header_flits)
    claims.possible("the cursor returns after the last header flit", returns)
    claims.possible("the cursor runs ahead of the arrivals", buffer.advance & (cursor == queue.held))
    return cursor


def _tie_inside(claims: Claims, inside: Inside, buffer: Any, queue: ReferenceQueue, cursor: Any) -> None:
    claims.invariant("the counter counts", inside.register("count") == queue.held)
    claims.invariant("the queue has room for its flits", queue.held <= buffer.depth)
    if buffer.header_flits == 1 and buffer.depth <= MAX_REGISTER_FLITS:
        for k, entry in enumerate(queue.row):
            place = inside.register(f"slot_{k}")
            claims.invariant(f"place {k} holds its flit", (queue.held <= k) | (place == entry))
    else:
        _tie_ring(claims, inside, queue, cursor)


def _tie_ring(claims: Claims, inside: Inside, queue: ReferenceQueue, cursor: Any) -> None:
    front = inside.register("front")
    rows = Array(inside.memory_row(k) for k in range(1 << len(front)))

    def after_front(flits: Any) -> Value:
        """The pointer to a place some flits behind the front."""
        return (front + flits)[: len(front)]

    claims.invariant("the back is behind the last flit", inside.register("back") == after_front(queue.held))
    if cursor is not None:
        claims.invariant("the cursor is not past the end", cursor <= queue.held)
        claims.invariant("the unread flits are counted", inside.register("unread") == queue.held - cursor)
        claims.invariant("the read pointer is at the cursor", inside.register("cursor") == after_front(cursor))
    for k, entry in enumerate(queue.row):
        place = Value.cast(rows[after_front(k)])
        claims.invariant(f"place {k} holds its flit", (queue.held <= k) | (place == entry))
