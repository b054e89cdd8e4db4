"""Small charts as SVG whose colours are the page's, so that they follow its light and dark."""

from collections.abc import Sequence
from html import escape
from math import ceil, floor, log10

from hydranoc.reports.histogram import Histogram
from hydranoc.studies.common.figure import Series

WIDTH, HEIGHT = 620, 300
LEFT, RIGHT, TOP, BOTTOM = 74, 26, 14, 48
TICKS = 5
MARK, WIDER_MARK = 2.8, 2.0
LINE, WIDER_LINE = 1.6, 2.4
"""Of the uppermost curve, and how much wider each one below it is: equal curves hide nothing of each other."""
MOST_WIDER = 3
COLOURS = 6
"""Classes ``c0`` to ``c5`` of the page's style."""
LEGEND_LINE = 17
DASHES = ("", "6 3", "2 3")


class _Frame:
    """The axes of a chart, from 0 or below to the highest value."""

    def __init__(self, x: Sequence[float], y: Sequence[float], x_label: str, y_label: str):
        self.x_ticks, self.y_ticks = ticks(min(x), max(x)), ticks(0, max(y))
        self.low, self.high = min(self.x_ticks[0], min(x)), max(self.x_ticks[-1], max(x))
        self.top = self.y_ticks[-1]
        self._labels = x_label, y_label

    def x(self, value: float) -> float:
        """Place of a value from left to right."""
        return LEFT + (value - self.low) / ((self.high - self.low) or 1) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        """Place of a value from top to bottom."""
        return HEIGHT - BOTTOM - value / self.top * (HEIGHT - TOP - BOTTOM)

    def parts(self) -> list[str]:
        """Lines, numbers and labels."""
        bottom, middle = HEIGHT - BOTTOM, (HEIGHT - BOTTOM + TOP) / 2
        found = []
        for value in self.y_ticks:
            at = self.y(value)
            found.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>')
            found.append(f'<text x="{LEFT - 7}" y="{at + 4:.1f}" text-anchor="end">{number(value)}</text>')
        for value in self.x_ticks:
            at = self.x(value)
            found.append(f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="{TOP}" y2="{bottom}"/>')
            found.append(f'<text x="{at:.1f}" y="{bottom + 17}" text-anchor="middle">{number(value)}</text>')
        x_label, y_label = map(escape, self._labels)
        across = (WIDTH + LEFT - RIGHT) / 2
        found.append(f'<text class="label" x="{across}" y="{HEIGHT - 8}" text-anchor="middle">{x_label}</text>')
        turned = f'transform="translate(15 {middle}) rotate(-90)" text-anchor="middle"'
        return [*found, f'<text class="label" {turned}>{y_label}</text>']


def ticks(low: float, high: float) -> list[float]:
    """Round values from at most ``low`` to at least ``high``."""
    span = (high - low) or abs(high) or 1.0
    power = 10.0 ** floor(log10(span / TICKS))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power * TICKS >= span * 0.999)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return [round(index * step, 12) for index in range(first, max(last, first + 1) + 1)]


def number(value: float) -> str:
    """A value beside an axis."""
    return f"{value:,.0f}" if value == int(value) and abs(value) < 1e7 else f"{value:.4g}"


def histogram_chart(histograms: Sequence[Histogram]) -> str:
    """Latencies of all kinds of messages in one chart: outlines that do not hide each other."""
    width = histograms[0].width_cycles
    edges = [histograms[0].first_cycles + width * k for k in range(len(histograms[0].counts) + 1)]
    frame = _Frame(edges, [max(h.counts) for h in histograms], "latency, cycles", f"messages per {width:,} cycles")
    parts = frame.parts()
    for style, histogram in enumerate(histograms):
        points = [(edges[0], 0)]
        for left, right, count in zip(edges, edges[1:], histogram.counts, strict=False):
            points += [(left, count), (right, count)]
        points.append((edges[-1], 0))
        path = " ".join(f"{frame.x(x):.1f},{frame.y(y):.1f}" for x, y in points)
        parts.append(f'<polygon class="area c{style}" points="{path}"/>')
    return _svg(parts, [h.kind for h in histograms], "Histogram of latencies", area=True)


def curve_chart(series: Sequence[Series], x_label: str, y_label: str, title: str, x_range: Sequence[float] = ()) -> str:
    """Curves with their intervals; colour and dashes tell them apart. ``x_range`` is to be on the axis in any case."""
    shown = [one for one in series if len(one.x)]
    if not shown:
        return f"<p>No point of {escape(title)} has a value.</p>"
    high = [y + e for one in shown for y, e in zip(one.y, one.error or [0] * len(one.y), strict=True)]
    frame = _Frame([*x_range, *(x for one in shown for x in one.x)], high, x_label, y_label)
    parts = frame.parts()
    for style, one in enumerate(shown):
        parts += _curve(frame, one, style, min(len(shown) - 1 - style, MOST_WIDER))
    return _svg(parts, [one.name for one in shown], title)


def _curve(frame: _Frame, series: Series, style: int, wider: int) -> list[str]:
    """A curve with its marks and intervals."""
    colour, width = f"c{style % COLOURS}", LINE + WIDER_LINE * wider
    points = [(frame.x(x), frame.y(y)) for x, y in zip(series.x, series.y, strict=True)]
    along = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    parts = [f'<polyline class="curve {colour}" {_dashes(style)} style="stroke-width: {width}" points="{along}"/>']
    for (x, y), value, error in zip(points, series.y, series.error or [0] * len(points), strict=True):
        if error:
            low, top = frame.y(value - error), frame.y(value + error)
            parts.append(f'<line class="curve {colour}" x1="{x:.1f}" x2="{x:.1f}" y1="{low:.1f}" y2="{top:.1f}"/>')
        parts.append(f'<circle class="dot {colour}" cx="{x:.1f}" cy="{y:.1f}" r="{MARK + WIDER_MARK * wider}"/>')
    return parts


def _dashes(style: int) -> str:
    return f'stroke-dasharray="{DASHES[style // COLOURS % len(DASHES)]}"'


def _svg(parts: Sequence[str], names: Sequence[str], title: str, *, area: bool = False) -> str:
    """The chart with a legend below it."""
    legend = []
    for row, name in enumerate(names):
        y = HEIGHT + LEGEND_LINE * (row + 0.5)
        look = f'class="{"area" if area else "curve"} c{row % COLOURS}"'
        legend.append(f'<rect {look} x="{LEFT}" y="{y - 9:.1f}" width="24" height="10"/>' if area else "")
        if not area:
            legend.append(
                f'<line {look} {_dashes(row)} x1="{LEFT}" x2="{LEFT + 24}" y1="{y - 4:.1f}" y2="{y - 4:.1f}"/>'
            )
        legend.append(f'<text x="{LEFT + 32}" y="{y:.1f}">{escape(name)}</text>')
    height = HEIGHT + LEGEND_LINE * len(names) + 6
    body = "".join([*parts, *legend])
    return f'<svg class="chart" viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(title)}">{body}</svg>'
