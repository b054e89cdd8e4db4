"""Multicasts by partitioning (Sec. 3.4): each uses one distribution network, which spreads the load.

    phase 1    the source sends the message to its representative, a node of one of the distribution networks
    phase 2    from there U-torus in that network, to its nodes in all blocks where there are destinations
    phase 3    from each of these U-mesh in its block

A scheme has the name HT or HTB: dilation, type of the distribution networks, and whether phase 1 balances them. With B
a multicast goes to the network that has had the fewest so far, and to the node there that has had the fewest. Without,
a source that is in a network uses that (types II and IV); otherwise (I and III) it takes a network at random and the
node that this has in the source's own block.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from sim_model.torus.chains import Send, check_nodes, u_mesh, u_torus
from sim_model.torus.subnetworks import DEFAULT_OFFSET, Subnetwork, collection_networks, distribution_networks
from topology.torus.grid import Grid

EVERY_NODE = ("II", "IV")
"""Types whose networks have every node of the torus in one of them."""
MAX_PARTS = 64
"""Partitions that are cached."""


class Scheme(NamedTuple):
    """A way of partitioning.

    Members:
        dilation
        kind: Type of the distribution networks.
        balanced
    """

    dilation: int
    kind: str
    balanced: bool

    @classmethod
    def named(cls, name: str) -> "Scheme":
        """Return the scheme of a name such as ``4IIIB``.

        Raises:
            ValueError: If that is no name of a scheme.
        """
        parts = re.fullmatch(r"([1-9][0-9]?)(I|II|III|IV)(B?)", name)
        if parts is None:
            raise ValueError(f"Scheme is {name!r}; it must be a dilation, I to IV, and B or nothing, such as 4IIIB")
        return cls(int(parts[1]), parts[2], parts[3] == "B")

    @property
    def name(self) -> str:
        """HT or HTB."""
        return f"{self.dilation}{self.kind}{'B' if self.balanced else ''}"


@dataclass(frozen=True)
class PartitionedSends:
    """Sends of one multicast, by phases; in each phase parents come before their children.

    Members:
        network: Number of its distribution network.
        representative
        phases (tuple of three tuples of Send): With the numbers of the whole network's nodes. Steps count anew in each
            phase, and in each block of the third.
    """

    network: int
    representative: int
    phases: tuple[tuple[Send, ...], tuple[Send, ...], tuple[Send, ...]]

    @property
    def sends(self) -> list[Send]:
        """Those of all phases, one after the other."""
        return [send for phase in self.phases for send in phase]


class Partitioning:
    """The networks of a scheme, and how many multicasts they have had.

    Parameters:
        grid: A torus.
        seed: Same seed, same choices, on any machine.
        offset: See ``distribution_networks``.

    Raises:
        TopologyError: If the torus cannot be partitioned in this way.
    """

    def __init__(self, grid: Grid, scheme: Scheme, seed: int = 0, offset: int = DEFAULT_OFFSET):
        self.grid = grid
        self.scheme = scheme
        self.parts = _parts(grid, scheme.dilation, scheme.kind, offset)
        self._generator = np.random.Generator(np.random.PCG64(seed))
        self._multicasts_of_network = [0] * len(self.networks)
        self._multicasts_of_node = np.zeros(grid.nodes, dtype=np.int64)

    @property
    def networks(self) -> tuple[Subnetwork, ...]:
        """Distribution networks."""
        return self.parts.networks

    @property
    def blocks(self) -> tuple[Subnetwork, ...]:
        """Collection networks."""
        return self.parts.blocks

    def multicast(self, source: int, destinations: Sequence[int]) -> PartitionedSends:
        """Return the sends of the next multicast.

        No node gets the message twice: the source serves its own block itself, if it is the node of the distribution
        network there. Nor does any node get it without use: if the representative would neither be a destination nor
        send the message on, there is no phase 1.

        Raises:
            ValueError: If a node is not there.
        """
        check_nodes(self.grid, (source, *destinations))
        wanted = set(destinations) - {source}
        number, representative = self.choose(source)
        network = self.networks[number]
        in_block: dict[int, list[int]] = {}
        for node in sorted(wanted):
            in_block.setdefault(int(self.parts.block_of[node]), []).append(node)
        relays = [network.to_global(block) for block in sorted(in_block)]
        second = _sends_in(network, representative, [node for node in relays if node != source])
        third = tuple(
            send
            for block, relay in zip(sorted(in_block), relays, strict=True)
            for send in _sends_in(self.blocks[block], relay, in_block[block])
        )
        needed = representative in wanted or any(send.sender == representative for send in (*second, *third))
        first: tuple[Send, ...] = ()
        if needed and representative != source:
            first = (Send(0, source, representative, self.grid.shortest(source, representative)),)
        return PartitionedSends(number, representative, (first, second, third))

    def choose(self, source: int) -> tuple[int, int]:
        """Return the number of the distribution network of the next multicast, and its representative."""
        number = self._network_for(source)
        if self.scheme.balanced:
            representative = self._preferred(source, number)
        else:
            representative = int(self.parts.nodes_of_networks[number, self.parts.block_of[source]])
        self._multicasts_of_network[number] += 1
        self._multicasts_of_node[representative] += 1
        return number, representative

    def _network_for(self, source: int) -> int:
        if self.scheme.balanced:
            fewest = min(self._multicasts_of_network)
            candidates = [number for number, count in enumerate(self._multicasts_of_network) if count == fewest]
        elif self.scheme.kind in EVERY_NODE:
            candidates = self.parts.networks_of_nodes[source]
        else:
            candidates = range(len(self.networks))
        return candidates[int(self._generator.integers(len(candidates)))]

    def _preferred(self, source: int, number: int) -> int:
        """Return the node of a network with the fewest multicasts; of those the nearest to the source, then lowest."""
        parts, nodes = self.parts, self.parts.nodes_of_networks[number]
        row, column = self.grid.position(source)
        distance = (
            parts.row_gaps[row, nodes // self.grid.columns] + parts.column_gaps[column, nodes % self.grid.columns]
        )
        farther_than_all = self.grid.rows + self.grid.columns
        return int(nodes[np.argmin(self._multicasts_of_node[nodes] * farther_than_all + distance)])


@dataclass(frozen=True, eq=False)
class _Parts:
    """Partition of a torus, independent of its traffic.

    Members:
        networks, blocks (tuple of Subnetwork): Distribution and collection networks.
        block_of (int64[nodes]): Number of the block that each node is in.
        nodes_of_networks (int64[networks, blocks]): The node of each distribution network in each block; those of a
            network ascend.
        networks_of_nodes (sequence of sequences of int): Distribution networks that each node is in.
        row_gaps, column_gaps (int64[side, side]): Channels between two positions of a ring.
    """

    networks: tuple[Subnetwork, ...]
    blocks: tuple[Subnetwork, ...]
    block_of: np.ndarray
    nodes_of_networks: np.ndarray
    networks_of_nodes: Sequence[Sequence[int]]
    row_gaps: np.ndarray
    column_gaps: np.ndarray


@lru_cache(maxsize=MAX_PARTS)
def _parts(grid: Grid, dilation: int, kind: str, offset: int) -> _Parts:
    networks, blocks = distribution_networks(grid, dilation, kind, offset), collection_networks(grid, dilation)
    block_of = np.empty(grid.nodes, dtype=np.int64)
    for number, block in enumerate(blocks):
        block_of[list(block.nodes)] = number
    networks_of_nodes: list[list[int]] = [[] for _ in range(grid.nodes)]
    for number, network in enumerate(networks):
        for node in network.nodes:
            networks_of_nodes[node].append(number)
    return _Parts(
        networks,
        blocks,
        block_of,
        nodes_of_networks=np.array([network.nodes for network in networks]),
        networks_of_nodes=networks_of_nodes,
        row_gaps=_ring_gaps(grid.rows),
        column_gaps=_ring_gaps(grid.columns),
    )


def _ring_gaps(side: int) -> np.ndarray:
    """Return the channels between two positions of a ring, int64[side, side]."""
    ahead = (np.arange(side) - np.arange(side)[:, np.newaxis]) % side
    return np.minimum(ahead, (side - ahead) % side)


def _sends_in(network: Subnetwork, sender: int, receivers: Sequence[int]) -> tuple[Send, ...]:
    """Return a multicast within a subnetwork, by U-torus or U-mesh, with node numbers of the whole network."""
    source, *destinations = (network.to_local(node) for node in (sender, *receivers))
    assert source is not None
    inside = [own for own in destinations if own is not None]
    assert len(inside) == len(destinations), "a subnetwork has all its receivers"
    if network.grid.wraps:
        sends = u_torus(network.grid, source, inside, network.direction)
    else:
        sends = u_mesh(network.grid, source, inside)
    numbered = network.to_global
    return tuple(Send(step, numbered(start), numbered(end), turns) for step, start, end, turns in sends)
