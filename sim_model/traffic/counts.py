"""How many destinations messages have: one, several or all."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

LARGEST_SHARES = 1 + 1e-9
"""Sum of shares of messages; decimal fractions that make 1 together may make a little more in binary."""


class Count(Protocol):
    """A distribution of numbers of destinations."""

    def draw(self, generator: np.random.Generator, messages: int, /) -> np.ndarray:
        """Return destinations of each of so many multicasts, int64.

        Parameters
        ----------
        generator : Generator
            NumPy's; the only source of chance.
        messages : int
            How many multicasts there are.
        """
        ...


@dataclass(frozen=True)
class FixedCount:
    """Always the same number."""

    value: int

    def draw(self, _generator: np.random.Generator, messages: int) -> np.ndarray:
        """See ``Count``."""
        return np.full(messages, self.value)


@dataclass(frozen=True)
class ClippedGaussian:
    """A normal distribution, rounded and clipped to ``low .. high``."""

    mean: float
    stddev: float
    low: int
    high: int

    def draw(self, generator: np.random.Generator, messages: int) -> np.ndarray:
        """See ``Count``."""
        drawn = np.rint(generator.normal(self.mean, self.stddev, messages))
        return np.clip(drawn, self.low, self.high).astype(np.int64)


def destination_count(destinations: int | tuple[float, float], others: int) -> Count:
    """Destinations of a multicast: a number, or mean and standard deviation of a Gaussian clipped to 1 .. others.

    Raises
    ------
    ValueError
        "X must be Y, not Z".
    """
    if isinstance(destinations, int):
        if not 1 <= destinations <= others:
            raise ValueError(f"Destinations must be 1 to {others}, not {destinations!r}")
        return FixedCount(destinations)
    mean, stddev = destinations
    if not 1 <= mean <= others:
        raise ValueError(f"Mean number of destinations must be 1 to {others}, not {mean!r}")
    if stddev < 0:
        raise ValueError(f"Standard deviation of destinations must be at least 0, not {stddev!r}")
    return ClippedGaussian(mean, stddev, 1, others)


@dataclass(frozen=True)
class Shares:
    """Which messages are multicasts, and which broadcasts to all other nodes.

    Parameters
    ----------
    multicast, broadcast : float
        Probabilities; what they leave are unicasts.

    Raises
    ------
    ValueError
        "X must be Y, not Z".
    """

    multicast: float = 0.0
    broadcast: float = 0.0

    def __post_init__(self):
        if not 0 <= self.multicast <= 1:
            raise ValueError(f"Multicast fraction must be 0 to 1, not {self.multicast!r}")
        if not 0 <= self.broadcast <= LARGEST_SHARES - self.multicast:
            raise ValueError(f"Broadcast fraction must be 0 to {1 - self.multicast:g}, not {self.broadcast!r}")

    def draw(self, generator: np.random.Generator, messages: int) -> tuple[np.ndarray, np.ndarray]:
        """Return numbers of the multicasts and of the broadcasts among so many messages, ascending."""
        if not self.multicast and not self.broadcast:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        drawn = generator.random(messages)
        multicast = drawn < self.multicast
        return np.flatnonzero(multicast), np.flatnonzero(~multicast & (drawn < self.multicast + self.broadcast))
