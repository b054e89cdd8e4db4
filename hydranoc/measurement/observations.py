"""Observations of one run of an experiment: start and delivery of messages of each kind, and flits on channels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sim_model.statistics.latency import Interval, confidence_interval

NOT_DELIVERED = -1
PARTS = 50
"""Parts of equal length in a run, which separate its warm-up from the counted cycles."""
COUNTED_PARTS = 45
"""Counted parts; messages of the last parts keep the network busy while those before them are delivered."""


@dataclass(frozen=True)
class Observations:
    """One run, messages in any order.

    Members:
        cycles: Messages started in cycles ``0 .. cycles - 1``.
        start_cycle (int64[M])
        end_cycle (int64[M]): Cycle in which the message had reached all destinations; ``NOT_DELIVERED`` if it has not.
        kind (int64[M]): Position in the experiment's ``kinds``.
        flits (int64[M]): Total flits delivered to its destinations.
        channel_flits (int64[PARTS + 1, channels] or None): Flits that had moved on each channel by the beginning of
            each part, and by the end of the last; None if not counted.
        source (int[M] or None): Processor that sent the message; None if not known.
    """

    cycles: int
    start_cycle: np.ndarray
    end_cycle: np.ndarray
    kind: np.ndarray
    flits: np.ndarray
    channel_flits: np.ndarray | None = None
    source: np.ndarray | None = None

    @property
    def part(self) -> np.ndarray:
        """The part of the run in which each message started, ``0 .. PARTS - 1``, int64[M]."""
        return np.minimum(self.start_cycle * PARTS // self.cycles, PARTS - 1)

    def cycle_of(self, part: int) -> int:
        """Return the first cycle of a part.

        Parameters:
            part: 0 to ``PARTS``, which gives ``cycles``.
        """
        return -(-part * self.cycles // PARTS)

    @property
    def latency_cycles(self) -> np.ndarray:
        """Latency from start to delivery, float[M]; NaN where a message was not delivered."""
        delivered = self.end_cycle != NOT_DELIVERED
        return np.where(delivered, self.end_cycle - self.start_cycle, np.nan)


class Experiment(Protocol):
    """A random experiment that can be repeated with other seeds and lengths.

    Members:
        kinds: Kinds of messages, such as unicast and multicast.
    """

    @property
    def kinds(self) -> tuple[str, ...]: ...

    def run(self, replication: int, cycles: int) -> Observations:
        """Return one run; runs with different numbers are independent, equal numbers and lengths give equal runs.

        Messages start until the end, and the run continues until those of the counted parts are delivered, or for
        another quarter of its length.

        Parameters:
            replication: Number of the run, at least 0.
            cycles: Messages start in cycles ``0 .. cycles - 1``.
        """
        ...


def utilisation(runs: Sequence[Observations], warmup: int) -> np.ndarray | None:
    """Return flits per cycle on each channel, float[channels], mean of all runs; None if they did not count.

    Parameters:
        runs: Runs of the same length.
        warmup: Parts of the warm-up, which do not count.
    """
    counted = _flows(runs, warmup)
    return np.mean(counted, axis=0) if counted else None


def channel_flow(runs: Sequence[Observations], warmup: int) -> Interval | None:
    """Return the mean flits per cycle over all channels, with its interval."""
    counted = _flows(runs, warmup)
    return confidence_interval([float(flow.mean()) for flow in counted]) if counted else None


def _flows(runs: Sequence[Observations], warmup: int) -> list[np.ndarray]:
    """Return flits per cycle on each channel, for each run."""
    cycles = runs[0].cycle_of(COUNTED_PARTS) - runs[0].cycle_of(warmup)
    counted = [run.channel_flits for run in runs if run.channel_flits is not None]
    return [(flits[COUNTED_PARTS] - flits[warmup]) / cycles for flits in counted]
