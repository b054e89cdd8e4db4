"""Verdict on runs of one length: a mean, no mean, or runs that are too short, by the correlation of latencies.

The rule: docs/understand/verdicts.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hydranoc.measurement.growth import FILLED, Growth, growth_of
from hydranoc.measurement.observations import COUNTED_PARTS, NOT_DELIVERED, PARTS, Observations
from sim_model.statistics.latency import Interval, confidence_interval

SLICES = 4
"""Slices of a part."""


def independent_pieces(runs: Sequence[Observations], kind: int, warmup: int) -> float:
    """Return the independent pieces of each run: its slices over the statistical inefficiency of their latencies.

    Parameters:
        runs: Runs of the same length.
        kind: Position among the experiment's kinds.
        warmup: Parts of the warm-up, which do not count.

    Returns:
        0 without a delivered message.
    """
    deviations = [one for run in runs if (one := _deviations(run, kind, warmup)) is not None]
    if not deviations:
        return 0.0
    return deviations[0].size / inefficiency(np.array(deviations))


def inefficiency(series: np.ndarray) -> float:
    """Return the statistical inefficiency of series by Geyer's initial monotone sequence, at least 1.

    Parameters:
        series (float[runs, n]): Deviations from the mean of each run, in order of time.

    Returns:
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


ERROR_RATE = 0.05
"""Error rate of a point, for all its tests together."""
MAX_GROWTH = 0.01
"""Smallest relevant growth of the backlog, as a fraction of the messages offered."""
HOPELESS_GROWTH = 0.05
MIN_PIECES = 50
"""Minimum independent pieces of each run."""
FILLED_PARTS = 5
"""Parts in which the initially empty network fills, which is no growth, even where latency has no warm-up."""
MANY_RUNS = 5


@dataclass(frozen=True)
class StabilityVerdict:
    """Judgement of one kind of message.

    Members:
        kind
        cycles: Length of the runs.
        growth: Growth of the backlog over messages offered, in the counted parts behind the warm-up. Its upper end
            holds with the error rate of one test for an overload.
        backlog: The test of a diverging point.
        pieces: Independent pieces of each run.
        level: Error rate of each test of ``backlog``.
    """

    kind: str
    cycles: int
    growth: Interval
    backlog: Growth
    pieces: float
    level: float

    @property
    def diverges(self) -> bool:
        """True if the backlog grows, in the runs and in their first halves."""
        return self.backlog.above(MAX_GROWTH, self.level)

    @property
    def hopeless(self) -> bool:
        """True if it grows so fast that longer runs cannot help."""
        return self.backlog.above(HOPELESS_GROWTH, self.level)

    @property
    def carried(self) -> bool:
        """True if an overload is excluded."""
        return not self.diverges and self.growth.high < MAX_GROWTH

    @property
    def stable(self) -> bool:
        """True if there is a mean, and runs are long enough for its interval."""
        return self.carried and self.pieces >= MIN_PIECES

    @property
    def needed_cycles(self) -> float:
        """Estimated minimum length of runs; infinite without observations."""
        wanted = (
            MIN_PIECES / self.pieces if self.pieces else math.inf,
            self.growth.high / MAX_GROWTH,
            FILLED * self.backlog.first_latency_cycles / self.cycles,
        )
        return self.cycles * max(wanted)


def judge(
    runs: Sequence[Observations], kinds: Sequence[str], warmup: int, lengths: int = 1
) -> tuple[StabilityVerdict, ...]:
    """Judge independent runs of one length, kind by kind.

    Parameters:
        runs
        kinds
        warmup: Parts of the warm-up, which do not count.
        lengths: Lengths at which runs may be judged in all; they share the error rate.

    Returns:
        By kind.
    """
    confidence = 1 - 2 * ERROR_RATE / lengths  # one-sided
    return tuple(
        StabilityVerdict(
            name,
            runs[0].cycles,
            _over_runs([_growth(run, number, warmup) for run in runs], confidence),
            growth_of(runs, number),
            independent_pieces(runs, number, warmup),
            ERROR_RATE / (lengths * len(kinds)),
        )
        for number, name in enumerate(kinds)
    )


def _over_runs(values: Sequence[float], confidence: float) -> Interval:
    """Return the interval over runs with observations; infinite if there are too few."""
    seen = [value for value in values if not np.isnan(value)]
    if len(seen) < MANY_RUNS:
        return Interval(float("nan"), float("inf"), len(seen))
    return confidence_interval(seen, confidence)


def _growth(run: Observations, kind: int, warmup: int) -> float:
    first, last = run.cycle_of(max(warmup, FILLED_PARTS)), run.cycle_of(COUNTED_PARTS)
    own = run.kind == kind
    offered = int((own & (run.start_cycle >= first) & (run.start_cycle < last)).sum())
    delivered = own & (run.end_cycle != NOT_DELIVERED)
    accepted = int((delivered & (run.end_cycle >= first) & (run.end_cycle < last)).sum())
    return (offered - accepted) / offered if offered else float("nan")
