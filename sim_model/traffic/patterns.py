"""Destinations of unicasts: one for the source of each message.

Messages from a node to itself are not sent at all: with transpose traffic the nodes on the diagonal are silent, and
messages of other nodes do not depend on it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from topology.common.outside import FAILURES, failure_text


class Pattern(Protocol):
    """A distribution of destinations."""

    def draw(self, generator: np.random.Generator, source: np.ndarray, /) -> np.ndarray:
        """Return the destination of each message, int[M]; those equal to their source are not sent.

        Parameters:
            generator: NumPy's; the only source of chance.
            source (int64[M]): Source of each message.
        """
        ...


@dataclass(frozen=True)
class UniformPattern:
    """Any other node, all equally likely.

    Parameters:
        nodes: At least 2.
    """

    nodes: int

    def draw(self, generator: np.random.Generator, source: np.ndarray) -> np.ndarray:
        """See ``Pattern.draw``."""
        drawn = generator.integers(self.nodes - 1, size=len(source))
        return drawn + (drawn >= source)


@dataclass(frozen=True, eq=False)
class FixedPattern:
    """Every node always sends to one node; a node assigned to itself does not send.

    Parameters:
        destination_of (int[nodes])
    """

    destination_of: np.ndarray

    def draw(self, _generator: np.random.Generator, source: np.ndarray) -> np.ndarray:
        """See ``Pattern.draw``."""
        return self.destination_of[source]


def permutation_pattern(destinations: Sequence[int], nodes: int) -> FixedPattern:
    """Return the pattern of an explicit permutation.

    Raises:
        ValueError: If it names not every node once.
    """
    if sorted(destinations) != list(range(nodes)):
        raise ValueError(f"Destinations of a permutation must be all processors, 0 to {nodes - 1}, each of them once")
    return FixedPattern(np.array(destinations))


@dataclass(frozen=True)
class HotSpotPattern:
    """A share of the messages goes to hot nodes, all of them equally likely, and the rest to any other node.

    A hot node that is drawn for itself does not send.

    Parameters:
        nodes
        hot_nodes: All different.
        share: Greater than 0, at most 1.

    Raises:
        ValueError: "X is Z; it must be Y".
    """

    nodes: int
    hot_nodes: Sequence[int]
    share: float

    def __post_init__(self):
        for node in self.hot_nodes:
            if not 0 <= node < self.nodes:
                raise ValueError(f"Hot node is {node!r}; it must be a processor, 0 to {self.nodes - 1}")
        if not self.hot_nodes or len(set(self.hot_nodes)) < len(self.hot_nodes):
            raise ValueError(f"Hot nodes are {list(self.hot_nodes)!r}; they must be different processors, at least 1")
        if not 0 < self.share <= 1:
            raise ValueError(f"Share of hot nodes is {self.share!r}; it must be greater than 0, at most 1")

    def draw(self, generator: np.random.Generator, source: np.ndarray) -> np.ndarray:
        """See ``Pattern.draw``."""
        hot = np.array(self.hot_nodes)[generator.integers(len(self.hot_nodes), size=len(source))]
        is_hot = generator.random(len(source)) < self.share
        return np.where(is_hot, hot, UniformPattern(self.nodes).draw(generator, source))


@dataclass(frozen=True, eq=False)
class CandidatePattern:
    """Any of the source's candidates, all equally likely.

    Parameters:
        candidates (bool[nodes, nodes]): By source; every node has at least one.
    """

    candidates: np.ndarray

    def draw(self, generator: np.random.Generator, source: np.ndarray) -> np.ndarray:
        """See ``Pattern.draw``."""
        counts = self.candidates.sum(axis=1)
        first = np.cumsum(counts) - counts
        return np.nonzero(self.candidates)[1][first[source] + generator.integers(counts[source])]


Function = Callable[[Any, np.ndarray, np.random.Generator], np.ndarray]
"""Network, sources of all messages and a random generator -> destinations."""


@dataclass(frozen=True)
class FunctionPattern:
    """A custom function.

    Parameters:
        name: For errors.
        function (callable): See ``Function``.
        network (ChannelNetwork): Network that the function gets.
    """

    name: str
    function: Function
    network: Any

    def draw(self, generator: np.random.Generator, source: np.ndarray) -> np.ndarray:
        """See ``Pattern.draw``.

        Raises:
            ValueError: If the function does not give a processor for each message.
        """
        try:
            drawn = np.asarray(self.function(self.network, source.copy(), generator))
        except FAILURES as error:  # a function from outside may fail in any way
            raise ValueError(f"Pattern {self.name!r} fails: {failure_text(error)}") from error
        last = len(self.network.processors) - 1
        if drawn.shape != source.shape or not np.issubdtype(drawn.dtype, np.integer):
            text = f"a whole number for each of {len(source)} messages"
            raise ValueError(f"Pattern {self.name!r} must give {text}, not {drawn.dtype} {list(drawn.shape)}")
        wrong = drawn[(drawn < 0) | (drawn > last)]
        if len(wrong):
            raise ValueError(f"Pattern {self.name!r} must give processors, 0 to {last}, not {int(wrong[0])}")
        return drawn
