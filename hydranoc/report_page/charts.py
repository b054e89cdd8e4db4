"""Small charts as SVG in the colours of the page, light or dark."""

from collections.abc import Iterable, Sequence
from html import escape

from hydranoc.report_page.axes import (
    LEFT,
    MAX_VALUE,
    RIGHT,
    TOP,
    WIDTH,
    Frame,
    Scale,
    decades,
    linear,
    named,
    octaves,
)
from hydranoc.reports.histogram import Histogram
from hydranoc.studies.common.figure import Figure, Series

MARK, WIDER_MARK = 2.6, 1.5
LINE, WIDER_LINE = 1.4, 1.6
"""Width of the uppermost curve, and the factor for each one below it: equal curves all stay visible."""
MAX_WIDER = 3
COLOURS = 6
"""Classes ``c0`` to ``c5`` of the page's style."""
LEGEND_LINE, SAMPLE = 17, 24
DASHES = ("", "6 3", "2 3")
STRIP, END = 7, 2.5
"""Height of a line for the saturation of a curve, and half that of its ends."""
CAP = 1.8
"""Half width of the caps of an interval."""
BAR, BEFORE_BARS = 0.55, 2.8
"""Width of a bar, and room before the first one's middle for the claims."""


def histogram_chart(histograms: Sequence[Histogram]) -> str:
    """Return the latencies of all kinds of messages in one chart, as outlines that do not hide each other."""
    width = histograms[0].width_cycles
    edges = [histograms[0].first_cycles + width * k for k in range(len(histograms[0].counts) + 1)]
    x, y = linear(edges[0], edges[-1]), linear(0, max(max(h.counts) for h in histograms))
    frame = Frame(x, y, "latency, cycles", f"messages per {width:,} cycles")
    parts = frame.parts()
    for style, histogram in enumerate(histograms):
        points = [(edges[0], 0)]
        for left, right, count in zip(edges, edges[1:], histogram.counts, strict=False):
            points += [(left, count), (right, count)]
        points.append((edges[-1], 0))
        path = " ".join(f"{frame.x(x):.1f},{frame.y(y):.1f}" for x, y in points)
        parts.append(f'<polygon class="area c{style}" points="{path}"/>')
    samples = [
        f'<rect class="area c{row % COLOURS}" y="-9" width="{SAMPLE}" height="10"/>' for row in range(len(histograms))
    ]
    legend = _legend([h.kind for h in histograms], samples)
    return _svg([*parts, *_below(legend, frame.height)], frame.height + _room(legend), "Histogram of latencies")


def figure_charts(figure: Figure, x_range: Sequence[float] = ()) -> str:
    """Return the charts of a figure: one for each of its parts, or one of the whole.

    Colour and dashes tell curves apart. Error bars are the intervals; level lines above a chart show the
    loads between which a curve saturates; claims with a level are dashed lines across.

    Parameters:
        x_range: Values that the horizontal axes must include.
    """
    parts = figure.panels or ("",)
    of_part = [[series for series in figure.series if series.panel == number] for number in range(len(parts))]
    charts = []
    for number, (title, series) in enumerate(zip(parts, of_part, strict=True)):
        caption = f"({chr(ord('a') + number)}) {escape(title)}" if title else ""
        charts.append(f"<figure><figcaption>{caption}</figcaption>{_chart(figure, series, title, x_range)}</figure>")
    shared = _legend_of(of_part[0]) if figure.one_legend else []
    legend = _svg(_below(shared, 0), _room(shared), "What the curves are") if shared else ""
    return f'{legend}<div class="charts">{"".join(charts)}</div>'


def _chart(figure: Figure, series: Sequence[Series], title: str, x_range: Sequence[float]) -> str:
    """Return one part of a figure."""
    shown = [one for one in series if len(one.x) or one.saturation]
    if not shown:
        return f"<p>No point of {escape(title or figure.title)} has a value.</p>"
    frame = _bar_frame(figure, shown) if figure.bars else _curve_frame(figure, shown, x_range)
    parts = frame.parts()
    for claim in figure.claims:
        parts += _level(frame, claim.level, claim.text) if claim.level is not None else []
    for position, one in enumerate(shown):
        above = shown[position + 1 :]
        parts += _bar(frame, one, position) if figure.bars else _curve(frame, one, _style(one, position), above)
        parts += _end(frame, one, position)
    legend = [] if figure.one_legend or figure.bars else _legend_of(shown)
    label = f"{title}: {figure.y_label}" if title else figure.y_label
    return _svg([*parts, *_below(legend, frame.height)], frame.height + _room(legend), label)


def _curve_frame(figure: Figure, shown: Sequence[Series], x_range: Iterable[float]) -> Frame:
    across = [*x_range, *(x for one in shown for x in [*one.x, *(one.saturation or ())])]
    if figure.x_names:
        x = named(figure.x_names)
    else:
        x = octaves(_lowest(across), max(across)) if figure.log_x else linear(min(across), max(across))
    strip = STRIP * (1 + len(shown)) if any(one.saturation for one in shown) else 0
    return Frame(x, _y_scale(figure, shown), figure.x_label, figure.y_label, figure.x_names, strip)


def _bar_frame(figure: Figure, shown: Sequence[Series]) -> Frame:
    names = [one.name for one in shown]
    return Frame(named(names, BEFORE_BARS), _y_scale(figure, shown), figure.x_label, figure.y_label, names)


