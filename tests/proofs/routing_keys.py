"""Claims about parts that compute routing keys."""

from typing import Any

from amaranth.hdl import Array, Const, Mux, Signal

from rtl.min.turn_key import TurnKey
from rtl.parts.selection import concat
from rtl.spam.multicast_key import MulticastKey
from tests.networks import figure_1, random_irregular, ring
from tests.proofs.claims import Claims, Describe, Inside
from topology.common.graph import Network
from topology.common.lattice import lattice_network
from topology.min.graph import MinNetwork
from topology.min.routing import MinRouting
from topology.spam.graph import SpamLabels

# A stable input: parts that take several cycles for an answer guarantee nothing before.


def steady_for(claims: Claims, value: Any, cycles: int, name: str) -> Any:
    """True if a value is the same as in each of the last ``cycles`` cycles."""
    if cycles == 0:
        return claims.named(1, f"{name}_is_steady")
    before: Any = Signal(range(cycles + 1), name=f"{name}_has_stood_for")
    started = claims.was(1, f"{name}_has_a_past")
    same = claims.named(started & (value == claims.was(value, f"{name}_before")), f"{name}_stays")
    now: Any = claims.named(Mux(same, before + (before < cycles), 0), f"{name}_stands_for")
    claims.m.d.sync += before.eq(now)
    return claims.named(now >= cycles, f"{name}_is_steady")


# MulticastKey: the key is the lowest common ancestor, by a definition independent of the hardware.

# two arms of four switches each; one processor at the end of one, two at the end of the other
ARMS = Network(9, [(0, 1), (1, 2), (2, 3), (3, 4), (0, 5), (5, 6), (6, 7), (7, 8)], [4, 8, 8])
TREES = {
    "figure-1": lambda: SpamLabels(figure_1()),
    "arms": lambda: SpamLabels(ARMS, 0),
    "ring": lambda: SpamLabels(ring(7), 3),
    "star": lambda: SpamLabels(Network(1, [], [0, 0, 0])),
    "alone": lambda: SpamLabels(Network(1, [], [0])),
    "irregular": lambda: SpamLabels(random_irregular(2, 9)),
    "lattice": lambda: SpamLabels(lattice_network(16, seed=7)),
}


def multicast_key(tree: str, levels_per_cycle: int) -> Describe:
    """Claims about the key of a network."""

    def describe(claims: Claims) -> None:
        labels = TREES[tree]()
        part: Any = MulticastKey(labels, levels_per_cycle)
        claims.free_inputs(part)
        Inside(claims, part)
        destinations = part.destinations
        steady = steady_for(claims, destinations, part.key_cycles, "destinations")
        several = claims.named((destinations & (destinations - 1)).any(), "several")
        claims.always("multicast marks several destinations", ~steady | (part.multicast == several))
        asked = claims.named(steady & destinations.any(), "asked")
        below = _processors_below(labels)
        all_below = {v: claims.named(~(destinations & ~mask).any(), f"all_below_{v}") for v, mask in below.items()}
        claims.always("the key is a vertex", ~asked | (part.key < labels.network.vertices))
        for vertex in below:
            named = claims.named(asked & (part.key == vertex), f"key_is_{vertex}")
            claims.always("all destinations are below the key", ~named | all_below[vertex])
            for child in _children(labels, vertex):
                claims.always("the destinations are below no child of the key", ~named | ~all_below[child])
            if _can_be_key(labels, vertex, below):
                claims.possible(f"the key is vertex {vertex}", named)
        claims.possible("the key is there as soon as it may", asked & ~claims.was(asked, "asked"))

    return describe


def _processors_below(labels: SpamLabels) -> dict[int, int]:
    """Mask of the processors below each vertex, itself included."""
    network = labels.network
    below = dict.fromkeys(range(network.vertices), 0)
    for processor in range(len(network.processors)):
        vertex = network.processor_vertex(processor)
        below[vertex] |= 1 << processor
        while vertex != labels.root:
            vertex = int(labels.parent[vertex])
            below[vertex] |= 1 << processor
    return below


def _children(labels: SpamLabels, vertex: int) -> list[int]:
    others = (v for v in range(labels.network.vertices) if v != labels.root)
    return [child for child in others if int(labels.parent[child]) == vertex]


def _can_be_key(labels: SpamLabels, vertex: int, below: dict[int, int]) -> bool:
    """True if a vertex is a processor, or a switch with processors below two of its children."""
    ways = [child for child in _children(labels, vertex) if below[child]]
    return not labels.network.is_switch(vertex) or len(ways) > 1


# TurnKey: where a message turns round, read off the wires of the network instead of the digits.


def turn_key(kind: str, radix: int, stages: int) -> Describe:
    """Claims about the key of a network."""

    def describe(claims: Claims) -> None:
        routing = MinRouting(MinNetwork(kind, radix, stages), 16)
        part: Any = TurnKey(routing)
        claims.free_inputs(part)
        Inside(claims, part)
        destinations, processors = part.destinations, part.processors
        inputs: Any = destinations
        if part.levels:
            inputs = concat((destinations, part.node))
            claims.assume(part.node < processors)
        steady = steady_for(claims, inputs, part.key_cycles, "sender_and_destinations")
        several = claims.named((destinations & (destinations - 1)).any(), "several")
        claims.always("multicast marks several destinations", ~steady | (part.multicast == several))
        for i in range(processors):
            alone = claims.named(steady & (destinations == 1 << i), f"only_{i}")
            claims.always("one destination is its own key", ~alone | (part.key == i))
        asked = claims.named(steady & several, "multicast_asked")
        first = part.key - processors
        claims.always("several have a key that is none of theirs", ~asked | (part.key >= processors))
        if not part.levels:
            claims.always("without a way back there is one such key", ~asked | (first == 0))
            claims.possible("a multicast to all", asked & destinations.all())
            return
        for stage in range(routing.network.stages):
            within = claims.named(~(destinations & ~_reached(claims, routing, part.node, stage)).any(), f"at_{stage}")
            before = claims.named(_before(claims, routing, part, stage), f"before_{stage}")
            right = claims.named(within & ~before, f"turns_at_{stage}")
            claims.always("the turn is the first one from which all are reached", ~asked | ((first == stage) == right))
            claims.possible(f"a multicast turns at stage {stage}", asked & (first == stage))

    return describe


def _before(claims: Claims, routing: MinRouting, part: Any, stage: int) -> Any:
    """True if an earlier stage reaches all destinations."""
    if stage == 0:
        return Const(0)
    return ~(part.destinations & ~_reached(claims, routing, part.node, stage - 1)).any()


def _reached(claims: Claims, routing: MinRouting, node: Any, stage: int) -> Any:
    """Processors to the left of the switch that a message of a sender reaches at a stage on its way up."""
    network = routing.network
    rows = []
    for sender in range(len(network.processors)):
        switch = network.processors[sender]
        for _ in range(stage):
            up = network.output_channel[switch][network.radix]  # any way up has the same processors to its left
            switch = network.channels[up].sink
        rows.append(sum(1 << int(processor) for processor in routing.reach[switch].any(axis=0).nonzero()[0]))
    width = len(network.processors)
    return claims.named(Array(Const(row, width) for row in rows)[node], f"reached_from_stage_{stage}")
