"""Injection processes: message starts, all with the same mean rate for every node.

Each gives the starts of all nodes at once, in order of cycle and then of node. Most draw on one line of cells, a cell
for each cycle and node in that order, so that what they draw is in order as it comes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from topology.common.errors import FieldError

SPARE_DRAWS = 16


class Injection(Protocol):
    """A process of message starts."""

    def starts(self, generator: np.random.Generator, cycles: int, nodes: int, /) -> tuple[np.ndarray, np.ndarray]:
        """Return the starts of all nodes within ``0 .. cycles - 1``, in order of cycle and then of node.

        Parameters:
            generator: NumPy's; the only source of chance.
            cycles: Length of the traffic, at least 1.
            nodes: Number of sending nodes, at least 1.

        Returns:
            cycle, node : int64[M]
        """
        ...


def check_rate(rate: float, most: float = float("inf")) -> None:
    """Refuse a rate that is not greater than 0, or too large.

    Raises:
        ValueError: "Messages per node per cycle are Z; they must be Y".
    """
    if not 0 < rate < float("inf") or rate > most:
        right = "greater than 0" if most == float("inf") else f"greater than 0 and at most {most:g}"
        raise ValueError(f"Messages per node per cycle are {rate!r}; they must be {right}")


@dataclass(frozen=True)
class PoissonInjection:
    """A Poisson process in every node: exponential gaps, rounded down to whole cycles.

    A node may start several messages in a cycle.

    Parameters:
        messages_per_node_per_cycle: Mean rate of one node, greater than 0.

    Raises:
        ValueError: "Messages per node per cycle are Z; they must be greater than 0".
    """

    messages_per_node_per_cycle: float

    def __post_init__(self):
        check_rate(self.messages_per_node_per_cycle)

    def starts(self, generator: np.random.Generator, cycles: int, nodes: int) -> tuple[np.ndarray, np.ndarray]:
        """See ``Injection.starts``. A cell is a piece of one cycle of a process, and all pieces are alike."""
        mean = 1 / self.messages_per_node_per_cycle
        times = _sums_below(cycles * nodes, mean, lambda count: generator.exponential(mean, count))
        return _cycle_and_node(times.astype(np.int64), nodes)


@dataclass(frozen=True)
class BernoulliInjection:
    """In every cycle every node starts a message with the same probability.

    Parameters:
        messages_per_node_per_cycle: That probability, greater than 0 and at most 1.

    Raises:
        ValueError: "Messages per node per cycle are Z; they must be greater than 0 and at most 1".
    """

    messages_per_node_per_cycle: float

    def __post_init__(self):
        check_rate(self.messages_per_node_per_cycle, 1)

    def starts(self, generator: np.random.Generator, cycles: int, nodes: int) -> tuple[np.ndarray, np.ndarray]:
        """See ``Injection.starts``."""
        return _cycle_and_node(_bernoulli(generator, self.messages_per_node_per_cycle, cycles * nodes), nodes)


@dataclass(frozen=True)
class PeriodicInjection:
    """Every node starts a message once per period, from a random moment of its first period on.

    Parameters:
        messages_per_node_per_cycle: Greater than 0. The period is 1 by this; where that is no whole number, starts are
            rounded down to cycles.

    Raises:
        ValueError: "Messages per node per cycle are Z; they must be greater than 0".
    """

    messages_per_node_per_cycle: float

    def __post_init__(self):
        check_rate(self.messages_per_node_per_cycle)

    def starts(self, generator: np.random.Generator, cycles: int, nodes: int) -> tuple[np.ndarray, np.ndarray]:
        """See ``Injection.starts``."""
        period = 1 / self.messages_per_node_per_cycle
        periods = period * np.arange(int(cycles / period) + 1)
        cycle = (generator.random(nodes)[np.newaxis, :] * period + periods[:, np.newaxis]).astype(np.int64)
        node = np.broadcast_to(np.arange(nodes), cycle.shape)
        return _in_order(cycle[cycle < cycles], node[cycle < cycles], nodes)


@dataclass(frozen=True)
class BatchInjection:
    """All nodes start a batch of messages in cycle 0, and again at the mean rate.

    Parameters:
        messages_per_node_per_cycle: Mean rate of one node, greater than 0; a batch begins every ``messages`` / this,
            rounded down to cycles.
        messages: Messages of a node in a batch, at least 1.

    Raises:
        ValueError: "X is Z; it must be Y".
    """

    messages_per_node_per_cycle: float
    messages: int

    def __post_init__(self):
        check_rate(self.messages_per_node_per_cycle)
        if self.messages < 1:
            raise ValueError(f"Messages of a batch are {self.messages!r}; they must be at least 1")

    def starts(self, _generator: np.random.Generator, cycles: int, nodes: int) -> tuple[np.ndarray, np.ndarray]:
        """See ``Injection.starts``."""
        period = self.messages / self.messages_per_node_per_cycle
        begins = (period * np.arange(int(cycles / period) + 1)).astype(np.int64)
        begins = begins[begins < cycles]
        cycle = np.repeat(begins, nodes * self.messages)
        return cycle, np.tile(np.repeat(np.arange(nodes), self.messages), len(begins))


@dataclass(frozen=True)
class BurstInjection:
    """Bursts and pauses, a Markov process with two states in every node.

    In a burst a node starts a message in each cycle with the same probability, in a pause none. The lengths of both
    have geometric distributions; the mean rate determines the pauses. At the start a node is in a burst as often as at
    any other time.

    Parameters:
        messages_per_node_per_cycle: Mean rate of one node over bursts and pauses, greater than 0.
        rate_in_bursts: Messages per cycle of a node in a burst, more than the mean and at most 1.
        mean_burst_cycles: Mean length of a burst, at least 1.

    Raises:
        FieldError: "X is Z; it must be Y"; also if pauses would be shorter than a cycle.
    """

    messages_per_node_per_cycle: float
    rate_in_bursts: float
    mean_burst_cycles: float

    def __post_init__(self):
        check_rate(self.messages_per_node_per_cycle, 1)
        if not self.messages_per_node_per_cycle < self.rate_in_bursts <= 1:
            text = f"more than the mean {self.messages_per_node_per_cycle:g} and at most 1"
            raise FieldError("rate_in_bursts", f"Rate in bursts is {self.rate_in_bursts!r}; it must be {text}")
        if not 1 <= self.mean_burst_cycles < float("inf"):
            text = f"Mean burst is {self.mean_burst_cycles!r}; it must be at least 1 cycle"
            raise FieldError("mean_burst_cycles", text)
        if self.mean_pause_cycles < 1:
            least = self.share_of_bursts / (1 - self.share_of_bursts)
            text = f"at least {least:g} cycles at these rates, so that pauses are a cycle long"
            raise FieldError("mean_burst_cycles", f"Mean burst is {self.mean_burst_cycles!r}; it must be {text}")

    @property
    def share_of_bursts(self) -> float:
        """Fraction of the time that a node is in a burst."""
        return self.messages_per_node_per_cycle / self.rate_in_bursts

    @property
    def mean_pause_cycles(self) -> float:
        """Mean length of a pause."""
        return self.mean_burst_cycles * (1 / self.share_of_bursts - 1)

    def starts(self, generator: np.random.Generator, cycles: int, nodes: int) -> tuple[np.ndarray, np.ndarray]:
        """See ``Injection.starts``. All bursts, one after the other, are a row of cells with one probability."""
        node, begin, end = self.bursts(generator, cycles, nodes)
        behind = np.cumsum(end - begin)
        cell = _bernoulli(generator, self.rate_in_bursts, int(behind[-1]) if len(behind) else 0)
        burst = np.searchsorted(behind, cell, side="right")
        return _in_order(end[burst] - (behind[burst] - cell), node[burst], nodes)

    def bursts(
        self, generator: np.random.Generator, cycles: int, nodes: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the bursts of all nodes.

        Parameters:
            generator: NumPy's; the only source of chance.
            cycles: Bursts that last longer end here.
            nodes

        Returns:
            node, begin, end : int64[B]: By node and time; ``end`` is the cycle behind the last one.
        """
        turns = SPARE_DRAWS + int(2 * cycles / (self.mean_burst_cycles + self.mean_pause_cycles))
        first = (generator.random(nodes) < self.share_of_bursts).astype(np.int64)  # 1: a burst at the beginning
        bounds = np.zeros((nodes, 1), dtype=np.int64)
        while int(bounds[:, -1].min()) < cycles:
            turned = self._turns(generator, first, turns, cycles)
            bounds = np.concatenate((bounds, bounds[:, -1:] + turned), axis=1)
        begin, end = bounds[:, :-1], np.minimum(bounds[:, 1:], cycles)
        in_burst = (np.arange(begin.shape[1])[np.newaxis, :] + first[:, np.newaxis]) % 2 == 1
        node, turn = np.nonzero(in_burst & (begin < end))
        return node, begin[node, turn], end[node, turn]

    def _turns(self, generator: np.random.Generator, first: np.ndarray, turns: int, longest: int) -> np.ndarray:
        """Return the ends of bursts and pauses in turn, counted from the start; an even number of them, by node.

        None is longer than ``longest``, the end of the traffic: sums of more would not fit into 64 bits.
        """
        turns += turns % 2
        shape = (len(first), turns // 2)
        bursts = np.minimum(generator.geometric(1 / self.mean_burst_cycles, shape), longest)
        pauses = np.minimum(generator.geometric(1 / self.mean_pause_cycles, shape), longest)
        leading, following = (
            np.where(first[:, np.newaxis] == 1, *pair) for pair in ((bursts, pauses), (pauses, bursts))
        )
        return np.cumsum(np.stack((leading, following), axis=2).reshape(len(first), turns), axis=1)


def _bernoulli(generator: np.random.Generator, probability: float, cells: int) -> np.ndarray:
    """Return the cells, of ``cells``, with an event, int64."""
    # a gap beyond the last cell is as good as any other; sums of longer ones would not fit into 64 bits
    gaps = _sums_below(
        cells + 1, 1 / probability, lambda count: np.minimum(generator.geometric(probability, count), cells + 1)
    )
    return gaps.astype(np.int64, copy=False) - 1


def _sums_below(limit: float, mean: float, draw: Callable[[int], np.ndarray]) -> np.ndarray:
    """Return the running sums of drawn values, as far as they stay below the limit."""
    sums = np.cumsum(draw(_enough(limit / mean)))
    while sums[-1] < limit:
        more = draw(_enough((limit - float(sums[-1])) / mean))
        sums = np.concatenate((sums, sums[-1] + np.cumsum(more)))
    return sums[: np.searchsorted(sums, limit)]


def _enough(expected: float) -> int:
    """Return a number of draws whose sum mostly exceeds the limit."""
    return SPARE_DRAWS + int(expected + 4 * expected**0.5)


def _cycle_and_node(cells: np.ndarray, nodes: int) -> tuple[np.ndarray, np.ndarray]:
    cycle = cells // nodes
    return cycle, cells - cycle * nodes


def _in_order(cycle: np.ndarray, node: np.ndarray, nodes: int) -> tuple[np.ndarray, np.ndarray]:
    return _cycle_and_node(np.sort(cycle * nodes + node), nodes)
