"""A figure of a paper on the page, in headless Chromium: its curves are visible, and agree with the measured points."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hydranoc import load
from hydranoc.report_page.given import read_given_figure
from hydranoc.report_page.page import MAX_BYTES, write_page
from hydranoc.report_page.run import Run, run_of
from hydranoc.studies.common.figure import Figure
from hydranoc.studies.common.measured import measured_figure
from tests.hydranoc.report.networks import CONFIGURATIONS

NAME, COLOURS = "spam-fig3", 4
"""A kept figure, its curves."""
READ = """[...document.querySelectorAll('#figure svg > ' + %s)].map((one) => {
  const box = one.getBoundingClientRect(), style = getComputedStyle(one);
  return {curve: one.classList[1], text: one.textContent, stroke: style.stroke, seen: one.checkVisibility(),
          left: box.x, x: box.x + box.width / 2, y: box.y + box.height / 2, top: box.y, bottom: box.y + box.height,
          anchor: one.getAttribute('text-anchor')}; })"""


@pytest.fixture(scope="module")
def small() -> Run:
    return run_of(load(CONFIGURATIONS["spam"]))


@pytest.fixture(scope="module")
def kept() -> Figure:
    return read_given_figure(Path(NAME))


def _open(browser, run: Run, path: Path, figure: Figure) -> None:
    page, _ = write_page(run, reproduced=figure)
    assert len(page) < MAX_BYTES
    path.write_bytes(page)
    browser.complaints.clear()
    browser.requests.clear()
    browser.open(path)
    assert browser.complaints == []
    assert [url for url in browser.requests if not url.startswith("data:")] == [path.resolve().as_uri()]


def _of(browser, selector: str) -> list[dict[str, Any]]:
    return browser.ask(READ % repr(selector))


def _wrong_points(browser) -> list[str]:
    """Parts of the kept table that the page does not show: marks by the numbers beside the axis, and intervals."""
    numbers = [(one["y"], float(one["text"])) for one in _of(browser, "text") if one["anchor"] == "end"]
    (first, low), (last, high) = numbers[0], numbers[-1]
    per_pixel = (high - low) / (last - first)
    marks, intervals, found = _of(browser, "circle"), _of(browser, "path.interval"), []
    measured = measured_figure(NAME)
    assert measured is not None
    names = list(dict.fromkeys(row["curve"] for row in measured.rows))
    for number, name in enumerate(names):
        rows = [row for row in measured.rows if row["curve"] == name and row["verdict"] == "stable"]
        mine = [one for one in marks if one["curve"] == f"c{number}"]
        bars = [one for one in intervals if one["curve"] == f"c{number}"]
        if not len(rows) == len(mine) == len(bars):
            found.append(f"{name}: {len(mine)} marks and {len(bars)} intervals for {len(rows)} stable loads")
            continue
        for row, mark, bar in zip(rows, mine, bars, strict=True):
            mean, half = float(row["message_mean_us"]), float(row["message_half_width_us"])
            seen = low + (mark["y"] - first) * per_pixel
            long = (bar["top"] - bar["bottom"]) * per_pixel / 2
            if abs(seen - mean) > 0.2 or abs(long - half) > 0.2 or not (mark["seen"] and bar["seen"]):
                found.append(f"{name} at {row['load']}: {seen:.2f}±{long:.2f}, measured {mean}±{half}")
    return found


def test_curves_are_those_of_the_kept_table(browser, small, kept, tmp_path):
    _open(browser, small, tmp_path / "page.html", kept)
    assert _wrong_points(browser) == []
    lines, ends = _of(browser, "polyline"), _of(browser, "path.end")
    assert [one["curve"] for one in lines] == [one["curve"] for one in ends] == [f"c{k}" for k in range(COLOURS)]
    assert len({one["stroke"] for one in lines}) == COLOURS
    # a curve ends behind its last mean; the text above the chart says so, the chart itself does not
    assert all(end["left"] > max(mark["x"] for mark in _of(browser, "circle")) for end in ends)
    assert max(end["bottom"] for end in ends) < min(mark["top"] for mark in _of(browser, "path.interval"))
    assert "messages per node and cycle" in browser.ask("document.getElementById('figure').innerText")


FAULTS = {
    "a curve is left out": lambda series: series[1:],
    "intervals are left out": lambda series: [replace(one, error=None) for one in series],
    "a point that diverges is drawn": lambda series: [
        replace(one, x=[*one.x, 0.00014], y=[*one.y, 30], error=[*one.error, 1]) for one in series
    ],
    "means are those of others": lambda series: [replace(one, y=series[0].y) for one in series],
}


@pytest.mark.parametrize("fault", FAULTS)
def test_other_curves_are_seen_to_be_others(browser, small, kept, tmp_path, fault):
    _open(browser, small, tmp_path / "page.html", replace(kept, series=tuple(FAULTS[fault](kept.series))))
    assert _wrong_points(browser) != []


def test_a_figure_fits_a_narrow_window_and_both_kinds_of_colours(browser, small, kept, tmp_path):
    _open(browser, small, tmp_path / "page.html", kept)
    light = {one["stroke"] for one in _of(browser, "polyline")}
    metrics = {"height": 800, "deviceScaleFactor": 1, "mobile": False}
    try:
        browser.dark(True)
        browser.call("Emulation.setDeviceMetricsOverride", width=420, **metrics)
        assert light.isdisjoint(one["stroke"] for one in _of(browser, "polyline"))
        assert browser.ask("document.querySelector('#figure svg').getBoundingClientRect().right") <= 420
        assert browser.ask("document.documentElement.scrollWidth") <= 420
    finally:
        browser.dark(False)
        browser.call("Emulation.setDeviceMetricsOverride", width=1400, **{**metrics, "height": 1000})
