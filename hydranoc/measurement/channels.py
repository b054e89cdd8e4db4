"""Flits on channels in the counted cycles."""

from collections.abc import Sequence

import numpy as np

from hydranoc.measurement.observations import COUNTED_PARTS, Observations
from sim_model.statistics.latency import Interval, confidence_interval


def utilisation(runs: Sequence[Observations], warmup: int) -> np.ndarray | None:
    """Return flits per cycle on each channel, float[channels], mean of all runs; None if they did not count.

    Parameters
    ----------
    runs : sequence of Observations
        Runs of the same length.
    warmup : int
        Parts of the warm-up, which do not count.
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
