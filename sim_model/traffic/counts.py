"""Counts and lengths of messages that are drawn."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

MAX_SHARES = 1 + 1e-9
"""Limit of the sum of shares; decimal fractions that add up to 1 may exceed it slightly in binary."""


class Count(Protocol):
    """A distribution of numbers of destinations."""

    def draw(self, generator: np.random.Generator, messages: int, /) -> np.ndarray:
        """Return the number of destinations of each multicast, int64.

        Parameters:
            generator: NumPy's; the only source of chance.
            messages: Number of multicasts.
        """
        ...


@dataclass(frozen=True)
class FixedCount:
    """A constant number."""

    value: int

    def draw(self, _generator: np.random.Generator, messages: int) -> np.ndarray:
        """See ``Count.draw``."""
        return np.full(messages, self.value)


@dataclass(frozen=True)
class ClippedGaussian:
    """A normal distribution, rounded and clipped to ``low .. high``."""

    mean: float
    stddev: float
    low: int
    high: int

    def draw(self, generator: np.random.Generator, messages: int) -> np.ndarray:
        """See ``Count.draw``."""
        drawn = np.rint(generator.normal(self.mean, self.stddev, messages))
        return np.clip(drawn, self.low, self.high).astype(np.int64)


def destination_count(destinations: int | tuple[float, float], others: int) -> Count:
    """Return the distribution of a fixed number, or of a Gaussian (mean, deviation) clipped to 1 .. ``others``.

    Raises:
        ValueError: "X is Z; it must be Y".
    """
    if isinstance(destinations, int):
        if not 1 <= destinations <= others:
            raise ValueError(f"Number of destinations is {destinations!r}; it must be 1 to {others}")
        return FixedCount(destinations)
    mean, stddev = destinations
    if not 1 <= mean <= others:
        raise ValueError(f"Mean number of destinations is {mean!r}; it must be 1 to {others}")
    if stddev < 0:
        raise ValueError(f"Standard deviation of destinations is {stddev!r}; it must be at least 0")
    return ClippedGaussian(mean, stddev, 1, others)


@dataclass(frozen=True)
class Shares:
    """Shares of multicasts, and of broadcasts to all other nodes.

    Parameters:
        multicast, broadcast (float): Probabilities; what they leave are unicasts.

    Raises:
        ValueError: "X is Z; it must be Y".
    """

    multicast: float = 0.0
    broadcast: float = 0.0

    def __post_init__(self):
        if not 0 <= self.multicast <= 1:
            raise ValueError(f"Multicast fraction is {self.multicast!r}; it must be 0 to 1")
        if not 0 <= self.broadcast <= MAX_SHARES - self.multicast:
            raise ValueError(f"Broadcast fraction is {self.broadcast!r}; it must be 0 to {1 - self.multicast:g}")

    def draw(self, generator: np.random.Generator, messages: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the numbers of the multicasts and of the broadcasts among ``messages`` messages, ascending."""
        if not self.multicast and not self.broadcast:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        drawn = generator.random(messages)
        multicast = drawn < self.multicast
        return np.flatnonzero(multicast), np.flatnonzero(~multicast & (drawn < self.multicast + self.broadcast))


SHARES_TOLERANCE = 1e-9
"""Tolerance of the sum of shares; decimal fractions that add up to 1 may deviate slightly in binary."""


class Lengths(Protocol):
    """A distribution of lengths."""

    def draw(self, generator: np.random.Generator, messages: int, /) -> np.ndarray:
        """Return the flits of each message, int32.

        Parameters:
            generator: NumPy's; the only source of chance.
            messages: Number of lengths to draw.

        Returns:
            int32[messages]: In flits, header included.
        """
        ...


@dataclass(frozen=True)
class FixedLength:
    """All messages have the same length.

    Parameters:
        flits: Whole message, header included.
    """

    flits: int

    def draw(self, _generator: np.random.Generator, messages: int) -> np.ndarray:
        """See ``Lengths.draw``."""
        return np.full(messages, self.flits, dtype=np.int32)


@dataclass(frozen=True)
class LengthMix:
    """Several lengths, each with a share of the messages.

    Parameters:
        shares (mapping of int to float): Share of the messages by length in flits, header included; together 1.

    Raises:
        ValueError: "X is Z; it must be Y".
    """

    shares: Mapping[int, float]

    def __post_init__(self):
        for flits, share in self.shares.items():
            if not 0 < share <= 1 + SHARES_TOLERANCE:
                raise ValueError(
                    f"Share of messages of {flits} flits is {share!r}; it must be greater than 0, at most 1"
                )
        total = sum(self.shares.values())
        if abs(total - 1) > SHARES_TOLERANCE:
            raise ValueError(f"Shares of lengths are {total:g}; they must be 1 together")

    def draw(self, generator: np.random.Generator, messages: int) -> np.ndarray:
        """See ``Lengths.draw``."""
        bounds = np.cumsum(list(self.shares.values()))[:-1]
        lengths = np.array(list(self.shares), dtype=np.int32)
        return lengths[np.searchsorted(bounds, generator.random(messages), side="right")]
