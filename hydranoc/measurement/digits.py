"""Digits of a stored measured value."""


def six_digits(value: float) -> float:
    """Return a value rounded to six significant digits, as in tables of figures and of points."""
    return float(f"{value:.6g}")
