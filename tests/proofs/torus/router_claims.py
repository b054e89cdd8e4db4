"""Claims about a whole ``TorusRouter``: flits leave by the route of their header, once, in order, worms unmixed.

The whole part is included, and only the rules of links and sound messages are assumed.
"""

from collections.abc import Iterator
from typing import Any

from rtl.parts.selection import concat
from tests.proofs.claims import Claims, Describe, started
from tests.proofs.common.worms import TrackedFlit
from tests.proofs.torus.switch_invariants import SwitchInvariants
from tests.proofs.torus.whole_switch import WholeSwitch
from tests.proofs.vc.lane_worms import as_stream, prove_link
from tests.proofs.vc.tagged_lanes import tag_of
from topology.common.lanes import REUSE_EMPTY
from topology.torus.grid import Grid


def router(grid: Grid, number: int, lanes: int = 2, **settings: Any) -> Describe:
    """Claims about a switch of a small torus or mesh.

    Parameters
    ----------
    grid : Grid
    number : int
        Which switch.
    lanes : int
    settings
        See ``WholeSwitch``.
    """

    def describe(claims: Claims) -> None:
        switch = WholeSwitch(claims, grid, number, lanes, **settings)
        switch.enter_all(claims)
        switch.leave(claims, switch.allowed)
        links = [
            as_stream(switch.link_out(o), host=switch.shape.is_host_output(o)) for o in range(switch.shape.outputs)
        ]
        wanted = [lane.worms.wanted for lane in switch.lanes_in]
        tracked = TrackedFlit(
            claims, [lane.worms for lane in switch.lanes_in], [[link] for link in links], wanted, tag_of
        )
        invariants = SwitchInvariants(claims, switch)
        tracked.tie(claims, _stages(invariants, tracked))
        for o in range(switch.shape.outputs):
            prove_link(claims, switch.link_out(o), host=switch.shape.is_host_output(o), name=f"output_{o}")
        prove_inputs(claims, switch)
        if switch.shape.lane_reuse == REUSE_EMPTY:
            _prove_alone_in_lane(claims, switch)
        both = concat(link.valid for link in links).all()
        claims.possible("a flit comes out of all outputs at once", both & tracked.comes_out)
        full = switch.outstanding[0].count == switch.shape.depth
        claims.possible("a lane has no credits as the followed flit comes out of another", full & tracked.comes_out)
        claims.possible(
            "a head is discarded as the followed flit comes out", switch.part.discarding[0] & tracked.comes_out
        )

    return describe


def _prove_alone_in_lane(claims: Claims, switch: WholeSwitch) -> None:
    """Flits of two worms are never behind one lane at a time."""
    for out, without in zip(switch.lanes_out, switch.outstanding, strict=False):
        head = out.valid & out.link.payload.head
        claims.always("a head takes a lane with all its credits", ~head | (without.count == 0))


def _stages(invariants: SwitchInvariants, tracked: TrackedFlit) -> Iterator[tuple[Any, Any]]:
    yield from invariants.in_delivery(tracked.o, tracked.i)
    yield from invariants.in_lanes(tracked.o, tracked.i)


def prove_inputs(claims: Claims, switch: WholeSwitch) -> None:
    """Outputs of a switch about its lanes: credits, ``ready``, and dropped heads."""
    depth = switch.shape.depth
    for number, lane in enumerate(switch.lanes_in):
        reference = lane.reference
        if switch.shape.is_host_input(lane.i):
            ready = (reference.held_now < depth) & started(claims)
            claims.always("ready shows whether a place is free", switch.link_in(lane.i).ready == ready)
        else:
            there = ~reference.left | (reference.queue.held != 0)
            claims.always("a credit comes back only for a flit that is there", there)
        first = reference.queue.row[0]
        lost = reference.left & reference.flit(first).head & ~switch.wanted(lane, first).any()
        claims.always("discarding marks unroutable heads", switch.part.discarding[number] == lost)
