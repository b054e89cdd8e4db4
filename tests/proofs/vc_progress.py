"""Bounds of the waits of flits behind heads, for switches with VCs of all families."""

from typing import Any

from amaranth.hdl import Mux, Signal, Value

from tests.proofs.claims import Claims, Inside
from tests.proofs.vc_orders import tie_turn

BODY_BOUND = "a flit behind a head whose VC has a credit leaves within a bound"


def requests_before(inside: Inside, name: str, me: int, count: int, where: str) -> Any:
    """Number of requesters of a ``RoundRobinSelector`` that come before one of them."""
    bits: list[Any] = []
    for other in range(count):
        if other != me:
            low, high = sorted((other, me))
            bit = inside.register(f"{name}_{low}_before_{high}", where)
            bits.append(bit if other < me else ~bit)
    return sum(bits, start=Value.cast(0))


def rank_in_input(claims: Claims, inside: Inside, i: int, v: int, asking: Any, request: tuple[Any, int]) -> Any:
    """Cycles for which a flit that may go waits at most, as its input sees it: it falls in every such cycle.

    asking: VC of the request of the input, one-hot.
    request: Cycles for which the request waits at most, 0 without one, and a number above all of these.
    """
    where, vcs, (current, end) = f"input_{i}", len(asking), request
    tie_turn(claims, inside, "lane", vcs, where)
    before = requests_before(inside, "lane", v, vcs, where)
    claims.invariant("a VC that requests is the last of the next ones", ~asking[v] | (before == vcs - 1))
    return Mux(asking[v], current, (before + 1) * end + current)


def bound_wait(claims: Claims, waits: Any, rank: Any, most: int, name: str) -> Any:
    """Adds the counter of the cycles of a wait, and the claim that it stays within its bound; gives the counter."""
    cycles: Any = Signal(range(most + 2), name=f"{name}_waited")
    claims.m.d.sync += cycles.eq(Mux(waits, Mux(cycles > most, cycles, cycles + 1), 0))
    claims.always(BODY_BOUND, cycles <= most)
    claims.invariant("the rank of a wait falls in every cycle", cycles + rank <= most)
    return cycles
