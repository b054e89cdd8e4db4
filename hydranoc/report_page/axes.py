"""Axes of small charts: ticks, and positions of values."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log2, log10

WIDTH, PLOT_HEIGHT = 620, 238
LEFT, RIGHT, TOP, BOTTOM = 74, 26, 14, 48
TICKS = 5
MAX_VALUE = 1e100
"""Largest value of an axis; beyond it, or below its reciprocal, steps and logarithms leave the floating-point range."""
MAX_OCTAVES = 12
LOG_LABELS = (1, 2, 5)
MAX_LABELS = 9
LETTER = 7.5
"""Width of a letter beside an axis."""
SLOPE_DEGREES, SLOPED = 30, 0.5
"""Slope of long names below an axis, and their height as a fraction of their length."""


@dataclass(frozen=True)
class Scale:
    """Values along an axis.

    Members:
        ticks
        low, high (float): Its ends.
        log
    """

    ticks: Sequence[float]
    low: float
    high: float
    log: bool = False

    def share(self, value: float) -> float:
        """Return the position of a value along the axis, 0 to 1; outside values, such as log 0, are at the end."""
        inside = min(max(value, self.low), self.high)
        of: Callable[[float], float] = log10 if self.log else float
        return (of(inside) - of(self.low)) / ((of(self.high) - of(self.low)) or 1)


def linear(low: float, high: float) -> Scale:
    """Return a scale of equal steps."""
    found = ticks(low, high)
    return Scale(found, min(found[0], low), max(found[-1], high))


def octaves(low: float, high: float) -> Scale:
    """Return a scale of powers of two."""
    first, last = floor(log2(low)), max(ceil(log2(high)), floor(log2(low)) + 1)
    step = ceil((last - first) / MAX_OCTAVES)
    return Scale([2.0**power for power in range(first, last + 1, step)], min(2.0**first, low), 2.0**last, log=True)


def decades(low: float, high: float) -> Scale:
    """Return a scale of ones, twos and fives of powers of ten, or of ones alone if those are many."""
    known = [factor * 10.0**power for power in range(floor(log10(low)), ceil(log10(high)) + 1) for factor in LOG_LABELS]
    first = max(index for index, value in enumerate(known) if value <= low * (1 + 1e-9))
    last = next(index for index, value in enumerate(known) if value >= high * (1 - 1e-9))
    found = known[first : max(last, first + 1) + 1]
    ones = [value for value in found if log10(value) == round(log10(value))]
    return Scale(found if len(found) <= MAX_LABELS else ones, min(found[0], low), max(found[-1], high), log=True)


def named(names: Sequence[str], before: float = 0.5) -> Scale:
    """Return a scale of names at 0, 1, ..., with space ``before`` the first."""
    return Scale(range(len(names)), -before, len(names) - 0.5)


class Frame:
    """The axes of a chart.

    Parameters:
        x, y (Scale)
        x_label, y_label (str)
        names: Labels at 0, 1, ... on the horizontal axis in place of numbers.
        strip: Space above the plot.

    Members:
        top, bottom, height (float): Places of the plot's ends, and of the chart's.
    """

    def __init__(self, x: Scale, y: Scale, x_label: str, y_label: str, names: Sequence[str] = (), strip: float = 0.0):
        self._scales, self._labels, self._names = (x, y), (x_label, y_label), names
        longest = LETTER * max(map(len, names), default=0)
        self._sloping = longest > (WIDTH - LEFT - RIGHT) / max(1, len(names))
        self.top = TOP + strip
        self.bottom = self.top + PLOT_HEIGHT
        self.height = self.bottom + BOTTOM + (SLOPED * longest if self._sloping else 0)

    def x(self, value: float) -> float:
        """Return the position of a value from left to right."""
        return LEFT + self._scales[0].share(value) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        """Return the position of a value from top to bottom."""
        return self.bottom - self._scales[1].share(value) * PLOT_HEIGHT

    def parts(self) -> list[str]:
        """Return lines, numbers and labels."""
        found = []
        for value in self._scales[1].ticks:
            at = self.y(value)
            found.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>')
            found.append(f'<text x="{LEFT - 7}" y="{at + 4:.1f}" text-anchor="end">{number(value)}</text>')
        for value in self._scales[0].ticks:
            at = self.x(value)
            found.append(f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="{self.top}" y2="{self.bottom}"/>')
            found.append(self._below(at, escape(self._names[int(value)]) if self._names else number(value)))
        x_label, y_label = map(escape, self._labels)
        across, middle = (WIDTH + LEFT - RIGHT) / 2, (self.bottom + self.top) / 2
        found.append(
            f'<text class="label" x="{across}" y="{self.height - 8:.1f}" text-anchor="middle">{x_label}</text>'
        )
        turned = f'transform="translate(15 {middle}) rotate(-90)" text-anchor="middle"'
        return [*found, f'<text class="label" {turned}>{y_label}</text>']

    def _below(self, at: float, text: str) -> str:
        """Return a label below the axis."""
        y = self.bottom + 17
        if self._sloping:
            turned = f'transform="translate({at:.1f} {y - 3}) rotate(-{SLOPE_DEGREES})"'
            return f'<text text-anchor="end" {turned}>{text}</text>'
        return f'<text x="{at:.1f}" y="{y}" text-anchor="middle">{text}</text>'


def ticks(low: float, high: float) -> list[float]:
    """Return round values from at most ``low`` to at least ``high``."""
    span = max((high - low) or abs(high) or 1.0, 1 / MAX_VALUE)
    power = 10.0 ** floor(log10(span / TICKS))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power * TICKS >= span * 0.999)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return [round(index * step, 12) for index in range(first, max(last, first + 1) + 1)]


def number(value: float) -> str:
    """Return the text of a value beside an axis."""
    return f"{value:,.0f}" if value == int(value) and abs(value) < 1e7 else f"{value:.4g}"
