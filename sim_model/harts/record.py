"""Recorded signals of the nodes: headers on the links, and the side wires (docs/understand/lockstep.md)."""

import numpy as np

from sim_model.engines.cycle.discards import record_discards
from sim_model.engines.cycle.state import NONE
from sim_model.loops.compiled import compiled
from topology.harts.graph import DIRECTIONS
from topology.harts.pages import KEPT_BITS

# The variant of a flit that has been at a node: those fields of its packet's header that nodes change, lowest first.
VARIANT_FIELDS = (
    ("changed", 1),  # marks a changed flit
    ("spoilt", 1),
    ("direction", 3),
    ("forwarded", 1),
    ("stage", 2),
    ("tag", 3),
    ("distance", 10),
    ("hops", 10),
    ("m0", 6),
    ("m1", 6),
    ("m2", 6),
)
VARIANT_POSITION = {
    name: (sum(bits for _, bits in VARIANT_FIELDS[:number]), bits) for number, (name, bits) in enumerate(VARIANT_FIELDS)
}
TAG_MASK = (1 << VARIANT_POSITION["m0"][1]) - 1
SPOILT, DIRECTION, FORWARDED, STAGE, TAG, DISTANCE, HOPS, M0, M1, M2 = (
    VARIANT_POSITION[name][0] for name, _ in VARIANT_FIELDS[1:]
)


def variant_field(variant: np.ndarray, name: str) -> np.ndarray:
    """Return one field of many variants."""
    low, bits = VARIANT_POSITION[name]
    return variant >> low & (1 << bits) - 1


@compiled
def record_nodes(cycle, state, family, trace, row):
    """Write the headers of a cycle's flits, the side wires and the status outputs into a recording."""
    flits, variants = trace.flits, trace.variants
    for number in range(state.vertices[state.switches].first_output):
        if flits[row, number] != NONE:
            variants[row, number] = _variant(family.heads[number])
    for number in range(len(state.stages)):
        first_hop = state.stages[number].first_hop
        if first_hop == 0:
            continue  # a channel from or to a host
        for hop in range(first_hop, first_hop + state.link_stages):
            if flits[row, hop] != NONE:
                variants[row, hop] = _variant(family.heads[number])
    first = _record_pages(state, family, trace.signals[row])
    record_discards(cycle, family.discards, trace.signals[row], first)


@compiled
def _variant(head):
    return (
        1
        | head.spoilt << SPOILT
        | head.direction << DIRECTION
        | head.forwarded << FORWARDED
        | head.stage << STAGE
        | head.tag << TAG
        | head.distance << DISTANCE
        | head.hops << HOPS
        | (head.m0 & TAG_MASK) << M0
        | (head.m1 & TAG_MASK) << M1
        | (head.m2 & TAG_MASK) << M2
    )


@compiled
def _record_pages(state, family, signals):
    """Write ``kept`` and ``wish``, in the order of ``page_wires``. Returns the end of their bits."""
    low = 0
    for switch in range(state.switches):
        for direction in range(DIRECTIONS):
            number = state.input_channel[switch, direction]
            receiver = family.receivers[number]
            signals[low] = receiver.landing != NONE
            signals[low + 1] = receiver.for_any
            low += KEPT_BITS
            wish = family.transmitters[number].wish
            for bit in range(family.level_bits):
                signals[low + bit] = wish >> bit & 1
            low += family.level_bits
    return low
