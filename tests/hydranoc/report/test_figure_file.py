"""Figures as ``reproduce`` writes them and pages read them. The curves of those that are kept are in their tables."""

import json
import re
from dataclasses import replace

import pytest

from hydranoc import ConfigError
from hydranoc.cli import run
from hydranoc.pictures.plot_data import plain_claims, plain_plot, plain_text
from hydranoc.report_page.figure_file import figure_path, read_figure
from hydranoc.report_page.given import read_given_figure
from hydranoc.studies.common.figure import Claim, Figure, Series
from hydranoc.studies.common.measured import MEASURED, MeasuredFigure, measured_figure, measured_names
from tests.hydranoc.report.networks import CONFIGURATIONS

WHOLE = Figure(
    "A figure",
    "load",
    "latency, us",
    (
        Series("first", [0.125, 0.25], [3.5, 4.5], [0.5, 0.25], saturation=(0.25, 0.5)),
        Series("second", [0.125], [7.0], panel=1, colour=3, dashed=True, joined=False),
        Series("third", [], [], marked=False),
    ),
    (Claim("under 14", "12", True, level=14.0), Claim("sixfold", "five", False, note="why")),
    (),
    (),
    log_x=True,
    log_y=True,
    x_names=("one", "two"),
    panels=("left", "right"),
    one_legend=True,
)


def _content(figure: Figure) -> dict:
    return {"title": figure.title, "quick": True, "claims": plain_claims(figure), "plot": plain_plot(figure)}


@pytest.mark.parametrize("bars", [False, True])
def test_what_is_written_is_read(bars, tmp_path):
    bar = Figure("Bars", "", "us", (Series("one", [1.0], [2.0]),), (), (), (), bars=True)
    figure = bar if bars else WHOLE
    (tmp_path / "a.json").write_text(plain_text(_content(figure)))
    assert read_figure(tmp_path / "a.json") == figure


def test_a_file_has_the_numbers_of_a_list_in_a_line():
    text = plain_text({"x": [1.5, -2e-05], "names": ["[\n 1\n]", "b"], "deep": [[1], {"y": [2, 3]}], "none": []})
    assert json.loads(text) == {
        "x": [1.5, -2e-05],
        "names": ["[\n 1\n]", "b"],
        "deep": [[1], {"y": [2, 3]}],
        "none": [],
    }
    assert '"x": [1.5, -2e-05]' in text
    assert '"y": [2, 3]' in text


WRONG = {
    "title": (lambda c: c.pop("title"), "key 'title' is missing"),
    "claim": (lambda c: c["claims"][0].pop("holds"), "key 'holds' is missing in claims[0]"),
    "series": (lambda c: c["plot"].pop("series"), "key 'series' is missing in plot"),
    "word": (
        lambda c: c["plot"]["series"][0]["y"].__setitem__(1, "x"),
        "plot.series[0].y[1] must be a number, not 'x'",
    ),
    "endless": (
        lambda c: c["plot"]["series"][0]["y"].__setitem__(1, float("nan")),
        "plot.series[0].y[1] must be a finite number, not nan",
    ),
    "short": (
        lambda c: c["plot"]["series"][0]["y"].pop(),
        "plot.series[0].y must be a list of as many numbers as x, 2, not 1",
    ),
    "error": (lambda c: c["plot"]["series"][0]["error"].pop(), "plot.series[0].error must be a list of as many"),
    "negative": (
        lambda c: c["plot"]["series"][0]["error"].__setitem__(0, -1),
        "plot.series[0].error[0] must be at least 0, not -1",
    ),
    "panel": (lambda c: c["plot"]["series"][1].update(panel=2), "plot.series[1].panel must be less than 2, not 2"),
    "log": (
        lambda c: c["plot"]["series"][0]["y"].__setitem__(0, 0),
        "plot.series[0].y must be greater than 0 on a logarithmic axis, not 0",
    ),
    "bars": (
        lambda c: c["plot"].update(bars=True),
        "plot.series[0].x must be a list of one number, as series are bars",
    ),
    "names": (
        lambda c: c["plot"]["series"][0].update(saturation=[1]),
        "plot.series[0].saturation must be a list of at least 2, not [1]",
    ),
    "key": (lambda c: c["plot"].update(colour=1), "unknown key 'colour' in plot"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_file_is_told_in_one_line(name, tmp_path):
    change, said = WRONG[name]
    content = json.loads(plain_text(_content(WHOLE)))
    change(content)
    (tmp_path / "wrong.json").write_text(json.dumps(content))
    with pytest.raises(ConfigError, match=re.escape(said)) as found:
        read_figure(tmp_path / "wrong.json")
    assert "wrong.json: must be NAME.json of 'hydranoc reproduce'" in str(found.value)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "[]", 100_000 * "["])
