"""Claims about the allocator of adaptive switches, and its contract."""

from collections.abc import Iterator
from typing import Any

from amaranth.hdl import Const, Mux, Signal, Value

from rtl.hypercube.parameters import HypercubeRouterParameters
from rtl.hypercube.vc_allocator import VcAllocator
from rtl.parts.selection import concat, either, lowest_one
from rtl.vc.cycle_order import pairs
from tests.proofs.claims import Claims, Describe, Inside, at_most_one
from tests.proofs.hypercube_ports import is_shared, sound_heads
from tests.proofs.vc_orders import CyclePhases, RandomReference
from tests.proofs.vc_orders import bound_phases_waited as bound_waiting
from topology.hypercube.routing import RULES, WRONG_ESCAPE

# Guarantees of the allocator for heads and VCs in every cycle, by its ports.

ONE_HEAD = "a VC goes to one head at most"
ONE_VC = "a head gets one VC at most"
WANTED = "a head gets a VC only if it waits for that output"
FREE = "only a free VC is got"
TAKEN = "a free VC that a head gets is taken, and no other one"
RIGHT_ESCAPE = "a head gets an escape only where it may"

Condition = tuple[str, Value]
"""A condition, and the name of the property that it belongs to."""


def input_vcs(p: HypercubeRouterParameters) -> list[tuple[int, int]]:
    """Of every input VC its input and its number."""
    return [(port, vc) for port, (low, high) in enumerate(p.spans) for vc in range(low, high)]


def free_outputs(part: Any) -> Value:
    """By output, whether it has a free VC for any head."""
    p = part.parameters
    bits = dict(zip(p.adaptive_outputs, part.free, strict=True))
    return concat(bits.get(output, Const(0)) for output in range(len(p.output_vcs)))


def escape_of(part: Any, wanted: Any) -> Value:
    """The dimension, as an output, whose escape VC a head may have; 0 if there is none."""
    p = part.parameters
    if not p.has_escapes:
        return Value.cast(Const(0, len(wanted)))
    ways = [wanted[d] for d in range(p.dimensions)]
    lowest = lowest_one(concat(ways))
    if p.rule != WRONG_ESCAPE:
        return concat((lowest, Const(0)))
    highest = lowest_one(concat(reversed(ways)))
    return concat((Mux(part.odd, concat(highest[d] for d in reversed(range(p.dimensions))), lowest), Const(0)))


def promises(claims: Claims, part: Any, name: str) -> Iterator[Condition]:
    """Guarantees about heads and VCs."""
    for output in range(len(part.parameters.output_vcs)):
        yield from _of_vcs(claims, part, output, f"{name}_{output}")
    for port, vc in input_vcs(part.parameters):
        row, gets, wanted = part.rows[port], part.granted[vc], part.wanted[vc]
        yield ONE_VC, ~gets | at_most_one(row)
        yield WANTED, ~gets | part.waiting[vc] & (row & wanted).any()
        if part.parameters.has_escapes:
            yield RIGHT_ESCAPE, ~(gets & part.escapes[port]) | (row == escape_of(part, wanted))


def _of_vcs(claims: Claims, part: Any, output: int, name: str) -> Iterator[Condition]:
    """Of an output: the heads that get an adaptive VC there, and the head that gets the escape channel."""
    p = part.parameters
    vcs = input_vcs(p)
    got = [part.granted[vc] & part.rows[port][output] for port, vc in vcs]
    escapes = [part.escapes[port] for port, _ in vcs]
    adaptive = claims.named(concat(g & ~e for g, e in zip(got, escapes, strict=True)), f"{name}_is_got")
    escape = claims.named(concat(g & e for g, e in zip(got, escapes, strict=True)), f"{name}_is_got_as_escape")
    free = taken = free_escape = taken_escape = Value.cast(0)
    if output in p.adaptive_outputs:
        number = p.adaptive_outputs.index(output)
        free, taken = part.free[number], part.taken[number]
    if p.has_escapes and output != p.delivery:
        free_escape, taken_escape = part.free_escapes[output], part.taken_escapes[output]
    yield ONE_HEAD, at_most_one(adaptive)
    yield ONE_HEAD, at_most_one(escape)
    yield FREE, ~adaptive.any() | free
    yield FREE, ~escape.any() | free_escape
    yield TAKEN, (taken & free) == adaptive.any()
    yield TAKEN, (taken_escape & free_escape) == escape.any()


