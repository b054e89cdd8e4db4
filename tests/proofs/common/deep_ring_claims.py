"""Claims about ``DeepRing``: its first flits can be read within the cycle, as if all of it were in LUT RAM."""

from typing import Any

from amaranth.hdl import Array, Const, Signal, Value

from rtl.parts.deep_ring import MISSING_FLITS, DeepRing
from tests.proofs.claims import Claims, Describe
from tests.proofs.common.reference_queue import ReferenceQueue
from tests.proofs.inside import Inside

BITS = 4


def deep_ring(depth: int, slots: int) -> Describe:
    """Claims about a ring of some depth with a front of some slots."""

    def describe(claims: Claims) -> None:
        ring: Any = DeepRing(BITS, depth, slots)
        claims.free_inputs(ring)
        inside = Inside(claims, ring)
        queue = ReferenceQueue(claims, depth, ring.write, ring.entry, ring.pop)
        claims.assume(~ring.write | (queue.held < depth))
        claims.assume(~ring.pop | (queue.held != 0))
        front: Any = Signal(range(slots), name="front_reference")
        claims.m.d.sync += front.eq(front + ring.pop)
        ahead = claims.named(ring.position - front, "position_from_front")[: len(front)]
        there = claims.named((ahead < queue.held) & (ahead < slots - MISSING_FLITS), "flit_can_be_read")
        claims.always("flits near the front are read unaltered in order", ~there | (ring.read == queue.at(ahead)))
        _tie(claims, inside, ring, queue, front)
        claims.possible("the ring gets full", queue.held == depth)
        far = inside.register("far")
        claims.possible(
            "a flit comes out of block RAM to the end of the front", (far == 0) & inside.register("fetched")
        )

    return describe


def _tie(claims: Claims, inside: Inside, ring: Any, queue: ReferenceQueue, front: Any) -> None:
    slots, bits = ring.slots, len(front)
    near, far, fetched = (inside.register(name) for name in ("near", "far", "fetched"))
    claims.invariant("flits are near or far", (queue.held == near + far) & (near <= slots))
    claims.invariant("the ring has room for its flits", queue.held <= ring.depth)
    claims.invariant("far flits wait behind a full front", ~((far != 0) | fetched) | (near >= slots - 1))
    landed = claims.named(near - fetched, "landed")[: len(near)]
    filled = inside.register("filled")
    claims.invariant("the next place is behind the last flit", filled == (front + landed)[:bits])
    back, first = inside.register("far_back"), inside.register("far_front")
    claims.invariant("the far flits form a row", back == (first + far)[: len(first)])
    last = queue.at(claims.named(near - 1, "last_near")[: len(near)])
    claims.invariant(
        "the flit that was fetched is the last one near", ~fetched | (inside.memory_output("far_slots") == last)
    )
    halves = [[inside.memory_row(row, f"slots_{parity}") for row in range(slots // 2)] for parity in range(2)]
    rows = Array(Value.cast(halves[place % 2][place // 2]) for place in range(slots))
    for k in range(slots):
        right = Value.cast(rows[(front + k)[:bits]]) == queue.row[k]
        claims.invariant("slots near the front hold their flits", (landed <= k) | right)
    beyond = Array(Value.cast(inside.memory_row(row, "far_slots")) for row in range(1 << len(first)))
    for k in range(ring.depth - slots + 1):
        behind = queue.at(claims.named(near + Const(k), f"far_flit_{k}"))
        right = Value.cast(beyond[(first + k)[: len(first)]]) == behind
        claims.invariant("block RAM holds the flits behind", (far <= k) | right)
