"""Random traffic: when nodes send, how many destinations they pick, which ones, and how long the messages are.

Each of these is an object of its own; ``random_traffic`` puts the usual ones together. Every processor draws from
its own random stream, so its messages do not depend on the other processors.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sim_model.common.messages import Message

# Draws the number of destinations or of flits of a message.
Count = Callable[[np.random.Generator], int]

LARGEST_SHARES = 1 + 1e-9
"""Sum of shares of messages; decimal fractions that make 1 together may make a little more in binary."""


@dataclass(frozen=True)
class PoissonInjection:
    """Starts with exponential gaps, rounded down to whole cycles.

    Parameters
    ----------
    messages_per_node_per_cycle : float
        Mean rate of one node, greater than 0.
    """

    messages_per_node_per_cycle: float

    def __post_init__(self):
        if not 0 < self.messages_per_node_per_cycle < float("inf"):
            raise ValueError(
                f"Messages per node per cycle must be greater than 0, not {self.messages_per_node_per_cycle!r}"
            )

    def starts(self, generator: np.random.Generator, cycles: int) -> np.ndarray:
        """Start cycles of one node within ``0 .. cycles - 1``, ascending, int64."""
        gap = 1 / self.messages_per_node_per_cycle
        times = np.empty(0)
        last = 0.0
        while last < cycles:
            drawn = last + np.cumsum(generator.exponential(gap, 16 + int(cycles / gap)))
            times, last = np.concatenate((times, drawn)), float(drawn[-1])
        return times[times < cycles].astype(np.int64)


@dataclass(frozen=True)
class Fixed:
    """Always the same number."""

    value: int

    def __call__(self, _generator: np.random.Generator) -> int:
        return self.value


@dataclass(frozen=True)
class ClippedGaussian:
    """A normal distribution, rounded and clipped to ``low .. high``."""

    mean: float
    stddev: float
    low: int
    high: int

    def __call__(self, generator: np.random.Generator) -> int:
        return int(np.clip(np.rint(generator.normal(self.mean, self.stddev)), self.low, self.high))


@dataclass(frozen=True)
class UnicastOr:
    """One destination; or with probability ``multicast_fraction`` as many as ``multicast`` draws, or all others.

    Parameters
    ----------
    multicast_fraction : float
    multicast : callable
    broadcast_fraction : float
        Probability of a broadcast.
    others : int
        Destinations of a broadcast.
    """

    multicast_fraction: float
    multicast: Count
    broadcast_fraction: float = 0.0
    others: int = 0

    def __call__(self, generator: np.random.Generator) -> int:
        share = generator.random()
        if share < self.multicast_fraction:
            return self.multicast(generator)
        return self.others if share < self.multicast_fraction + self.broadcast_fraction else 1


@dataclass(frozen=True)
class UniformDestinations:
    """Distinct processors other than the source, all equally likely."""

    processors: int

    def draw(self, generator: np.random.Generator, source: int, count: int) -> tuple[int, ...]:
        """Sorted destinations."""
        others = generator.choice(self.processors - 1, size=count, replace=False)
        return tuple(sorted(int(other) + int(other >= source) for other in others))


def random_traffic(
    *,
    processors: int,
    cycles: int,
    seed: int,
    messages_per_node_per_cycle: float,
    multicast_fraction: float,
    destinations: int | tuple[float, float],
    flits: int,
    broadcast_fraction: float = 0.0,
) -> list[Message]:
    """Poisson traffic with uniform destinations, in order of start (then source).

    Parameters
    ----------
    processors : int
        Processors of the network, at least 2.
    cycles : int
        Messages start in cycles ``0 .. cycles - 1``.
    seed : int
        Same seed, same messages, on any machine.
    messages_per_node_per_cycle : float
        Mean rate of each node's Poisson process.
    multicast_fraction : float
        Share of multicasts, 0 to 1.
    destinations : int or (float, float)
        Destinations of a multicast, or mean and standard deviation of a Gaussian clipped to 1 .. processors - 1.
    flits : int
        Length of every message, header included.
    broadcast_fraction : float
        Share of messages to all other processors, at most what multicasts leave. The rest has one destination.

    Raises
    ------
    ValueError
        "X must be Y, not Z".
    """
    if processors < 2:
        raise ValueError(f"Random traffic needs at least 2 processors, not {processors!r}")
    if cycles < 1:
        raise ValueError(f"Traffic must last at least 1 cycle, not {cycles!r}")
    if not 0 <= multicast_fraction <= 1:
        raise ValueError(f"Multicast fraction must be 0 to 1, not {multicast_fraction!r}")
    if not 0 <= broadcast_fraction <= LARGEST_SHARES - multicast_fraction:
        raise ValueError(f"Broadcast fraction must be 0 to {1 - multicast_fraction:g}, not {broadcast_fraction!r}")
    multicast = _destination_count(destinations, processors)
    counts = UnicastOr(multicast_fraction, multicast, broadcast_fraction, processors - 1)
    return generate_traffic(
        injection=PoissonInjection(messages_per_node_per_cycle),
        counts=counts,
        pattern=UniformDestinations(processors),
        lengths=Fixed(flits),
        cycles=cycles,
        seed=seed,
    )


def generate_traffic(
    *,
    injection: PoissonInjection,
    counts: Count,
    pattern: UniformDestinations,
    lengths: Count,
    cycles: int,
    seed: int,
) -> list[Message]:
    """Messages of all processors from the four parts, in order of start (then source)."""
    messages = []
    streams = np.random.SeedSequence(seed).spawn(pattern.processors)
    for source, stream in enumerate(streams):
        generator = np.random.Generator(np.random.PCG64(stream))
        for start in injection.starts(generator, cycles):
            destinations = pattern.draw(generator, source, counts(generator))
            messages.append(Message(source, destinations, lengths(generator), start_cycle=int(start)))
    messages.sort(key=lambda message: (message.start_cycle, message.source))
    return messages


def _destination_count(destinations: int | tuple[float, float], processors: int) -> Count:
    if isinstance(destinations, int):
        if not 1 <= destinations < processors:
            raise ValueError(f"Destinations must be 1 to {processors - 1}, not {destinations!r}")
        return Fixed(destinations)
    mean, stddev = destinations
    if not 1 <= mean < processors:
        raise ValueError(f"Mean number of destinations must be 1 to {processors - 1}, not {mean!r}")
    if stddev < 0:
        raise ValueError(f"Standard deviation of destinations must be at least 0, not {stddev!r}")
    return ClippedGaussian(mean, stddev, 1, processors - 1)
