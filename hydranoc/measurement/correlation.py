"""Correlation of latencies along runs: the independent pieces of a run (docs/understand/verdicts.md)."""

from collections.abc import Sequence

import numpy as np

from hydranoc.measurement.observations import COUNTED_PARTS, PARTS, Observations

SLICES = 4
"""Slices of a part."""


def independent_pieces(runs: Sequence[Observations], kind: int, warmup: int) -> float:
    """Return the independent pieces of each run: its slices over the statistical inefficiency of their latencies.

    Parameters
    ----------
    runs : sequence of Observations
        Runs of the same length.
    kind : int
        Position among the experiment's kinds.
    warmup : int
        Parts of the warm-up, which do not count.

    Returns
    -------
    float
        0 without a delivered message.
    """
    deviations = [one for run in runs if (one := _deviations(run, kind, warmup)) is not None]
    if not deviations:
        return 0.0
    return deviations[0].size / inefficiency(np.array(deviations))


def inefficiency(series: np.ndarray) -> float:
    """Return the statistical inefficiency of series by Geyer's initial monotone sequence, at least 1.

    Parameters
    ----------
    series : float[runs, n]
        Deviations from the mean of each run, in order of time.

    Returns
    -------
    float
        1 + 2 (sum of autocorrelations), pooled over the runs.
    """
    length = series.shape[1]
    spectrum = np.abs(np.fft.rfft(series, 2 * length, axis=1)) ** 2
    covariance = np.fft.irfft(spectrum.sum(axis=0))[:length]
    if covariance[0] <= 0:
        return 1.0
    correlation = covariance / covariance[0]
    pairs = correlation[: length // 2 * 2].reshape(-1, 2).sum(axis=1)
    ended = np.flatnonzero(pairs <= 0)
    pairs = np.minimum.accumulate(pairs[: ended[0]] if len(ended) else pairs)
    return max(1.0, 2 * float(pairs.sum()) - 1)


def _deviations(run: Observations, kind: int, warmup: int) -> np.ndarray | None:
    """Return sums by slice of latencies less the mean of the run, float[slices]; None without a delivered message."""
    slices = run.start_cycle * (PARTS * SLICES) // run.cycles - warmup * SLICES
    count = (COUNTED_PARTS - warmup) * SLICES
    latency = run.latency_cycles
    wanted = (run.kind == kind) & (slices >= 0) & (slices < count) & ~np.isnan(latency)
    if not wanted.any():
        return None
    deviations = latency[wanted] - latency[wanted].mean()
    return np.bincount(slices[wanted], weights=deviations, minlength=count)