# Reference model of election, pick and random order, by docs/look_up/timing_hypercube.md.


def first_one(requests: Any, before: Any) -> Value:
    """Of some requesters the one that comes before all others that request, one-hot."""
    position = {pair: k for k, pair in enumerate(pairs(len(requests)))}

    def comes_first(i: int, j: int) -> Any:
        return before[position[i, j]] if i < j else ~before[position[j, i]]

    numbers = range(len(requests))
    beaten = [concat(requests[j] & comes_first(j, i) for j in numbers if j != i).any() for i in numbers]
    return concat(requests[i] & ~beaten[i] for i in numbers)


class AllocatorReference:
    """The leader of the election, and its pick.

    picker: The VC that has picked in the last cycle, one-hot or 0.
    picked: The output that it has picked, one-hot or 0.
    escapes: It has picked the escape VC.
    random: None with a single dimension.
    """

    def __init__(self, claims: Claims, part: Any):
        p = self._parameters = part.parameters
        self._part = part
        outputs, vcs = len(p.output_vcs), len(part.asking)
        leader: Any = Signal(vcs, name="reference_leader")
        wanted = [row & leader[vc].replicate(outputs) for vc, row in enumerate(part.wanted)]
        asked: Any = claims.named(either(wanted), "leader_wants")
        usable: Any = claims.named(asked & free_outputs(part), "leader_can_have")
        ways = usable[: p.dimensions]
        chose = claims.was(ways.any(), "leader_has_chosen")
        self.random = RandomReference(claims, p.dimensions, chose) if p.dimensions > 1 else None
        first = self.random.first_of(ways) if self.random else ways
        own = Mux(usable.any(), concat((first, usable[p.delivery])), escape_of(part, asked))
        self.picker: Any = Signal(vcs, name="picker")
        self.picked: Any = Signal(outputs, name="picked")
        self.escapes: Any = Signal(name="picked_an_escape")
        claims.m.d.sync += [
            leader.eq(self._elected(claims)),
            self.picker.eq(leader),
            self.picked.eq(own),
            self.escapes.eq(~usable.any() & int(p.has_escapes)),
        ]

    def _elected(self, claims: Claims) -> Value:
        """The first VC of the cycle of the first input of the cycle."""
        part, spans = self._part, self._parameters.spans
        ports = claims.named(concat(part.asking[low:high].any() for low, high in spans), "ports_that_ask")
        first = claims.named(first_one(ports, part.before), "first_port")
        rows = []
        for port, (low, high) in enumerate(spans):
            asking = part.asking[low:high]
            vc = first_one(asking, part.lane_before) if high - low > 1 else asking
            rows.append(vc & first[port].replicate(high - low))
        return concat(rows)

    def free_escape(self, escape: Any) -> Value:
        """True if the escape channel of an output is free."""
        p = self._parameters
        return (escape[: p.dimensions] & self._part.free_escapes).any() if p.has_escapes else Value.cast(Const(0))


# VcAllocator: a VC goes to one head, a head gets one VC, VCs that stay free are granted.

LAST_RESORT = "a head gets an escape only if it could have no other VC"
LOOKS = "the leader looks at what comes first in the random order of all that it can have"
LEADER = "the leader gets what it has picked, if that is still free"
ALONE = "at the leader's input no other head gets a VC"
OTHERS = "elsewhere the lowest head that requests its input's pick gets it, if it is free"
WAIT_BOUND = "a head with a free VC that no other head takes gets one before all orders have been"
FLIT_BITS = 8


