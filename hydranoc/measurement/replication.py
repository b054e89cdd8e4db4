"""Replications: repeat a random experiment until its mean is known well enough."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sim_model.statistics.latency import confidence_interval


@dataclass(frozen=True)
class Precision:
    """When to stop.

    Parameters
    ----------
    relative_half_width : float
        Half width of the confidence interval as a share of the mean.
    confidence : float
    least, most : int
        Bounds of the number of replications. Too few to begin with may look precise by chance.
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
    """Return observe replications 0, 1, 2, ... until the mean of the first column is precise enough.

    Parameters
    ----------
    observe : callable
        Gives the observations of the replication of that number; independent of all others.
    precision : Precision
    hopeless : callable
        Tells whether observations come from a process without a mean, such as an overloaded network. When most of the
        first ones do, no more are made.

    Returns
    -------
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
