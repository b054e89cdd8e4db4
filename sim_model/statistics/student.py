"""Student's t distribution: SciPy has it too, but loading SciPy takes longer than most runs of the model.

The tail is half of a regularised incomplete beta function, which is computed by its continued fraction (Abramowitz and
Stegun, "Handbook of Mathematical Functions", 26.5.8 and 26.7.1) from the front (Lentz's method).
"""

import math

TINY = 1e-300
CLOSE = 1e-15


def student_tail(freedom: float, t: float) -> float:
    """Return the probability that a Student variable exceeds a value.

    Parameters:
        freedom: Degrees of freedom, above 0.
        t: The value; infinite ones are allowed.

    Returns:
        To 12 digits for 100 degrees of freedom, to 10 for 10,000, to 8 for a million.
    """
    if t < 0:
        return 1 - student_tail(freedom, -t)
    if math.isinf(t):
        return 0.0
    square = t * t
    return _incomplete_beta(freedom / 2, 0.5, freedom / (freedom + square), square / (freedom + square)) / 2


def student_quantile(freedom: float, probability: float) -> float:
    """Return the value that a Student variable exceeds with a probability of 1 - ``probability``.

    Parameters:
        freedom: Degrees of freedom, above 0.
        probability: Between 0 and 1.

    Returns:
        With the precision of ``student_tail``.
    """
    if probability < 0.5:
        return -student_quantile(freedom, 1 - probability)
    tail = 1 - probability
    low, high = 0.0, 1.0
    while student_tail(freedom, high) > tail:
        low, high = high, 2 * high
    while high - low > CLOSE * high:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if student_tail(freedom, middle) > tail else (low, middle)
    return (low + high) / 2


def _incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """Return the regularised incomplete beta function at x = 1 - rest; both are given, so that neither loses digits."""
    if x <= 0:
        return 0.0
    if rest <= 0:
        return 1.0
    if x > (a + 1) / (a + b + 2):  # the fraction converges fast on the other side alone
        return 1 - _incomplete_beta(b, a, rest, x)
    logarithm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(rest)
    return math.exp(logarithm) * _fraction(a, b, x) / a


def _fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of the incomplete beta function."""
    above, below = 1.0, 1 / (_safe(1 - (a + b) * x / (a + 1)))
    value, step = below, 0
    change = 0.0
    while abs(change - 1) > CLOSE and step < 100_000:
        step += 1
        for term in (
            step * (b - step) * x / ((a + 2 * step - 1) * (a + 2 * step)),
            -(a + step) * (a + b + step) * x / ((a + 2 * step) * (a + 2 * step + 1)),
        ):
            below = 1 / _safe(1 + term * below)
            above = _safe(1 + term / above)
            change = above * below
            value *= change
    return value


def _safe(value: float) -> float:
    return value if abs(value) > TINY else TINY
