"""Claims about a whole ``SpamRouter``: what goes in comes out of the right outputs, once, in order, worms unmixed.

Nothing is left out and nothing taken for granted but the link rules and sound messages.
"""

from itertools import permutations
from typing import Any

from amaranth.hdl import Mux

from rtl.common.selection import concat
from rtl.spam.parameters import SpamRouterParameters
from rtl.spam.router import SpamRouter
from tests.proofs.claims import Claims, Describe
from tests.proofs.common.tagged_flits import FLIT_BITS
from tests.proofs.common.worm_invariants import tie_inputs, tie_output, tie_tracked
from tests.proofs.common.worms import TrackedFlit, WormsIn, WormsOut, assume_tables
from tests.proofs.inside import Inside
from tests.proofs.spam.enqueue_order import EnqueueOrder
from topology.common.flits import HeaderFormat

PORTS = 3
VERTICES = 4
HEADER = HeaderFormat((("lca", 2),), PORTS, FLIT_BITS)


def router(buffer_flits: int, routing_cycles: int) -> Describe:
    """Claims about a router with three ports, 8-bit flits and headers of one flit.

    Parameters
    ----------
    buffer_flits, routing_cycles : int
        As in ``SpamRouterParameters``; up to two and two.
    """

    def describe(claims: Claims) -> None:
        part: Any = SpamRouter(SpamRouterParameters(PORTS, VERTICES, HEADER, buffer_flits, routing_cycles))
        claims.free_inputs(part)
        inside = Inside(claims, part)
        assume_tables(claims, part)
        worms_in = [WormsIn(claims, part, i) for i in range(PORTS)]
        worms_out = [WormsOut(claims, part, o) for o in range(PORTS)]
        tracked = TrackedFlit(claims, part, worms_in)
        all_valid = concat(link.valid for link in part.outputs).all()
        claims.possible("a flit comes out of all outputs at once", all_valid & tracked.comes_out)
        _tie_inside(claims, inside, part, worms_in, worms_out, tracked)

    return describe


def _tie_inside(claims: Claims, inside: Inside, part: Any, worms_in: Any, worms_out: Any, tracked: Any) -> None:
    states = tie_inputs(claims, inside, part, worms_in)
    queued = inside.placed["route_unit"].queued
    order = EnqueueOrder(claims, queued, [state.request for state in states], PORTS)
    order.tie(claims, inside, "queues")
    for i, j in permutations(range(PORTS), 2):
        claims.invariant("a worm that has begun is first", ~states[i].begun | ~order.blocks[j][i])
    opened = [Mux(state.begun, state.request, 0) for state in states]
    for o in range(PORTS):
        tie_output(claims, part, o, opened, worms_out[o])
    tie_tracked(claims, states, tracked)
