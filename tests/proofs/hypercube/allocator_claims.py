"""Claims about ``HeadAllocator``: a lane goes to one head, a head gets one lane, lanes that stay free are granted."""

from typing import Any

from amaranth.hdl import Mux

from rtl.hypercube.head_allocator import HeadAllocator
from rtl.hypercube.parameters import HypercubeRouterParameters
from rtl.parts.selection import concat, lowest_one
from tests.proofs.claims import Claims, Describe, at_most_one
from tests.proofs.hypercube.allocator_contract import escape_of, free_outputs, input_lanes, promises
from tests.proofs.hypercube.allocator_reference import AllocatorReference
from tests.proofs.hypercube.head_contract import sound_heads
from tests.proofs.inside import Inside
from tests.proofs.vc.cycle_order_claims import bound_waiting
from tests.proofs.vc.cycle_reference import CyclePhases
from topology.hypercube.routing import RULES, WRONG_ESCAPE

LAST_RESORT = "a head gets an escape only if it could have no other lane"
LOOKS = "the leader looks at what comes first in the random order of all that it can have"
LEADER = "the leader gets what it has picked, if that is still free"
ALONE = "at the leader's input no other head gets a lane"
OTHERS = "elsewhere the lowest head that requests its input's pick gets it, if it is free"
WAIT_BOUND = "a head with a free lane that no other head takes gets one before all orders have been"
FLIT_BITS = 8


def head_allocator(
    dimensions: int, lanes: int, channels: int = 1, rule: str = RULES[0], *, longest_wait: bool = True
) -> Describe:
    """Claims about the allocator of a switch.

    Parameters
    ----------
    dimensions, lanes, channels, rule
        See ``HypercubeRouterParameters``.
    longest_wait : bool
        Look for a run in which a head waits for as long as it may; that takes as many cycles.
    """

    def describe(claims: Claims) -> None:
        p = HypercubeRouterParameters(FLIT_BITS, dimensions, lanes, injection_channels=channels, rule=rule)
        part = HeadAllocator(p)
        claims.free_inputs(part, ("before", "lane_before"))
        inside = Inside(claims, part)
        phases = _drive_orders(claims, part)
        if rule == WRONG_ESCAPE:
            claims.never_changes(part.odd)
        for port, lane in input_lanes(p):
            head = (part.asking[lane], part.waiting[lane], part.wanted[lane], part.granted[lane])
            for condition in sound_heads(claims, p, port, head, f"head_{lane}"):
                claims.assume(condition)
        reference = AllocatorReference(claims, part)
        if reference.random:
            reference.random.tie(claims, inside, "order")
        for name, condition in promises(claims, part, "output"):
            claims.always(name, condition)
        for port, lane in input_lanes(p):
            could = claims.was((part.wanted[lane] & free_outputs(part)).any(), f"could_have_{lane}")
            claims.always(LAST_RESORT, ~(part.granted[lane] & part.escapes[port]) | ~could)
        _prove_examination(claims, part, reference)
        _bound_waiting(claims, part, reference, phases, longest_wait)
        claims.possible("two heads get lanes in one cycle", ~at_most_one(part.granted))
        if p.has_escapes:
            claims.possible("a head gets an escape as another one gets a lane", part.escapes.any() & part.taken.any())

    return describe


def _drive_orders(claims: Claims, part: Any) -> CyclePhases:
    """The orders of the cycle, which are proved of ``CycleOrder``."""
    p = part.parameters
    phases = CyclePhases(claims, [p.order_size] + [p.lane_order_size] * (p.lanes > 1))
    claims.m.d.comb += part.before.eq(phases.before(claims, p.order_size, range(len(p.input_lanes)), "before"))
    if p.lanes > 1:
        claims.m.d.comb += part.lane_before.eq(phases.before(claims, p.lane_order_size, range(p.lanes), "lane_before"))
    return phases


def _prove_examination(claims: Claims, part: Any, reference: AllocatorReference) -> None:
    picked = reference.picked
    free = Mux(reference.escapes, reference.free_escape(picked), (picked & free_outputs(part)).any())
    for port, (low, high) in enumerate(part.parameters.spans):
        row, granted = part.rows[port], part.granted[low:high]
        leader = reference.picker[low:high]
        leads = claims.named(leader & part.waiting[low:high], f"leader_waits_{port}")
        claims.always(LOOKS, ~(leads.any() & picked.any()) | (row == picked))
        right = (granted == leads) & (part.escapes[port] == reference.escapes)
        claims.always(LEADER, ~(leads.any() & free) | right)
        claims.always(ALONE, ~leader.any() | ~(granted & ~leader).any())
        wants: Any = claims.named(
            concat(part.waiting[lane] & (part.wanted[lane] & row).any() for lane in range(low, high)), f"wants_{port}"
        )
        first = Mux((row & free_outputs(part)).any(), lowest_one(wants), 0)
        claims.always(OTHERS, leader.any() | (granted == first))


def _bound_waiting(
    claims: Claims, part: Any, reference: AllocatorReference, phases: CyclePhases, longest_wait: bool
) -> None:
    """While a head waits, and its free lanes stay free, it gets a lane when it leads."""
    p = part.parameters
    inputs = phases.first(p.order_size, range(len(p.input_lanes)))
    lanes = phases.first(p.lane_order_size, range(p.lanes)) if p.lanes > 1 else [0] * phases.count
    hopeful, most = [], []
    for port, lane in input_lanes(p):
        wanted, number = part.wanted[lane], lane - p.spans[port][0]
        free = concat((wanted & free_outputs(part), reference.free_escape(escape_of(part, wanted))))
        can = claims.named(free & part.waiting[lane].replicate(len(free)), f"can_have_{lane}")
        taken = (claims.was(can, f"could_have_had_{lane}") & ~can).any()
        hopeful.append(can.any() & ~taken)
        alone = p.is_host_input(port)
        passed = phases.passed(
            lambda phase, port=port, number=number, alone=alone: (
                inputs[phase] == port and (alone or lanes[phase] == number)
            )
        )
        # the elected lane leads in the next cycle, and gets a lane in the one after that
        most.append([1 + passed[phase - 2] for phase in range(phases.count)])
    vain = bound_waiting(claims, phases, most, claims.named(concat(hopeful), "hopeful"), part.granted, WAIT_BOUND)
    if longest_wait:
        claims.possible("the longest wait", vain)
