"""Statistics of latencies: summaries, and confidence intervals of means."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from sim_model.statistics.student import student_quantile


def observed_percentiles(sample: np.ndarray, per_mille: Sequence[int]) -> tuple[float, ...]:
    """Return percentiles that are observed values: the smallest that at least that share of a sample does not exceed.

    Ranks are computed in whole numbers: as a binary fraction 99.9 % is too large, and of 1,000 values it would take the
    largest.

    Parameters:
        sample (array): Of one dimension; at least 1 value.
        per_mille: Shares in thousandths, from 1 to 1,000.

    >>> observed_percentiles(np.arange(1, 1001), (500, 999))
    (500, 999)
    """
    ranks = [-(-len(sample) * share // 1000) - 1 for share in per_mille]
    return tuple(np.partition(sample, ranks)[ranks].tolist())


@dataclass(frozen=True)
class Summary:
    """Five numbers about a sample; all but ``count`` are None if it is empty.

    Members:
        count
        mean
        p50, p99, max (int or None): Percentiles are observed values: the smallest that at least that share of the
            sample does not exceed.
    """

    count: int
    mean: float | None
    p50: int | None
    p99: int | None
    max: int | None

    @classmethod
    def of(cls, sample: np.ndarray) -> "Summary":
        """Return the summary of an integer sample, such as latencies in cycles.

        Parameters:
            sample (int array): Of one dimension; its unit is that of the summary.
        """
        if len(sample) == 0:
            return cls(0, None, None, None, None)
        p50, p99 = observed_percentiles(sample, (500, 990))
        return cls(len(sample), float(np.mean(sample)), int(p50), int(p99), int(np.max(sample)))

    def as_dict(self) -> dict[str, int | float | None]:
        """Return the members as a dictionary for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Interval:
    """Mean with a confidence interval.

    Members:
        mean
        half_width: Infinite for fewer than two observations.
        observations: Independent observations behind it.
    """

    mean: float
    half_width: float
    observations: int

    @property
    def low(self) -> float:
        """Lower end."""
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        """Upper end."""
        return self.mean + self.half_width

    @property
    def relative(self) -> float:
        """Half width as a share of the mean; infinite for a mean of 0."""
        return self.half_width / abs(self.mean) if self.mean else float("inf")


def confidence_interval(observations: Sequence[float] | np.ndarray, confidence: float = 0.95) -> Interval:
    """Return the confidence interval of the mean of independent observations, such as replications: Student's t.

    Parameters:
        observations (sequence or array of float): Of one dimension; at least 1.
        confidence: Share of such intervals that contain the true mean; between 0 and 1.

    Returns:
        In the unit of the observations; infinitely wide for a single one.

    Raises:
        ValueError: If there is no observation, or the confidence is not between 0 and 1.
    """
    values = np.asarray(observations, dtype=float)
    if len(values) == 0:
        raise ValueError("A confidence interval needs at least 1 observation, not 0")
    if not 0 < confidence < 1:
        raise ValueError(f"Confidence is {confidence!r}; it must be between 0 and 1")
    if len(values) == 1:
        return Interval(float(values[0]), float("inf"), 1)
    quantile = student_quantile(len(values) - 1, (1 + confidence) / 2)
    half_width = quantile * values.std(ddof=1) / np.sqrt(len(values))
    return Interval(float(values.mean()), float(half_width), len(values))
