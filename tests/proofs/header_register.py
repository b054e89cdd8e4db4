"""Claims about the register with the next decoded header flit of an input."""

from typing import Any

from amaranth.hdl import Array, Mux, Signal, Value

from rtl.routed.header_register import HeaderRegister
from rtl.spam.parameters import SpamRouterParameters
from tests.proofs.claims import Claims, Describe, Inside
from tests.proofs.links import ReferenceQueue
from topology.common.flits import HeaderFormat

HEADERS = {1: HeaderFormat((("key", 2),), 3, 8), 3: HeaderFormat((("key", 2), ("source", 2)), 17, 8)}
"""By their length in flits."""


class Progress:
    """Worm at the front of a buffer, as the route unit reads it.

    queue: Decodings in the buffer.
    cursor: Flits of the worm that have been processed.
    waits: Flits before the one that is to be processed; 0 while the worm is queued.
    """

    def __init__(self, claims: Claims, part: Any):
        p = part.parameters
        self.queue = ReferenceQueue(claims, p.depth, part.moved, part.arriving, part.pop)
        held = self.queue.held
        self.cursor: Any = Signal(range(p.header_flits + 1), name="reference_cursor")
        claims.m.d.sync += self.cursor.eq(Mux(part.queued, 0, self.cursor + part.taken))
        self.waits = claims.named(Mux(part.queued, 0, self.cursor), "processed")
        completed = part.taken & part.decoded.last
        claims.assume(part.queued == claims.was((part.queued | completed) & ~part.release, "queued"))
        claims.assume(~part.moved | (held < p.depth))
        claims.assume(~part.taken | part.eligible)
        claims.assume(~part.pop | part.queued & (held != 0))
        claims.assume(~part.release | part.pop)
        ends = part.decoded.last | (self.cursor + 1 < p.header_flits)
        claims.assume(~part.taken | ends)


def header_register(header_flits: int, buffer_flits: int) -> Describe:
    """Claims about a register for headers of some length, beside a buffer of some size."""

    def describe(claims: Claims) -> None:
        parameters = SpamRouterParameters(
            2, 4, header=HEADERS[header_flits], buffer_flits=buffer_flits, fast=True, routing_cycles=2
        )
        part: Any = HeaderRegister(parameters)
        claims.free_inputs(part)
        inside = Inside(claims, part)
        progress = Progress(claims, part)
        held = progress.queue.held
        here = ~part.queued & (progress.cursor < held)
        claims.always("a header flit is eligible from the cycle after its arrival", part.eligible == here)
        right = Value.cast(part.decoded) == progress.queue.at(progress.waits)
        claims.always("decodings are read unaltered in the order of arrival", ~part.eligible | right)
        _tie(claims, inside, part, progress)
        claims.possible("a header flit waits for its turn", part.eligible & claims.was(part.eligible, "eligible"))
        if parameters.depth > 1:
            follows = part.eligible & claims.was(part.release, "released")
            claims.possible("a head follows a tail from the buffer", follows & claims.was(held > 1, "two_held"))
            claims.possible("a head follows a tail from the link", follows & claims.was(held == 1, "one_held"))

    return describe


def _tie(claims: Claims, inside: Inside, part: Any, progress: Progress) -> None:
    p, queue = part.parameters, progress.queue
    claims.invariant("the queue has room for its flits", queue.held <= p.depth)
    known = (progress.cursor <= queue.held) | part.queued
    claims.invariant("only flits that are here are processed", known & (progress.cursor <= p.header_flits))
    claims.invariant("a header has its length", part.queued | (progress.cursor < p.header_flits))
    if p.depth == 1:
        return
    position, back = inside.register("position"), inside.register("back")
    bits = len(back)
    front = claims.named((back - queue.held)[:bits], "front_place")
    if p.header_flits > 1:
        claims.invariant("the front is known", inside.register("front") == front)
    claims.invariant("the position is behind the flit in the register", position == (front + progress.waits + 1)[:bits])
    latest = inside.register("latest")
    rows = Array(inside.memory_row(k) for k in range(1 << bits)) if bits > 1 else ()
    for k, entry in enumerate(queue.row):
        claims.invariant("the latest decoding is in its register", (queue.held != k + 1) | (latest == entry))
        if rows:
            stored = Value.cast(rows[(front + k)[:bits]])
            claims.invariant("all others are in their places", (queue.held <= k + 1) | (stored == entry))
