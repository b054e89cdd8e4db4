"""Claims about ``MulticastKey``: the key is the lowest common ancestor, by a definition independent of the hardware.

The hardware looks for the one switch that branches and has no ancestor that does. Here a vertex is right if all
destinations are below it and if that is true of none of its children; the tree order is read off the chain of
parents of each processor.
"""

from typing import Any

from rtl.spam.multicast_key import MulticastKey
from tests.networks import figure_1, random_irregular, ring
from tests.proofs.claims import Claims, Describe
from tests.proofs.common.steady import steady_for
from tests.proofs.inside import Inside
from topology.common.graph import Network
from topology.common.lattice import lattice_network
from topology.spam.graph import SpamLabels

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
    """Claims about the key of a network.

    Parameters
    ----------
    tree : str
        One of ``TREES``.
    levels_per_cycle : int
        As in ``MulticastKey``.
    """

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
