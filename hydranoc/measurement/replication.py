"""Replications of a random experiment until its mean is precise enough."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sim_model.statistics.latency import confidence_interval


@dataclass(frozen=True)
class Precision:
    """Stopping rule of replications.

    Parameters:
        relative_half_width: Half width of the confidence interval as a fraction of the mean.
        confidence
        least, most (int): Bounds of the number of replications. A small number may look precise by chance.
    """

    relative_half_width: float = 0.01
    confidence: float = 0.95
    least: int = 10
    most: int = 400


PAPER_PRECISION = Precision()  # SPAM Sec. 4: within 1 % of the mean, 95 % confidence
QUICK_PRECISION = Precision(relative_half_width=0.05, least=3, most=6)


def replicate(
    observe: Callable[[int], Sequence[float]],
    precision: Precision,
    hopeless: Callable[[Sequence[float]], bool] = lambda _: False,
) -> np.ndarray:
    """Return observations of replications 0, 1, 2, ... until the mean of the first column is precise enough.

    Parameters:
        observe: Number of a replication -> its observations, independent of all others.
        precision
        hopeless: Observations -> True for a process without a mean, such as an overloaded network. If it is True for
            most of the first ones, replication ends.

    Returns:
        float array, shape (replications, observations)
    """
    rows: list[Sequence[float]] = []
    while len(rows) < precision.most:
        rows.append(observe(len(rows)))
        if len(rows) >= precision.least:
            interval = confidence_interval([row[0] for row in rows], precision.confidence)
            if interval.relative <= precision.relative_half_width or 2 * sum(map(hopeless, rows)) > len(rows):
                break
    return np.array(rows, dtype=float)
