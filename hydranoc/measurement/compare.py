"""Comparisons of measured means, with intervals."""

import math

from sim_model.common.statistics import Interval


def ratio(numerator: Interval, denominator: Interval) -> Interval:
    """Quotient of two means, its half width to first order.

    The means count as independent. Where both come from the same messages they rise and fall together, and the
    interval is wider than it need be.

    Raises
    ------
    ValueError
        If the denominator is 0.
    """
    if denominator.mean == 0:
        raise ValueError("A ratio needs a denominator other than 0")
    mean = numerator.mean / denominator.mean
    half_width = abs(mean) * math.hypot(numerator.relative, denominator.relative)
    return Interval(mean, half_width, min(numerator.observations, denominator.observations))


def difference(first: Interval, second: Interval) -> Interval:
    """Difference of two means that count as independent."""
    half_width = math.hypot(first.half_width, second.half_width)
    return Interval(first.mean - second.mean, half_width, min(first.observations, second.observations))
