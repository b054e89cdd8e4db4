"""Whether a mean exists: what is accepted equals what is offered, and latency does not grow along the run.

The rule, fixed before any of the figures was measured with it. Over independent replications, for each kind of message:

* the backlog's growth within the counted parts, as a share of the messages offered in them, has a 95 % interval that
  reaches 0 or below, and ends below ``LARGEST_GROWTH``: an overload of that size would have been seen;
* the growth of latency from one end of the counted parts to the other has a 95 % interval that reaches 0 or below.

Everything else is no proof of a mean. A run may have been too short for one: then it is repeated at twice the length,
until the rule is met, or the longest run does not meet it either, or the backlog grows so fast that more is no use. If
even then nothing is seen to grow, the point is undecided, and has no mean either.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hydranoc.measurement.observations import COUNTED_PARTS, NOT_DELIVERED, Observations
from sim_model.common.statistics import Interval, confidence_interval

LARGEST_GROWTH = 0.01
HOPELESS_GROWTH = 0.05
TREND_QUARTERS = (-1.2, -0.4, 0.4, 1.2)
"""Weights of the means of four quarters: what the line that fits them best gains from end to end."""
FILLED_PARTS = 5
"""Runs begin empty: what fills the network to begin with is no growth, even where latency has no warm-up."""
MANY_RUNS = 5


@dataclass(frozen=True)
class Verdict:
    """What the runs say of one kind of message.

    Members
    -------
    kind : str
    growth : Interval
        Growth of the backlog over messages offered, both in the counted parts behind the warm-up.
    trend : Interval
        What latency gains from the first counted cycle to the last, over its mean.
    """

    kind: str
    growth: Interval
    trend: Interval

    @property
    def stable(self) -> bool:
        """Whether there is a mean."""
        is_level = _reaches_zero(self.growth) and _reaches_zero(self.trend)
        return is_level and self.growth.high < LARGEST_GROWTH

    @property
    def undecided(self) -> bool:
        """Whether nothing is seen to grow, but the runs were too short, or too few, to exclude an overload."""
        return not self.stable and not (self.growth.low > 0 or self.trend.low > 0)

    @property
    def hopeless(self) -> bool:
        """Whether longer runs would not change that there is none."""
        return self.growth.low > HOPELESS_GROWTH


def judge(runs: Sequence[Observations], kinds: Sequence[str], warmup: int) -> tuple[Verdict, ...]:
    """What independent runs of one length say of each kind.

    Parameters
    ----------
    runs : sequence of Observations
    kinds : sequence of str
    warmup : int
        Parts at the front that do not count.
    """
    return tuple(
        Verdict(
            name,
            _over_runs([_growth(run, number, warmup) for run in runs]),
            _over_runs([_trend(run, number, warmup) for run in runs]),
        )
        for number, name in enumerate(kinds)
    )


def _reaches_zero(interval: Interval) -> bool:
    return interval.low <= 0


def _over_runs(values: Sequence[float]) -> Interval:
    """Interval over runs that had something to observe; without an end if there are too few."""
    seen = [value for value in values if not np.isnan(value)]
    if len(seen) < MANY_RUNS:
        return Interval(float("nan"), float("inf"), len(seen))
    return confidence_interval(seen)


def _growth(run: Observations, kind: int, warmup: int) -> float:
    first, last = run.cycle_of(max(warmup, FILLED_PARTS)), run.cycle_of(COUNTED_PARTS)
    own = run.kind == kind
    offered = int((own & (run.start_cycle >= first) & (run.start_cycle < last)).sum())
    delivered = own & (run.end_cycle != NOT_DELIVERED)
    accepted = int((delivered & (run.end_cycle >= first) & (run.end_cycle < last)).sum())
    return (offered - accepted) / offered if offered else float("nan")


def _trend(run: Observations, kind: int, warmup: int) -> float:
    """NaN without a delivered message in each quarter."""
    latency, part = run.latency_cycles, run.part
    wanted = (run.kind == kind) & (part >= warmup) & (part < COUNTED_PARTS) & ~np.isnan(latency)
    quarter = (part[wanted] - warmup) * len(TREND_QUARTERS) // (COUNTED_PARTS - warmup)
    count = np.bincount(quarter, minlength=len(TREND_QUARTERS))
    if not count.all():
        return float("nan")
    means = np.bincount(quarter, weights=latency[wanted], minlength=len(TREND_QUARTERS)) / count
    mean = float(means.mean())
    return float(np.dot(TREND_QUARTERS, means)) / mean if mean else 0.0
