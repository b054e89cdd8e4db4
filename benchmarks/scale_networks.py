"""Networks of all families from 16 to 65,536 nodes, each under a load near saturation.

Loads are flits per node and cycle. With constant links per node, the saturation load decreases with the mean path
length: with the side of tori and hexagonal meshes, and of patches of a lattice, where most routes also pass the root.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import isqrt
from typing import Any

FLITS = 64
NODES = (16, 64, 256, 1024, 4096, 16_384, 65_536)
MULTICAST_FRACTION, DESTINATIONS = 0.01, 16
MAX_MULTICASTS_PER_CYCLE = {"spam": 1.0, "min": 0.001}
"""In the whole network. One token serialises those of a multistage network that turn round at its last stage, so that
at most one in a few hundred cycles gets through, at any size."""
MAX_NODES_OF_BIT_STRINGS = 4096
"""Beyond, a header with a bit for every node would be longer than the messages; only unicasts are sent."""
BROADCAST_COPIES_SHARE = 1.0
"""Packets of broadcasts in hexagonal meshes for each of all others, roughly."""


@dataclass(frozen=True)
class Scaled:
    """Networks of a family.

    Members:
        title
        network: (nodes) -> the network's section.
        load: (nodes) -> flits per node and cycle.
        most_nodes: Limit of reasonable time and memory for a point.
    """

    title: str
    network: Callable[[int], dict[str, Any]]
    load: Callable[[int], float]
    most_nodes: int = NODES[-1]


def _power_of_two(nodes: int) -> int:
    return nodes.bit_length() - 1


def _hexagon(nodes: int) -> int:
    """Return the size of the mesh whose number of nodes is nearest."""
    return min(range(2, 149), key=lambda size: abs(3 * size * (size - 1) + 1 - nodes))


def _torus(nodes: int) -> dict[str, Any]:
    side = isqrt(nodes)
    return {"family": "torus", "topology": {"kind": "torus", "rows": side, "columns": side}, "virtual_channels": 2}


def _hypercube(nodes: int) -> dict[str, Any]:
    return {
        "family": "hypercube",
        "topology": {"kind": "hypercube", "dimensions": _power_of_two(nodes)},
        "virtual_channels": 2,
    }


def _spam(nodes: int) -> dict[str, Any]:
    return {"family": "spam", "topology": {"kind": "lattice", "switches": nodes, "seed": 7}, "flit_bits": 128}


def _min(nodes: int) -> dict[str, Any]:
    topology = {"kind": "bi-butterfly", "radix": 2, "stages": _power_of_two(nodes)}
    return {"family": "min", "topology": topology, "flit_bits": 128}


def _harts(nodes: int) -> dict[str, Any]:
    return {"family": "harts", "topology": {"kind": "hexmesh", "size": _hexagon(nodes)}, "flit_bits": 128}


FAMILIES = {
    "torus": Scaled("torus", _torus, lambda nodes: 1.9 / isqrt(nodes)),
    "hypercube": Scaled("hypercube", _hypercube, lambda _nodes: 0.2),
    "spam": Scaled("SPAM, lattice", _spam, lambda nodes: 0.7 / nodes**0.75, 16_384),
    "min": Scaled("MIN, bi-butterfly", _min, lambda _nodes: 0.1),
    "harts": Scaled("HARTS", _harts, lambda nodes: 0.35 / _hexagon(nodes)),
}


def configuration(family: str, nodes: int, cycles: int) -> dict[str, Any]:
    """Return a network under its load: uniform unicasts, and some multicasts where the hardware supports them.

    Parameters:
        family: One of ``FAMILIES``.
        nodes: One of ``NODES``; hexagonal meshes have a number near it.
        cycles: Cycles in which messages start.
    """
    scaled = FAMILIES[family]
    traffic: dict[str, Any] = {
        "kind": "random",
        "seed": 1,
        "cycles": cycles,
        "warmup_cycles": cycles // 10,
        "messages_per_node_per_cycle": scaled.load(nodes) / FLITS,
        "flits": FLITS,
    }
    if family in ("spam", "min") and nodes <= MAX_NODES_OF_BIT_STRINGS:
        messages_per_cycle = nodes * scaled.load(nodes) / FLITS
        fraction = min(MULTICAST_FRACTION, MAX_MULTICASTS_PER_CYCLE[family] / messages_per_cycle)
        traffic |= {"multicast_fraction": fraction, "destinations": min(DESTINATIONS, nodes - 1)}
    if family == "harts":
        share = BROADCAST_COPIES_SHARE * _hexagon(nodes) / (6 * nodes)
        traffic |= {"multicast_fraction": share / 4, "algorithm": "6-bcast"}
    return {"network": scaled.network(nodes), "traffic": traffic}
