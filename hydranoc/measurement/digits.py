"""How many digits of a measured value are kept."""


def six_digits(value: float) -> float:
    """Return rounded to six significant digits, as tables of figures and of points have them."""
    return float(f"{value:.6g}")
