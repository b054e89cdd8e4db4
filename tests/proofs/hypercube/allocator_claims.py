"""Claims about ``HeadAllocator``: a lane goes to one head, a head gets one lane, and a lane that stays free is got."""

from typing import Any

from amaranth.hdl import Mux, Value

from rtl.common.selection import concat, lowest_one
from rtl.hypercube.head_allocator import HeadAllocator
from rtl.hypercube.parameters import HypercubeRouterParameters
from tests.proofs.claims import Claims, Describe, at_most_one
from tests.proofs.hypercube.allocator_reference import AllocatorReference
from tests.proofs.hypercube.head_contract import sound_heads
from tests.proofs.inside import Inside
from tests.proofs.vc.cycle_order_claims import bound_waiting
from tests.proofs.vc.cycle_reference import CyclePhases
from topology.hypercube.routing import RULES, WRONG_ESCAPE

ONE_HEAD = "a lane goes to one head at most"
ONE_LANE = "a head gets one lane at most"
WANTED = "a head gets a lane only if it waits for that output"
FREE = "only a free lane is got"
TAKEN = "a free lane that a head gets is taken, and no other one"
LAST_RESORT = "a head gets an escape only where it may, and if it could have no other lane"
LOOKS = "the leader looks at what comes first in the random order of all that it can have"
LEADER = "the leader gets what it has picked, if that is still free"
ALONE = "at the leader's input nobody else gets a lane"
OTHERS = "elsewhere the lowest head that wants what its input looks at gets it, if it is free"
WAIT_BOUND = "a head with a free lane that nobody else takes gets one before all orders have been"
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
        for port, lane in _lanes(p):
            head = (part.asking[lane], part.waiting[lane], part.wanted[lane], part.granted[lane])
            for condition in sound_heads(claims, p, port, head, f"head_{lane}"):
                claims.assume(condition)
        reference = AllocatorReference(claims, part)
        if reference.random:
            reference.random.tie(claims, inside, "order")
        _prove_lanes(claims, part)
        for port, lane in _lanes(p):
            _prove_head(claims, part, reference, port, lane)
        _prove_examination(claims, part, reference)
        _bound_waiting(claims, part, reference, phases, longest_wait)
        claims.possible("two heads get lanes in one cycle", ~at_most_one(part.granted))
        if p.has_escapes:
            claims.possible("a head gets an escape as another one gets a lane", part.escapes.any() & part.taken.any())

    return describe


def _lanes(p: HypercubeRouterParameters) -> list[tuple[int, int]]:
    """Of every input lane its input and its number."""
    return [(port, lane) for port, (low, high) in enumerate(p.spans) for lane in range(low, high)]


def _drive_orders(claims: Claims, part: Any) -> CyclePhases:
    """The orders of the cycle, which are proved of ``CycleOrder``."""
    p = part.parameters
    phases = CyclePhases(claims, [p.order_size] + [p.lane_order_size] * (p.lanes > 1))
    claims.m.d.comb += part.before.eq(phases.before(claims, p.order_size, range(len(p.input_lanes)), "before"))
    if p.lanes > 1:
        claims.m.d.comb += part.lane_before.eq(phases.before(claims, p.lane_order_size, range(p.lanes), "lane_before"))
    return phases


def _prove_lanes(claims: Claims, part: Any) -> None:
    """By output: who gets a lane for any head there, and who the escape lane."""
    p = part.parameters
    for output in range(len(p.output_lanes)):
        got = [part.granted[lane] & part.rows[port][output] for port, lane in _lanes(p)]
        escapes = [part.escapes[port] for port, _ in _lanes(p)]
        adaptive = claims.named(concat(g & ~e for g, e in zip(got, escapes, strict=True)), f"get_{output}")
        escape = claims.named(concat(g & e for g, e in zip(got, escapes, strict=True)), f"get_escape_{output}")
        claims.always(ONE_HEAD, at_most_one(adaptive))
        claims.always(ONE_HEAD, at_most_one(escape))
        any_free = any_taken = any_free_escape = any_taken_escape = Value.cast(0)
        if output in p.adaptive_outputs:
            number = p.adaptive_outputs.index(output)
            any_free, any_taken = part.free[number], part.taken[number]
        if p.has_escapes and output != p.delivery:
            any_free_escape, any_taken_escape = part.free_escapes[output], part.taken_escapes[output]
        claims.always(FREE, ~adaptive.any() | any_free)
        claims.always(FREE, ~escape.any() | any_free_escape)
        claims.always(TAKEN, (any_taken & any_free) == adaptive.any())
        claims.always(TAKEN, any_taken_escape == escape.any())


def _prove_head(claims: Claims, part: Any, reference: AllocatorReference, port: int, lane: int) -> None:
    p, row = part.parameters, part.rows[port]
    gets, wanted = part.granted[lane], part.wanted[lane]
    claims.always(ONE_LANE, ~gets | at_most_one(row))
    claims.always(WANTED, ~gets | part.waiting[lane] & (row & wanted).any())
    if not p.has_escapes:
        return
    could = claims.was((wanted & reference.free()).any(), f"could_have_{lane}")
    claims.always(LAST_RESORT, ~(gets & part.escapes[port]) | ~could & (row == reference.escape_of(wanted)))


def _prove_examination(claims: Claims, part: Any, reference: AllocatorReference) -> None:
    picked = reference.picked
    free = Mux(reference.escapes, reference.free_escape(picked), (picked & reference.free()).any())
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
        first = Mux((row & reference.free()).any(), lowest_one(wants), 0)
        claims.always(OTHERS, leader.any() | (granted == first))


def _bound_waiting(
    claims: Claims, part: Any, reference: AllocatorReference, phases: CyclePhases, longest_wait: bool
) -> None:
    """While a head waits, and what is free for it stays free, it gets a lane when it leads."""
    p = part.parameters
    inputs = phases.first(p.order_size, range(len(p.input_lanes)))
    lanes = phases.first(p.lane_order_size, range(p.lanes)) if p.lanes > 1 else [0] * phases.count
    hopeful, most = [], []
    for port, lane in _lanes(p):
        wanted, number = part.wanted[lane], lane - p.spans[port][0]
        free = concat((wanted & reference.free(), reference.free_escape(reference.escape_of(wanted))))
        can = claims.named(free & part.waiting[lane].replicate(len(free)), f"can_have_{lane}")
        taken = (claims.was(can, f"could_have_had_{lane}") & ~can).any()
        hopeful.append(can.any() & ~taken)
        alone = p.is_host_input(port)
        passed = phases.passed(
            lambda phase, port=port, number=number, alone=alone: (
                inputs[phase] == port and (alone or lanes[phase] == number)
            )
        )
        # who is elected leads in the next cycle, and gets a lane in the one after that
        most.append([1 + passed[phase - 2] for phase in range(phases.count)])
    vain = bound_waiting(claims, phases, most, claims.named(concat(hopeful), "hopeful"), part.granted, WAIT_BOUND)
    if longest_wait:
        claims.possible("the longest wait", vain)
