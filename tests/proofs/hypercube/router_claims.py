"""Claims about a whole ``HypercubeRouter``: flits leave by the route of their header, once, in order, unmixed.

The whole part is included, and only the rules of links and sound messages are assumed.
"""

from collections.abc import Iterator
from typing import Any

from rtl.parts.selection import concat
from tests.proofs.claims import Claims, Describe, started
from tests.proofs.common.worms import TrackedFlit
from tests.proofs.hypercube.switch_invariants import SwitchInvariants
from tests.proofs.hypercube.whole_switch import Lane, WholeSwitch
from tests.proofs.vc.lane_worms import as_stream, prove_link
from tests.proofs.vc.tagged_lanes import tag_of

CLEAN = "a head takes a lane with all its credits"
THERE = "a credit comes back only for a flit that is there"
RELEASES = "a release comes with the tail's credit, and then the buffer is empty"
READY = "ready shows whether a place is free"
DRAINED = "an unroutable worm is drained, a flit per cycle"
DISCARDING = "discarding marks unroutable heads"


def router(**settings: Any) -> Describe:
    """Claims about a switch of any number, see ``WholeSwitch``."""

    def describe(claims: Claims) -> None:
        switch = WholeSwitch(claims, **settings)
        switch.enter_all(claims)
        switch.leave(claims, switch.allowed)
        p = switch.p
        links = [as_stream(switch.link_out(o), host=o == p.delivery) for o in range(len(p.output_lanes))]
        worms, wanted = [lane.worms for lane in switch.lanes_in], [lane.worms.wanted for lane in switch.lanes_in]
        tracked = TrackedFlit(claims, worms, [links[: p.delivery], links[p.delivery :]], wanted, tag_of)
        invariants = SwitchInvariants(claims, switch)
        tracked.tie(claims, _stages(invariants, tracked))
        for o in range(len(p.output_lanes)):
            prove_link(claims, switch.link_out(o), host=o == p.delivery, name=f"output_{o}")
        prove_inputs(claims, switch)
        for out, without in zip(switch.lanes_out, switch.outstanding, strict=False):
            claims.always(CLEAN, ~(out.valid & out.link.payload.head) | (without.count == 0))
        both = concat(link.valid for link in links).all()
        claims.possible("a flit comes out of all outputs at once", both & tracked.comes_out)
        full = switch.outstanding[0].count == p.buffer_flits
        claims.possible("a lane has no credits as the followed flit comes out", full & tracked.comes_out)
        lost = switch.part.discarding[0] & tracked.comes_out
        claims.possible("a head is discarded as the followed flit comes out", lost)

    return describe


def _stages(invariants: SwitchInvariants, tracked: TrackedFlit) -> Iterator[tuple[Any, Any]]:
    yield from invariants.in_delivery(tracked.o, tracked.i)
    yield from invariants.in_lanes(tracked.o, tracked.i)


def prove_inputs(claims: Claims, switch: WholeSwitch) -> None:
    """Outputs of a switch about its lanes: credits, releases, ``ready``, and dropped heads."""
    for number, lane in enumerate(switch.lanes_in):
        row = lane.reference
        if switch.p.is_host_input(lane.i):
            ready = (row.held_now < row.depth) & started(claims)
            claims.always(READY, switch.link_in(lane.i).ready == ready)
        else:
            _prove_wires(claims, switch, lane)
        dropped = claims.was(row.drops, f"{switch.name}_{number}_dropped")
        claims.always(DISCARDING, switch.part.discarding[number] == dropped)
        drained = claims.was(row.drains, f"{switch.name}_{number}_drained")
        claims.always(DRAINED, ~drained | row.left)


def _prove_wires(claims: Claims, switch: WholeSwitch, lane: Lane) -> None:
    row = lane.reference
    claims.always(THERE, ~row.left | (row.queue.held != 0))
    ends = row.left & row.flit(row.queue.row[0]).tail
    released = getattr(switch.part, f"releases_{lane.i}")[lane.v]
    claims.always(RELEASES, (released == ends) & (~ends | (row.queue.held == 1)))
