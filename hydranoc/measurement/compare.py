"""Comparisons of measured means, with intervals."""

import math
from collections.abc import Iterable

from sim_model.statistics.latency import Interval


def ratio(numerator: Interval, denominator: Interval) -> Interval:
    """Return the quotient of two means, its half width to first order.

    The means count as independent. Where both come from the same messages they rise and fall together, and the
    interval is wider than it need be.

    Parameters:
        numerator, denominator (Interval): Half widths count as of independent means.

    Returns:
        Without a unit where both have equal units.

    Raises:
        ValueError: If the denominator is 0.
    """
    if denominator.mean == 0:
        raise ValueError("A ratio needs a denominator other than 0")
    mean = numerator.mean / denominator.mean
    half_width = abs(mean) * math.hypot(numerator.relative, denominator.relative)
    return Interval(mean, half_width, min(numerator.observations, denominator.observations))


def combination(terms: Iterable[tuple[float, Interval]]) -> Interval:
    """Return the weighted sum of means that count as independent; no mean may occur in two terms."""
    terms = list(terms)
    return Interval(
        sum(weight * term.mean for weight, term in terms),
        math.hypot(*(weight * term.half_width for weight, term in terms)),
        min(term.observations for _, term in terms),
    )


def difference(first: Interval, second: Interval) -> Interval:
    """Return the difference of two means that count as independent."""
    return combination([(1, first), (-1, second)])


def logarithm(mean: Interval) -> Interval:
    """Return the natural logarithm of a mean greater than 0, its half width to first order."""
    return Interval(math.log(mean.mean), mean.relative, mean.observations)
