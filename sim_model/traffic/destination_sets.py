"""Destinations of multicasts: a set for the source of each message."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from sim_model.messages.header_lengths import distinct
from sim_model.traffic.counts import Count
from topology.common.channels import ChannelNetwork

CHUNK_KEYS = 1 << 20
"""Random numbers that are stored at a time."""


def random_subsets(generator: np.random.Generator, candidates: Any, counts: np.ndarray) -> np.ndarray:
    """Return ``counts`` of each row's candidates, all subsets of that size equally likely.

    Every candidate gets a random number, of which the smallest win. Its low bits are the candidate, so that no two are
    alike, and the winners do not depend on how the machine sorts.

    Parameters:
        candidates (bool[G, N]): An array, or something else with a shape and slices of rows.
        counts (int[G]): At least 1, and at most the row's candidates.

    Returns:
        int64[counts.sum()]: The subsets one after the other, each ascending.
    """
    rows, nodes = candidates.shape
    chunk = max(1, CHUNK_KEYS // max(1, nodes))
    parts = [
        _subsets(generator, candidates[first : first + chunk], counts[first : first + chunk])
        for first in range(0, rows, chunk)
    ]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


def _subsets(generator: np.random.Generator, candidates: np.ndarray, counts: np.ndarray) -> np.ndarray:
    rows, nodes = candidates.shape
    low = (1 << (nodes - 1).bit_length()) - 1
    keys = generator.integers(1 << 62, size=(rows, nodes)) & ~low | np.arange(nodes)
    keys[~candidates] = np.iinfo(np.int64).max
    bounds = np.empty(rows, dtype=np.int64)
    for count in distinct(counts).tolist():
        alike = counts == count
        bounds[alike] = np.partition(keys[alike], count - 1, axis=1)[:, count - 1]
    return np.nonzero(keys <= bounds[:, np.newaxis])[1]


def entries_of_rows(offsets: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions of the entries of some rows in a concatenated list of rows.

    Parameters:
        offsets (int64[R + 1]): Row r has the entries ``offsets[r] .. offsets[r + 1] - 1``.
        rows (int[G])

    Returns:
        positions (int64)
        counts (int64[G]): Number of entries of each of these rows.
    """
    counts = offsets[rows + 1] - offsets[rows]
    behind = np.cumsum(counts)
    return np.repeat(offsets[rows] - (behind - counts), counts) + np.arange(int(counts.sum())), counts


class DestinationSets(Protocol):
    """A distribution of destination sets."""

    def draw(self, generator: np.random.Generator, source: np.ndarray, /) -> tuple[np.ndarray, np.ndarray]:
        """Return the destinations of each message.

        Parameters:
            generator: NumPy's; the only source of chance.
            source (int64[G]): Source of each message.

        Returns:
            destinations (int64): Of one message after the other, ascending, without its source.
            counts (int64[G]): Number of destinations of each; messages without any are not sent.
        """
        ...


