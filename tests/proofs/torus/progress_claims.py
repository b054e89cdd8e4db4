"""Progress of a whole ``TorusRouter``: if a flit may move, some flit moves."""

from typing import Any

from amaranth.hdl import Mux

from rtl.parts.selection import concat
from tests.proofs.claims import Claims, Describe
from tests.proofs.common.progress import prove_progress
from tests.proofs.torus.router_claims import prove_inputs
from tests.proofs.torus.switch_invariants import SwitchInvariants
from tests.proofs.torus.whole_switch import WholeSwitch
from tests.proofs.vc.lane_reference import pops
from tests.proofs.vc.lane_worms import prove_link
from tests.proofs.vc.worms_in_lanes import LaneIn
from topology.torus.grid import Grid


def progress(grid: Grid, number: int, cycles: int, seen_cycles: int, lanes: int, **settings: Any) -> Describe:
    """Claims about a switch of a small torus or mesh, see ``router``."""

    def describe(claims: Claims) -> None:
        switch = WholeSwitch(claims, grid, number, lanes, **settings)
        with claims.proved_elsewhere():
            switch.enter_all(claims)
            switch.leave(claims, switch.allowed)
            SwitchInvariants(claims, switch)
            for o in range(switch.shape.outputs):
                prove_link(claims, switch.link_out(o), host=switch.shape.is_host_output(o), name=f"output_{o}")
            prove_inputs(claims, switch)
        inputs = range(switch.shape.inputs)
        may_go = concat(_may_go(switch, lane) for lane in switch.lanes_in).any()
        goes = concat(pops(switch.inside, switch.input(i), f"input_{i}") for i in inputs).any()
        prove_progress(claims, may_go, goes, cycles, seen_cycles)

    return describe


def _may_go(switch: WholeSwitch, lane: LaneIn[Any]) -> Any:
    """The first flit of a lane has a lane out with a credit; a head's has no other worm."""
    port, reference = switch.input(lane.i), lane.reference
    head = reference.ways(reference.now[0])
    way = Mux(reference.begun_now, reference.own_now & port.has_credit, head & port.can_start)
    unroutable = ~Mux(reference.begun_now, reference.own_now, head).any()
    return (reference.held_now != 0) & (way.any() | unroutable)