def _y_scale(figure: Figure, shown: Sequence[Series]) -> Scale:
    """Return a scale from 0 or below to the highest end of an interval; in a logarithm from the lowest value."""
    ends = [y + way * e for one in shown for y, e in zip(one.y, _errors(one), strict=True) for way in (-1, 0, 1)]
    ends += [claim.level for claim in figure.claims if claim.level is not None]
    if figure.log_y:
        return decades(_lowest(ends), max(ends, default=1.0))
    return linear(min([0.0, *ends]), max(ends, default=1.0))


def _lowest(values: Iterable[float]) -> float:
    """Return the lowest value that has a logarithm."""
    return min((value for value in values if value > 1 / MAX_VALUE), default=1.0)


def _errors(series: Series) -> Sequence[float]:
    return series.error or [0.0] * len(series.x)


def _style(series: Series, position: int) -> int:
    return position if series.colour is None else series.colour


def _curve(frame: Frame, series: Series, style: int, above: Sequence[Series]) -> list[str]:
    """Return a curve with its marks and intervals, each wider than those above it."""
    points = [(frame.x(x), frame.y(y)) for x, y in zip(series.x, series.y, strict=True)]
    parts = []
    if series.joined and points:
        along = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        width = LINE + WIDER_LINE * min(sum(one.joined for one in above), MAX_WIDER)
        look = f'class="curve {_colour(style)}" {_dashes(series, style)} style="stroke-width: {width:.1f}"'
        parts.append(f'<polyline {look} points="{along}"/>')
    radius = MARK + WIDER_MARK * min(sum(one.marked for one in above), MAX_WIDER)
    for (x, y), value, error in zip(points, series.y, _errors(series), strict=True):
        parts += [_mark(series, style, x, y, radius)] if series.marked else []
        parts += _interval(frame, x, value, error, style, radius + CAP)
    return parts


def _bar(frame: Frame, series: Series, position: int) -> list[str]:
    """Return a bar with its value and interval."""
    value, error = series.y[0], _errors(series)[0]
    left, right, top = frame.x(position - BAR / 2), frame.x(position + BAR / 2), frame.y(value)
    size = f'width="{right - left:.1f}" height="{frame.y(0) - top:.1f}"'
    middle, above = (left + right) / 2, frame.y(value + error) - 5
    text = f'<text x="{middle:.1f}" y="{above:.1f}" text-anchor="middle">{value:.1f}</text>'
    bar = f'<rect class="area {_colour(position)}" x="{left:.1f}" y="{top:.1f}" {size}/>'
    return [bar, *_interval(frame, middle, value, error, position, MARK + CAP), text]


def _interval(frame: Frame, x: float, value: float, error: float, style: int, half: float) -> list[str]:
    """Return an interval with its caps, which are wide enough to be visible behind a mark."""
    low, top = frame.y(value - error), frame.y(value + error)
    ends = "".join(f"M{x - half:.1f} {y:.1f}h{2 * half:.1f}" for y in (low, top))
    return [f'<path class="interval {_colour(style)}" d="M{x:.1f} {low:.1f}V{top:.1f}{ends}"/>'] if error else []


def _end(frame: Frame, series: Series, position: int) -> list[str]:
    """Return the line above the chart for the loads between which a curve saturates."""
    if series.saturation is None:
        return []
    (low, high), y = map(frame.x, series.saturation), TOP + STRIP * position
    ends = "".join(f"M{x:.1f} {y - END}V{y + END}" for x in (low, high))
    look = f'class="end {_colour(_style(series, position))}" {_dashes(series, _style(series, position))}'
    return [f'<path {look} d="M{low:.1f} {y}H{high:.1f}{ends}"/>']


def _level(frame: Frame, level: float, text: str) -> list[str]:
    y = frame.y(level)
    return [
        f'<line class="level" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>',
        f'<text class="claim" x="{LEFT + 5}" y="{y - 4:.1f}">paper: {escape(text)}</text>',
    ]


def _mark(series: Series, style: int, x: float, y: float, radius: float) -> str:
    """Return a dot, open where the curve is dashed."""
    kind = "dot open" if series.dashed else "dot"
    return f'<circle class="{kind} {_colour(style)}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"/>'


def _colour(style: int) -> str:
    return f"c{style % COLOURS}"


def _dashes(series: Series, style: int) -> str:
    return f'stroke-dasharray="{DASHES[(style // COLOURS + series.dashed) % len(DASHES)]}"'


def _legend_of(shown: Sequence[Series]) -> list[str]:
    samples = []
    for position, one in enumerate(shown):
        style = _style(one, position)
        look = f'class="curve {_colour(style)}" {_dashes(one, style)}'
        line = f'<line {look} x2="{SAMPLE}" y1="-4" y2="-4"/>' if one.joined else ""
        samples.append(line + (_mark(one, style, SAMPLE / 2, -4, MARK) if one.marked else ""))
    return _legend([one.name for one in shown], samples)


def _legend(names: Sequence[str], samples: Sequence[str]) -> list[str]:
    """Return a line for each name, with a sample; positions are relative to the legend."""
    return [
        f'{sample}<text x="{SAMPLE + 8}">{escape(name)}</text>' for name, sample in zip(names, samples, strict=True)
    ]


def _below(legend: Sequence[str], top: float) -> list[str]:
    """Return a legend moved down to a position."""
    return [
        f'<g transform="translate({LEFT} {top + LEGEND_LINE * (row + 0.5):.1f})">{line}</g>'
        for row, line in enumerate(legend)
    ]


def _room(legend: Sequence[str]) -> float:
    return LEGEND_LINE * len(legend) + 6


def _svg(parts: Sequence[str], height: float, title: str) -> str:
    size, label = f"0 0 {WIDTH} {height:.0f}", escape(title)
    return f'<svg class="chart" viewBox="{size}" role="img" aria-label="{label}">{"".join(parts)}</svg>'
