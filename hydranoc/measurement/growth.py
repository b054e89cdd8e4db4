"""Growth of the backlog in a run and in its first half: the test of a diverging point (docs/understand/verdicts.md)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hydranoc.measurement.observations import COUNTED_PARTS, NOT_DELIVERED, PARTS, Observations
from sim_model.statistics.student import student_tail

WINDOW_PARTS = np.arange(PARTS // 2, COUNTED_PARTS + 1)
"""Edges of the steps of the window: the later half of a run, without the parts that are not counted."""
STEPS = len(WINDOW_PARTS) - 1
FIRST_MESSAGES = 5
"""Messages at the start of each run, when the network is empty."""
FILLED = 4
"""Minimum length of a run in latencies of the first messages."""


@dataclass(frozen=True)
class WindowGrowth:
    """Growth of the backlog of a kind in one window, all runs together.

    Members:
        share: Mean growth as a share of the messages offered in the window; NaN without any.
        p_value: Probability of a mean growth as large in a random walk without drift.
    """

    share: float
    p_value: float

    def above(self, share: float, level: float) -> bool:
        """Return True for a growth above ``share`` that is significant at ``level``.

        Parameters:
            share: Of the messages offered.
            level: Error rate of the one-sided test.
        """
        return self.share > share and self.p_value < level


@dataclass(frozen=True)
class Growth:
    """Growth of the backlog of a kind, in whole runs and in their first halves.

    Members:
        whole: In the whole runs.
        half: In their first halves, judged as runs of their own.
        first_latency_cycles: Median latency of the first messages of the runs; infinite if most of them are not
            delivered.
        filled: The runs are long against that latency.
    """

    whole: WindowGrowth
    half: WindowGrowth
    first_latency_cycles: float
    filled: bool

    def above(self, share: float, level: float) -> bool:
        """Return True for a growth above ``share`` in both windows, each significant at ``level``.

        Parameters:
            share: Of the messages offered.
            level: Error rate of each one-sided test.

        Returns:
            bool
        """
        return self.filled and self.whole.above(share, level) and self.half.above(share, level)


def growth_of(runs: Sequence[Observations], kind: int) -> Growth:
    """Return the growth of a kind's backlog in runs of one length.

    Parameters:
        runs: Independent, of the same length.
        kind: Position among the experiment's kinds.

    Returns:
        Of all runs together.
    """
    cycles = runs[0].cycles
    own = [_own_cycles(run, kind) for run in runs]
    latency = _first_latency(own)
    return Growth(_in_window(own, cycles), _in_window(own, cycles / 2), latency, cycles >= FILLED * latency)


def _own_cycles(run: Observations, kind: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the cycles in which the messages of a kind start and arrive, both in order of their start."""
    own = np.flatnonzero(run.kind == kind)
    own = own[np.argsort(run.start_cycle[own], kind="stable")]
    return run.start_cycle[own], run.end_cycle[own]


def _first_latency(own: Sequence[tuple[np.ndarray, np.ndarray]]) -> float:
    first = [
        np.where(ends == NOT_DELIVERED, np.inf, ends - starts)
        for starts, ends in ((starts[:FIRST_MESSAGES], ends[:FIRST_MESSAGES]) for starts, ends in own)
    ]
    found = np.concatenate(first)
    return float(np.sort(found)[len(found) // 2]) if len(found) else np.inf


def _in_window(own: Sequence[tuple[np.ndarray, np.ndarray]], cycles: float) -> WindowGrowth:
    """Return the growth in the window of runs of ``cycles`` cycles."""
    edges = cycles * WINDOW_PARTS / PARTS
    increments, offered = np.empty((len(own), STEPS)), 0
    for row, (starts, ends) in zip(increments, own, strict=True):
        started = np.searchsorted(starts, edges)
        arrived = np.searchsorted(np.sort(ends[ends != NOT_DELIVERED]), edges)
        row[:] = np.diff(started - arrived)
        offered += int(started[-1] - started[0])
    if not offered:
        return WindowGrowth(float("nan"), 1.0)
    return WindowGrowth(float(increments.sum()) / offered, _p_value(increments))


def _p_value(increments: np.ndarray) -> float:
    """Return the p-value of a one-sided t-test of a mean above 0, by the scatter within runs."""
    mean = float(increments.mean())
    freedom = len(increments) * (STEPS - 1)
    scatter = float(((increments - increments.mean(axis=1, keepdims=True)) ** 2).sum()) / freedom
    if not scatter:
        return 0.0 if mean > 0 else 1.0
    return student_tail(freedom, mean / np.sqrt(scatter / increments.size))
