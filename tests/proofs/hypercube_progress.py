"""Claims about the progress of switches of hypercubes: a flit with a credit waits for a bounded number of cycles."""

from typing import Any

from amaranth.hdl import Const, Mux, Value

from rtl.parts.selection import concat
from tests.proofs.claims import Claims, Describe
from tests.proofs.hypercube_ports import is_granted
from tests.proofs.hypercube_switch import CubeInvariants, Vc, WholeSwitch, prove_inputs
from tests.proofs.routed_switch import prove_progress
from tests.proofs.vc_orders import CyclePhases
from tests.proofs.vc_progress import bound_wait, rank_in_input
from tests.proofs.vc_switch import prove_links


def progress(seen_wait: int, **settings: Any) -> Describe:
    """Claims about a switch of any number, see ``hypercube_switch.router``.

    seen_wait: Cycles of the wait of a flit that are reached.
    """

    def describe(claims: Claims) -> None:
        switch = WholeSwitch(claims, **settings)
        with claims.proved_elsewhere():
            switch.enter_all(claims)
            switch.leave(claims, switch.allowed)
            phases = CubeInvariants(claims, switch).phases
            prove_links(claims, switch)
            prove_inputs(claims, switch)
        ports = [switch.input(i) for i in range(len(switch.input_vcs))]
        may_go = concat(_may_go(vc) for vc in switch.vcs_in).any()
        requests = concat(port.requests.any() for port in ports).any()
        goes = concat((*map(is_granted, ports), *(vc.reference.drains for vc in switch.vcs_in))).any()
        still = prove_progress(claims, may_go, goes, 1)
        claims.invariant("after a stall there is a request", still + ~requests <= 1)
        waited = [_bound_wait_in(claims, switch, phases, vc) for vc in switch.vcs_in]
        claims.possible("a flit waits with a credit", concat(cycles == seen_wait for cycles in waited).any())

    return describe


def _may_go(vc: Vc) -> Any:
    """A worm has a VC out, and its first flit a credit, or room at the processor."""
    row = vc.reference
    has_credit = row.credited | row.has_credit
    return row.there & row.active & ~row.nowhere & Mux(row.delivers, row.port.room, has_credit)


def _bound_wait_in(claims: Claims, switch: WholeSwitch, phases: CyclePhases, vc: Vc) -> Any:
    """Bound the wait of the first flit of a VC; gives the cycles that it has waited.

    A request is granted when its input is the first one of all. Then another VC of the input may request.
    """
    p, port = switch.p, switch.input(vc.i)
    asking = switch.inside.register("asked", f"input_{vc.i}")
    tables = [_cycles_to_come(switch, phases, vc.i, o) if p.is_contested(o) else [0] for o in p.outputs_of(vc.i)]
    longest = max(map(max, tables))
    bits = longest.bit_length()
    ranks = [phases.by_phase(table, bits) if any(table) else Const(0) for table in tables]
    current = concat(port.requests[k] for k in range(len(ranks)))
    rank: Any = sum((Mux(asked, rank, 0) for asked, rank in zip(current, ranks, strict=True)), Value.cast(0))
    waits = _may_go(vc) & ~(is_granted(port) & asking[vc.v])
    whole = rank_in_input(claims, switch.inside, vc.i, vc.v, asking, (rank, longest + 1))
    return bound_wait(claims, waits, whole, len(asking) * (longest + 1), f"vc_{vc.i}_{vc.v}")


def _cycles_to_come(switch: WholeSwitch, phases: CyclePhases, i: int, o: int) -> list[int]:
    """By phase: cycles until an input comes before all others that reach an output."""
    firsts = phases.first(switch.p.order_size, switch.p.inputs_of(o))
    everyone = range(phases.count)
    return [next(d for d in everyone if firsts[(phase + d) % phases.count] == i) for phase in everyone]
