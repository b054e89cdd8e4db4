"""What one run of an experiment gives: when messages of each kind started, and when they were delivered."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

NOT_DELIVERED = -1
PARTS = 50
"""A run is cut into so many parts of equal length, by which its beginning is told from what is counted."""
COUNTED_PARTS = 45
"""Messages that start in the last parts keep the network busy while those before them are delivered."""


@dataclass(frozen=True)
class Observations:
    """One run, messages in any order.

    Members
    -------
    cycles : int
        Messages started in cycles ``0 .. cycles - 1``.
    start_cycle : int64[M]
    end_cycle : int64[M]
        When the message had arrived everywhere; ``NOT_DELIVERED`` if it has not.
    kind : int64[M]
        Position in the experiment's ``kinds``.
    flits : int64[M]
        Flits that its destinations get in all.
    channel_flits : int64[PARTS + 1, channels] or None
        Flits that had moved on each channel at the beginning of each part, and at the end of the last; None if they
        were not counted.
    """

    cycles: int
    start_cycle: np.ndarray
    end_cycle: np.ndarray
    kind: np.ndarray
    flits: np.ndarray
    channel_flits: np.ndarray | None = None

    @property
    def part(self) -> np.ndarray:
        """The part of the run in which each message started, ``0 .. PARTS - 1``, int64[M]."""
        return np.minimum(self.start_cycle * PARTS // self.cycles, PARTS - 1)

    def cycle_of(self, part: int) -> int:
        """Return the first cycle of a part.

        Parameters
        ----------
        part : int
            0 to ``PARTS``, which gives ``cycles``.
        """
        return -(-part * self.cycles // PARTS)

    @property
    def latency_cycles(self) -> np.ndarray:
        """Start to delivery, float[M]; NaN where a message was not delivered."""
        delivered = self.end_cycle != NOT_DELIVERED
        return np.where(delivered, self.end_cycle - self.start_cycle, np.nan)


class Experiment(Protocol):
    """Something random that can be run again, by other chance and for longer.

    Members
    -------
    kinds : tuple of str
        Kinds of messages that are told apart, such as unicast and multicast.
    """

    @property
    def kinds(self) -> tuple[str, ...]: ...

    def run(self, replication: int, cycles: int) -> Observations:
        """Return one run; those of different numbers are independent, the same number and length give the same run.

        Messages go on starting until the end, and the run goes on until those of the counted parts are delivered, or
        a quarter as long again.

        Parameters
        ----------
        replication : int
            Number of the run, at least 0.
        cycles : int
            Messages start in cycles ``0 .. cycles - 1``.
        """
        ...