def test_what_is_no_figure_is_refused(text, tmp_path):
    (tmp_path / "no.json").write_text(text)
    with pytest.raises(ConfigError, match=r"no.json: must be NAME.json of 'hydranoc reproduce'"):
        read_figure(tmp_path / "no.json")


@pytest.mark.parametrize("name", measured_names())
def test_curves_of_kept_figures_are_in_their_tables(name):
    """A figure that was kept without its plot is reproduced again, quickly thanks to kept points."""
    figure, measured = read_given_figure(MEASURED / f"{name}.json"), measured_figure(name)
    assert measured is not None
    assert [claim.text for claim in figure.claims] == [claim["claim"] for claim in measured.claims]
    assert any(len(series.x) for series in figure.series)
    assert _strangers(figure, measured) == []


def test_curves_of_other_numbers_are_seen():
    figure, measured = read_given_figure(MEASURED / "spam-fig3.json"), measured_figure("spam-fig3")
    assert measured is not None
    first = figure.series[0]
    assert first.error is not None
    for change in ({"y": [1.01 * y for y in first.y]}, {"error": [1.01 * e for e in first.error]}):
        assert len(_strangers(replace(figure, series=(replace(first, **change),)), measured)) == len(first.x)


def _strangers(figure: Figure, measured: MeasuredFigure) -> list[tuple[float, float]]:
    """Values, with their half widths, that are drawn, not taken from the paper, and in no row together."""
    rows = [(list(filter(None, map(_number, row.values()))), _scales(row)) for row in measured.rows]
    own = [series for series in figure.series if not series.name.endswith(": paper")]
    drawn = [pair for series in own for pair in zip(series.y, series.error or series.y, strict=True)]
    return [pair for pair in drawn if not any(all(_is_in(value, *row) for value in pair if value) for row in rows)]


def _scales(row: dict[str, str]) -> tuple[float, ...]:
    """Of what is drawn: as it is in the row, in thousands, or in flits where the row counts messages."""
    return (1, 0.001, float(row["flits"])) if "flits" in row else (1, 0.001)


def _is_in(value: float, row: list[float], scales: tuple[float, ...]) -> bool:
    """True if the value is a cell of a row in one of the scales, up to rounding."""
    return any(abs(value - scale * cell) <= 1e-5 * value + 6e-5 * scale for cell in row for scale in scales)


def _number(cell: str) -> float | None:
    """None for a text that is no number."""
    try:
        return float(cell)
    except ValueError:
        return None


def test_kept_figures_are_given_by_name(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.json").write_text(json.dumps(CONFIGURATIONS["spam"]))
    assert run(["report", "small.json", "--figure", "spam-fig3", "-o", "out"]) == 0
    text = (tmp_path / "out" / "small.html").read_text()
    assert "SPAM, figure 3" in text
    assert '<section id="figure">' in text
    (tmp_path / "spam-fig3").write_text("mine")  # present data takes precedence over kept data
    assert str(figure_path(tmp_path / "spam-fig3")).endswith("spam-fig3")
    assert run(["report", "small.json", "--figure", "spam-fig3", "-o", "out"]) == 2
    assert "error: spam-fig3: must be NAME.json" in capsys.readouterr().err
