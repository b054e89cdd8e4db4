"""Charts of a page: axes, curves, intervals, bars; the series of a figure appear in them."""

import re
from dataclasses import replace

import pytest

from hydranoc.report_page.axes import decades, octaves, ticks
from hydranoc.report_page.charts import figure_charts
from hydranoc.studies.common.figure import Claim, Figure, Series
from tests.each import each

CURVE = Series("a <b>", [1, 2, 4], [5, 6, 9], [0.5, 0, 1])


def figure_of(*series: Series, **more) -> Figure:
    return Figure("A figure", "load", "latency, cycles", series, (), (), (), **more)


def test_ticks_are_round_and_hold_all():
    for low, high in ((0, 7), (0.0001, 0.0012), (17, 1930), (5, 5), (0, 0)):
        found = ticks(low, high)
        assert found[0] <= low
        assert found[-1] >= high
        assert 2 <= len(found) <= 8


@each("low, high", [(1, 255), (3, 3), (0.5, 2**30), (0.0001, 0.0012), (17, 1930)])
def test_logarithmic_axes_hold_all(low, high):
    for scale in (octaves(low, high), decades(low, high)):
        assert scale.low <= low <= high <= scale.high
        assert 0 <= scale.share(low) <= scale.share(high) <= 1
        assert 1 <= len(scale.ticks) <= 14
        middle = (scale.low * scale.high) ** 0.5
        assert scale.share(middle) == pytest.approx(0.5)
        assert scale.share(-1) == 0  # an interval that reaches below all logarithms
    assert octaves(1, 255).ticks == [2**k for k in range(9)]
    assert decades(3, 70).ticks == pytest.approx([2, 5, 10, 20, 50, 100])


def _count(chart: str) -> dict[str, int]:
    """Number of elements of each kind in a chart without its legend."""
    drawn = chart.partition('<g transform="translate(74')[0]
    parts = {"lines": "<polyline", "marks": "<circle", "intervals": '"interval', "ends": 'class="end ', "bars": "<rect"}
    return {name: drawn.count(part) for name, part in parts.items()}


@each(
    "shown, wanted",
    [
        ({}, {"lines": 1, "marks": 3, "intervals": 2}),
        ({"joined": False}, {"marks": 3, "intervals": 2}),
        ({"marked": False}, {"lines": 1, "intervals": 2}),
        ({"error": None}, {"lines": 1, "marks": 3}),
        ({"saturation": (4, 5)}, {"lines": 1, "marks": 3, "intervals": 2, "ends": 1}),
        ({"x": [], "y": [], "error": [], "saturation": (0, 5)}, {"ends": 1}),
    ],
)
def test_series_are_drawn_as_they_say(shown, wanted):
    chart = figure_charts(figure_of(replace(CURVE, **shown)))
    assert {name: count for name, count in _count(chart).items() if count} == wanted
    assert "a &lt;b&gt;" in chart


def test_what_has_no_value_is_said():
    assert "No point of A figure has a value" in figure_charts(figure_of(Series("empty", [], [])))
    parts = figure_charts(figure_of(CURVE, panels=("one", "two")))
    assert "(a) one" in parts
    assert "No point of two has a value" in parts


def test_parts_may_share_a_legend():
    figure = figure_of(CURVE, replace(CURVE, panel=1), panels=("one", "two"))
    assert figure_charts(figure).count("a &lt;b&gt;") == 2
    assert figure_charts(replace(figure, one_legend=True)).count("a &lt;b&gt;") == 1


def test_values_stand_where_the_axes_say():
    """Linear, and to the bottom of the interval below 0; logarithmic in both."""
    below = figure_charts(figure_of(Series("below", [0, 10], [-4, 8], [1, 1])))
    assert _read(below) == [pytest.approx((0, -4), abs=0.05), pytest.approx((10, 8), abs=0.05)]
    log = figure_charts(figure_of(Series("log", [2, 32], [3, 70], [5, 1]), log_x=True, log_y=True))
    assert _read(log, power=True) == [pytest.approx((2, 3), rel=0.01), pytest.approx((32, 70), rel=0.01)]


def _read(chart: str, *, power: bool = False) -> list[tuple[float, float]]:
    """Values of the marks, read off the axes' numbers."""
    across = re.findall(r'<text x="([\d.]+)" y="\d[\d.]+" text-anchor="middle">([\d.,-]+)</text>', chart)
    down = re.findall(r'<text x="67" y="([\d.]+)" text-anchor="end">([\d.,-]+)</text>', chart)
    marks = re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', chart)  # in the legend one is negative

    def value(at: float, first: tuple[str, str], last: tuple[str, str], off: float) -> float:
        (a, low), (b, high) = ((float(place) - off, float(text)) for place, text in (first, last))
        share = (at - a) / (b - a)
        return low * (high / low) ** share if power else low + (high - low) * share

    ends = (across[0], across[-1], 0), (down[0], down[-1], 4)
    return [(value(float(x), *ends[0]), value(float(y), *ends[1])) for x, y in marks]


def test_bars_have_values_intervals_and_room_for_claims():
    series = [Series("hardware", [255], [12.7], [0.4]), Series("software", [255], [100.5])]
    claims = (Claim("under 14 us", "12.7 us", True, level=14.0), Claim("ninefold", "eight", False))
    chart = figure_charts(replace(figure_of(*series, bars=True), claims=claims))
    assert {name: count for name, count in _count(chart).items() if count} == {"bars": 2, "intervals": 1}
    assert ">100.5</text>" in chart
    assert ">hardware</text>" in chart
    assert chart.count("paper: under 14 us") == chart.count('class="level"') == 1
    assert "ninefold" not in chart