@dataclass(frozen=True, eq=False)
class RandomSets:
    """Some of the source's candidates, all sets of that size equally likely.

    Parameters:
        candidates (bool[nodes, nodes], or EveryOther): By source.
        count: Number of destinations; at most as many as a node has.
    """

    candidates: "np.ndarray | EveryOther"
    count: Count

    def draw(self, generator: np.random.Generator, source: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """See ``DestinationSets.draw``."""
        counts = self.count.draw(generator, len(source))
        return random_subsets(generator, _RowsOf(self.candidates, source), counts), counts


@dataclass(frozen=True, eq=False)
class WholeSets:
    """All of the source's candidates.

    Parameters:
        candidates (bool[nodes, nodes]): By source.
    """

    candidates: np.ndarray

    def draw(self, _generator: np.random.Generator, source: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """See ``DestinationSets.draw``."""
        offsets = np.concatenate(([0], np.cumsum(self.candidates.sum(axis=1))))
        positions, counts = entries_of_rows(offsets, source)
        return np.nonzero(self.candidates)[1][positions], counts


@dataclass(frozen=True)
class EveryOther:
    """``all_others`` without the table, whose rows are built on request."""

    nodes: int

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the table."""
        return self.nodes, self.nodes

    def __getitem__(self, source: np.ndarray) -> np.ndarray:
        rows = np.ones((len(source), self.nodes), dtype=bool)
        rows[np.arange(len(source)), source] = False
        return rows


@dataclass(frozen=True, eq=False)
class _RowsOf:
    """Candidates of the sources of some messages, built on request."""

    candidates: np.ndarray | EveryOther
    source: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.source), self.candidates.shape[1]

    def __getitem__(self, messages: slice) -> np.ndarray:
        return self.candidates[self.source[messages]]


@dataclass(frozen=True)
class Broadcasts:
    """Every other node, equal to ``WholeSets`` of ``all_others``."""

    nodes: int

    def draw(self, _generator: np.random.Generator, source: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """See ``DestinationSets.draw``."""
        others = np.arange(self.nodes - 1)
        destinations = others + (others >= source[:, np.newaxis])
        return destinations.ravel(), np.full(len(source), self.nodes - 1)


def all_others(nodes: int) -> np.ndarray:
    """Return the table in which every other node is a candidate, bool[nodes, nodes]."""
    return ~np.eye(nodes, dtype=bool)


def near(network: ChannelNetwork, most_links: int) -> np.ndarray:
    """Return the table of candidates within ``most_links`` links between switches, bool[nodes, nodes].

    Raises:
        ValueError: If a node has none.
    """
    candidates = (distances(network) <= most_links) & all_others(len(network.processors))
    lonely = np.flatnonzero(~candidates.any(axis=1))
    if len(lonely):
        raise ValueError(f"Distance is {most_links!r}; it must be so large that every node has another one near")
    return candidates


def distances(network: ChannelNetwork) -> np.ndarray:
    """Return the links between switches on a shortest path between two nodes, float[nodes, nodes]."""
    from scipy.sparse import csr_array  # for this pattern alone: it takes as long to load as NumPy
    from scipy.sparse.csgraph import shortest_path

    links = [(c.source, c.sink) for c in network.channels if max(c.source, c.sink) < network.switches]
    ends = np.array(links, dtype=np.int64).reshape(-1, 2)
    graph = csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(network.switches, network.switches))
    between = shortest_path(graph, unweighted=True)[np.array(network.processors)]
    found = np.full((len(network.processors),) * 2, np.inf)
    for channel, processor in zip(network.delivery_channels, network.delivery_processors, strict=True):
        found[:, processor] = np.minimum(found[:, processor], between[:, network.channels[channel].source])
    return found


def line(network: ChannelNetwork, dimension: int) -> np.ndarray:
    """Return the table of candidates whose coordinates differ in this dimension alone, bool[nodes, nodes].

    Dimension 0 is a node's row, dimension 1 its column.

    Raises:
        ValueError: "needs X, not Y" if the network has no such dimension.
    """
    from sim_model.traffic.permutations import coordinates  # here, for sets that need no coordinates

    places = coordinates(network)
    if len(places) <= dimension:
        raise ValueError(f"needs a network with at least {dimension + 1} dimensions, not {len(places)}")
    candidates = all_others(len(network.processors))
    for other, place in enumerate(places):
        if other != dimension:
            candidates &= place[:, np.newaxis] == place[np.newaxis, :]
    return candidates


def same_group(groups: Sequence[Sequence[int]], nodes: int) -> np.ndarray:
    """Return the table of candidates in a node's group, bool[nodes, nodes]; nodes without a group have none.

    Raises:
        ValueError: If a member is no processor, or in two groups.
    """
    group_of = np.full(nodes, -1)
    for number, group in enumerate(groups):
        for member in group:
            if not 0 <= member < nodes:
                raise ValueError(f"Member of a group is {member!r}; it must be a processor, 0 to {nodes - 1}")
            if group_of[member] >= 0:
                raise ValueError(f"Members of groups must be different processors, not {member!r} twice")
            group_of[member] = number
    alike = group_of[:, np.newaxis] == group_of[np.newaxis, :]
    return alike & (group_of >= 0)[:, np.newaxis] & all_others(nodes)