def vc_allocator(
    dimensions: int, vcs: int, channels: int = 1, rule: str = RULES[0], *, longest_wait: bool = True, **settings: str
) -> Describe:
    """Claims about the allocator of a switch."""

    def describe(claims: Claims) -> None:
        p = HypercubeRouterParameters(FLIT_BITS, dimensions, vcs, injection_channels=channels, rule=rule, **settings)
        part = VcAllocator(p)
        claims.free_inputs(part, ("before", "lane_before"))
        inside = Inside(claims, part)
        phases = _drive_orders(claims, part)
        if rule == WRONG_ESCAPE:
            claims.never_changes(part.odd)
        for port, vc in input_vcs(p):
            head = (part.asking[vc], part.waiting[vc], part.wanted[vc], part.granted[vc])
            shared = is_shared(p, port, vc - p.spans[port][0])
            for condition in sound_heads(claims, p, port, head, f"head_{vc}", shared=shared):
                claims.assume(condition)
        reference = AllocatorReference(claims, part)
        if reference.random:
            reference.random.tie(claims, inside, "order")
        for name, condition in promises(claims, part, "output"):
            claims.always(name, condition)
        for port, vc in input_vcs(p):
            could = claims.was((part.wanted[vc] & free_outputs(part)).any(), f"could_have_{vc}")
            claims.always(LAST_RESORT, ~(part.granted[vc] & part.escapes[port]) | ~could)
        _prove_examination(claims, part, reference)
        _bound_waiting(claims, part, reference, phases, longest_wait)
        claims.possible("two heads get VCs in one cycle", ~at_most_one(part.granted))
        if p.has_escapes:
            claims.possible("a head gets an escape as another one gets a VC", part.escapes.any() & part.taken.any())

    return describe


def _drive_orders(claims: Claims, part: Any) -> CyclePhases:
    """The orders of the cycle, which are proved of ``CycleOrder``."""
    p = part.parameters
    phases = CyclePhases(claims, [p.order_size] + [p.vc_order_size] * (p.vcs > 1))
    claims.m.d.comb += part.before.eq(phases.before(claims, p.order_size, range(len(p.input_vcs)), "before"))
    if p.vcs > 1:
        claims.m.d.comb += part.lane_before.eq(phases.before(claims, p.vc_order_size, range(p.vcs), "lane_before"))
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
            concat(part.waiting[vc] & (part.wanted[vc] & row).any() for vc in range(low, high)), f"wants_{port}"
        )
        first = Mux((row & free_outputs(part)).any(), lowest_one(wants), 0)
        claims.always(OTHERS, leader.any() | (granted == first))


def _bound_waiting(
    claims: Claims, part: Any, reference: AllocatorReference, phases: CyclePhases, longest_wait: bool
) -> None:
    """While a head waits, and its free VCs stay free, it gets a VC when it leads."""
    p = part.parameters
    inputs = phases.first(p.order_size, range(len(p.input_vcs)))
    vcs = phases.first(p.vc_order_size, range(p.vcs)) if p.vcs > 1 else [0] * phases.count
    hopeful, most = [], []
    for port, vc in input_vcs(p):
        wanted, number = part.wanted[vc], vc - p.spans[port][0]
        free = concat((wanted & free_outputs(part), reference.free_escape(escape_of(part, wanted))))
        can = claims.named(free & part.waiting[vc].replicate(len(free)), f"can_have_{vc}")
        taken = (claims.was(can, f"could_have_had_{vc}") & ~can).any()
        hopeful.append(can.any() & ~taken)
        alone = p.is_host_input(port)
        passed = phases.passed(
            lambda phase, port=port, number=number, alone=alone: (
                inputs[phase] == port and (alone or vcs[phase] == number)
            )
        )
        # the elected VC leads in the next cycle, and gets a VC in the one after; on a shared one it may wait before
        late = 1 + is_shared(p, port, number)
        most.append([late + passed[phase - 2] for phase in range(phases.count)])
    vain = bound_waiting(claims, phases, most, claims.named(concat(hopeful), "hopeful"), part.granted, WAIT_BOUND)
    if longest_wait:
        claims.possible("the longest wait", vain)
