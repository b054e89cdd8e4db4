"""Multicasts by partitioning (Sec. 3.4): each goes through one distribution network, so that they do not all meet.

    phase 1    the source sends the message to its representative, a node of one of the distribution networks
    phase 2    from there U-torus in that network, to its nodes in all blocks where there are destinations
    phase 3    from each of these U-mesh in its block

A scheme has the name HT or HTB: dilation, type of the distribution networks, and whether phase 1 balances them. With B
a multicast goes to the network that has had the fewest so far, and to the node there that has had the fewest. Without,
a source that is in a network uses that (types II and IV); otherwise (I and III) it takes a network at random and the
node that this has in the source's own block.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sim_model.torus.chains import Send, check_nodes, u_mesh, u_torus
from sim_model.torus.subnetworks import DEFAULT_OFFSET, Subnetwork, collection_networks, distribution_networks
from topology.torus.grid import Grid

EVERY_NODE = ("II", "IV")
"""Types whose networks have every node of the torus in one of them."""


class Scheme(NamedTuple):
    """A way of partitioning.

    Members
    -------
    dilation : int
    kind : str
        Type of the distribution networks.
    balanced : bool
    """

    dilation: int
    kind: str
    balanced: bool

    @classmethod
    def named(cls, name: str) -> "Scheme":
        """Scheme of a name such as ``4IIIB``.

        Raises
        ------
        ValueError
            If that is no name of a scheme.
        """
        parts = re.fullmatch(r"([1-9][0-9]?)(I|II|III|IV)(B?)", name)
        if parts is None:
            raise ValueError(f"Scheme must be a dilation, I to IV, and B or nothing, such as 4IIIB, not {name!r}")
        return cls(int(parts[1]), parts[2], parts[3] == "B")

    @property
    def name(self) -> str:
        """HT or HTB."""
        return f"{self.dilation}{self.kind}{'B' if self.balanced else ''}"


@dataclass(frozen=True)
class PartitionedSends:
    """Sends of one multicast, by phases; in each phase parents come before their children.

    Members
    -------
    network : int
        Number of its distribution network.
    representative : int
    phases : tuple of three tuples of Send
        With the numbers of the whole network's nodes; steps count anew in each phase, and in each block of the third.
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

    Parameters
    ----------
    grid : Grid
        A torus.
    scheme : Scheme
    seed : int
        Same seed, same choices, on any machine.
    offset : int
        See ``distribution_networks``.

    Raises
    ------
    TopologyError
        If the torus cannot be partitioned in this way.
    """

    def __init__(self, grid: Grid, scheme: Scheme, seed: int = 0, offset: int = DEFAULT_OFFSET):
        self.grid = grid
        self.scheme = scheme
        self.networks = distribution_networks(grid, scheme.dilation, scheme.kind, offset)
        self.blocks = collection_networks(grid, scheme.dilation)
        self._block_of = {node: number for number, block in enumerate(self.blocks) for node in block.nodes}
        self._generator = np.random.Generator(np.random.PCG64(seed))
        self._multicasts_of_network: Counter[int] = Counter()
        self._multicasts_of_node: Counter[int] = Counter()

    def multicast(self, source: int, destinations: Sequence[int]) -> PartitionedSends:
        """Sends of the next multicast.

        Nobody gets the message twice: the source sees to its own block itself, if it is the node of the distribution
        network there. Nor does anybody get it in vain: if the representative would neither be a destination nor send
        the message on, there is no phase 1.

        Raises
        ------
        ValueError
            If a node is not there.
        """
        check_nodes(self.grid, (source, *destinations))
        wanted = set(destinations) - {source}
        number, representative = self._choose(source)
        network = self.networks[number]
        in_block: dict[int, list[int]] = {}
        for node in sorted(wanted):
            in_block.setdefault(self._block_of[node], []).append(node)
        relays = [network.whole_number(block) for block in sorted(in_block)]
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

    def _choose(self, source: int) -> tuple[int, int]:
        """Number of a distribution network, and representative."""
        number = self._network_for(source)
        network = self.networks[number]
        if self.scheme.balanced:
            representative = min(network.nodes, key=lambda node: self._preference(source, node))
        else:
            representative = network.whole_number(self._block_of[source])
        self._multicasts_of_network[number] += 1
        self._multicasts_of_node[representative] += 1
        return number, representative

    def _network_for(self, source: int) -> int:
        numbers = range(len(self.networks))
        if self.scheme.balanced:
            fewest = min(self._multicasts_of_network[number] for number in numbers)
            candidates = [number for number in numbers if self._multicasts_of_network[number] == fewest]
        elif self.scheme.kind in EVERY_NODE:
            candidates = [number for number in numbers if self.networks[number].own_number(source) is not None]
        else:
            candidates = list(numbers)
        return candidates[int(self._generator.integers(len(candidates)))]

    def _preference(self, source: int, node: int) -> tuple[int, int, int]:
        """Fewest multicasts first, then the nearest to the source, then the lowest."""
        return self._multicasts_of_node[node], self._distance(source, node), node

    def _distance(self, source: int, node: int) -> int:
        (row, column), (to_row, to_column) = self.grid.position(source), self.grid.position(node)
        return _around(row, to_row, self.grid.rows) + _around(column, to_column, self.grid.columns)


def _around(start: int, end: int, side: int) -> int:
    """Channels between two positions of a ring."""
    return min((end - start) % side, (start - end) % side)


def _sends_in(network: Subnetwork, sender: int, receivers: Sequence[int]) -> tuple[Send, ...]:
    """A multicast within a subnetwork, U-torus or U-mesh; numbers of the whole network outside and in the result."""
    source, *destinations = (network.own_number(node) for node in (sender, *receivers))
    assert source is not None
    inside = [own for own in destinations if own is not None]
    assert len(inside) == len(destinations), "a subnetwork has all its receivers"
    if network.grid.wraps:
        sends = u_torus(network.grid, source, inside, network.direction)
    else:
        sends = u_mesh(network.grid, source, inside)
    numbered = network.whole_number
    return tuple(Send(step, numbered(start), numbered(end), turns) for step, start, end, turns in sends)
