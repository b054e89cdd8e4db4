"""Lengths of messages."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

SHARES_TOLERANCE = 1e-9
"""Tolerance of the sum of shares; decimal fractions that add up to 1 may deviate slightly in binary."""


class Lengths(Protocol):
    """A distribution of lengths."""

    def draw(self, generator: np.random.Generator, messages: int, /) -> np.ndarray:
        """Return the flits of each message, int32.

        Parameters
        ----------
        generator : Generator
            NumPy's; the only source of chance.
        messages : int
            Number of lengths to draw.

        Returns
        -------
        int32[messages]
            In flits, header included.
        """
        ...


@dataclass(frozen=True)
class FixedLength:
    """All messages have the same length.

    Parameters
    ----------
    flits : int
        Whole message, header included.
    """

    flits: int

    def draw(self, _generator: np.random.Generator, messages: int) -> np.ndarray:
        """See ``Lengths.draw``."""
        return np.full(messages, self.flits, dtype=np.int32)


@dataclass(frozen=True)
class LengthMix:
    """Several lengths, each with a share of the messages.

    Parameters
    ----------
    shares : mapping of int to float
        Share of the messages by length in flits, header included; together 1.

    Raises
    ------
    ValueError
        "X must be Y, not Z".
    """

    shares: Mapping[int, float]

    def __post_init__(self):
        for flits, share in self.shares.items():
            if not 0 < share <= 1 + SHARES_TOLERANCE:
                raise ValueError(f"Share of messages of {flits} flits must be greater than 0, at most 1, not {share!r}")
        total = sum(self.shares.values())
        if abs(total - 1) > SHARES_TOLERANCE:
            raise ValueError(f"Shares of lengths must be 1 together, not {total:g}")

    def draw(self, generator: np.random.Generator, messages: int) -> np.ndarray:
        """See ``Lengths.draw``."""
        bounds = np.cumsum(list(self.shares.values()))[:-1]
        lengths = np.array(list(self.shares), dtype=np.int32)
        return lengths[np.searchsorted(bounds, generator.random(messages), side="right")]
