"""Figures compared with kept rows: differences are found, and noise does not count as one."""

import json

import pytest

from hydranoc.cli import run
from hydranoc.studies.common import measured
from hydranoc.studies.common.check import Comparable, check_figure, csv_text, written_rows
from hydranoc.studies.common.figure import Figure, Reproduction
from hydranoc.studies.common.load_series import load_comparison, load_series, load_table
from hydranoc.studies.spam import figures
from tests.hydranoc.measurement.synthetic import curve

KIND = ("message",)


def figure(mean: float = 100, half_width: float = 1, saturation=(0.2, 0.21), name: str = "one") -> Figure:
    """A curve with two stable loads and one that diverges."""
    own = curve(name, {load: {"message": (mean, half_width)} for load in (0.1, 0.15)}, saturation)
    columns, rows = load_table([own], KIND, "us", 1.0)
    series = load_series("one", own, "message", 1.0)
    return Figure("a title", "x", "y", (series,), (), columns, rows, comparable=load_comparison(KIND, "us"))


KEPT = written_rows(figure())


@pytest.mark.parametrize(
    ("mean", "half_width", "differences"), [(100, 1, 0), (102.8, 1, 0), (102.9, 1, 2), (97, 1, 2), (110, 6, 0)]
)
def test_means_may_be_twice_the_interval_of_their_difference_apart(mean, half_width, differences):
    check = check_figure(figure(mean, half_width), KEPT)
    assert check.compared == 2, "the load that diverges has no mean"
    assert len(check.differences) == differences


def test_a_verdict_that_differs_is_found_but_near_saturation():
    early = [{**row, "verdict": "diverges", "saturation_low": "0.02", "saturation_high": "0.03"} for row in KEPT[:1]]
    assert check_figure(figure(), early).differences == ("curve one, load 0.1: verdict is stable, kept diverges",)
    wide = figure(saturation=(0.09, 0.15))
    assert not check_figure(figure(), written_rows(wide)).differences


def test_what_has_no_chance_in_it_is_equal():
    plan = Comparable(("size",), exact=("frames",))
    exact = Figure("a title", "x", "y", (), (), ("size", "frames"), ((3, 10), (4, 12)), comparable=plan)
    rows = written_rows(exact)
    assert check_figure(exact, rows).compared == 2
    other = [rows[0], {**rows[1], "frames": "13"}]
    assert check_figure(exact, other).differences == ("size 4: frames is 12, kept 13",)


def test_nothing_in_common_is_no_check():
    with pytest.raises(ValueError, match="must have rows in common"):
        check_figure(figure(name="other"), KEPT)


@pytest.fixture
def kept(monkeypatch, tmp_path):
    """A figure of its own, and a folder with a full run of it."""
    folder = tmp_path / "measured"
    folder.mkdir()
    monkeypatch.setattr(measured, "MEASURED", folder)
    monkeypatch.setitem(figures.REPRODUCTIONS, "spam-own", Reproduction("of its own", lambda _effort: figure()))

    def keep(full: Figure) -> None:
        (folder / "spam-own.csv").write_text(csv_text(full.columns, full.rows))
        (folder / "spam-own.json").write_text(json.dumps({"title": full.title, "claims": []}))

    return keep


def test_reproduce_checks(kept, tmp_path, capsys):
    kept(figure())
    command = ["reproduce", "spam-own", "--check", "-o", str(tmp_path / "out")]
    assert run(command) == 0
    assert "2 of 2 values as in the full run that is kept" in capsys.readouterr().out
    kept(figure(mean=200))
    assert run([*command, "--json"]) == 1
    assert len(json.loads(capsys.readouterr().out)["check"]["differences"]) == 2


def test_a_figure_that_is_not_kept_cannot_be_checked(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(measured, "MEASURED", tmp_path)
    assert run(["reproduce", "spam-bound", "--check"]) == 2
    assert "no full run of spam-bound is kept" in capsys.readouterr().err
