"""Figures of the papers: the claims that are drawn from measured points, and the files that are written."""

import csv
import json
import time

import pytest

from hydranoc.cli import run
from hydranoc.families.registry import OWN_FAMILIES
from hydranoc.measurement import kept
from hydranoc.measurement.kept import kept_points, sources_digest
from hydranoc.measurement.kept_points import KeptPoints
from hydranoc.reports import progress
from hydranoc.studies.common.figure import Effort, Figure, Reproduction
from hydranoc.studies.spam import figures as spam_figures
from hydranoc.studies.spam import measurements as studies
from hydranoc.studies.spam.measurements import Point


@pytest.fixture
def measured(monkeypatch):
    """Ready-made points instead of simulations."""

    def put(name: str, points: list[Point]):
        monkeypatch.setattr(studies, name, lambda *_arguments, **_options: points)
        monkeypatch.setattr(spam_figures, "_lattices", lambda _switches: [])

    return put


def _single(series: str, x: int, latency_us: float) -> Point:
    return Point(series, x, latency_us, 0.1, 10, {"largest_us": latency_us + 0.5})


def test_figure_2_holds_its_claims_against_the_points(measured, tmp_path, capsys):
    measured("spam_fig2", [_single(f"{n} nodes", x, 12.0 + x / 200) for n in (128, 256) for x in (1, n - 1)])
    assert run(["reproduce", "spam-fig2", "--quick", "-o", str(tmp_path), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert [claim["holds"] for claim in summary["claims"]] == [True, True, True]
    assert summary["claims"][0]["measured"] == "mean 13.28 us, largest 13.78 us"
    rows = list(csv.DictReader((tmp_path / "spam-fig2.csv").open()))
    assert [row["series"] for row in rows] == ["128 nodes"] * 2 + ["256 nodes"] * 2
    assert {path.suffix for path in tmp_path.iterdir()} == {".csv", ".json", ".svg", ".png"}


def test_figure_2_says_when_a_claim_does_not_hold(measured, tmp_path, capsys):
    measured("spam_fig2", [_single(f"{n} nodes", x, 12.0 + x / 50) for n in (128, 256) for x in (1, n - 1)])
    assert run(["reproduce", "spam-fig2", "-o", str(tmp_path)]) == 0
    assert capsys.readouterr().out.count("DOES NOT HOLD") == 3


def test_a_long_wait_for_the_first_point_says_what_it_is(measured, tmp_path, monkeypatch, capsys):
    measured("spam_fig2", [_single(f"{n} nodes", x, 12.0 + x / 200) for n in (128, 256) for x in (1, n - 1)])
    monkeypatch.setattr(spam_figures, "_lattices", lambda _switches: time.sleep(0.4) or [])
    monkeypatch.setattr(progress, "REFRESH_SECONDS", 0.05)
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.2)
    monkeypatch.delenv(progress.SWITCH)
    assert run(["reproduce", "spam-fig2", "--quick", "-o", str(tmp_path)]) == 0
    assert capsys.readouterr().err.startswith("measuring the first points: ")


def test_the_bound_of_the_paper_is_one_start_up_too_high(measured, tmp_path, capsys):
    bound = Point("software bound", 255, 80.0, 0.0, 0, {})
    measured("spam_bound", [_single("hardware", 255, 12.7), _single("software", 255, 100.0), bound])
    assert run(["reproduce", "spam-bound", "-o", str(tmp_path), "--json"]) == 0
    claims = json.loads(capsys.readouterr().out)["claims"]
    assert [claim["holds"] for claim in claims] == [True, False, True]
    assert "the bound is 80 us" in claims[1]["note"]


def test_it_says_that_it_goes_on_from_where_and_how_to_begin_anew(measured, tmp_path, monkeypatch, capsys):
    """After an interrupt, a figure appeared at once without an explanation."""
    monkeypatch.setenv("HYDRANOC_CACHE", str(tmp_path / "cache"))
    found = []
    points = [_single(f"{n} nodes", x, 12.0) for n in (128, 256) for x in (1, n - 1)]
    measured("spam_fig2", points)
    monkeypatch.setattr(studies, "spam_fig2", lambda *_networks, kept, **_options: found.append(len(kept)) or points)
    for arguments, said, count in (
        ([], "goes on with 2 points kept in {path}; --anew begins from nothing\n", 2),
        (["--anew"], "", 0),
        ([], "", 0),
    ):
        if said or arguments:
            for key in ("first", "second"):
                _kept_of_spam("spam-fig2").add(key, {"x": 1})
        path = _kept_of_spam("spam-fig2").path
        assert run(["reproduce", "spam-fig2", "-o", str(tmp_path / "out"), *arguments]) == 0
        assert capsys.readouterr().err == said.format(path=path)
        assert found.pop() == count
        assert not path.exists()


def test_shared_points_are_there_for_the_next_figure(tmp_path, monkeypatch, capsys):
    """Three figures of HARTS measured the same curve, each for an hour."""
    monkeypatch.setenv("HYDRANOC_CACHE", str(tmp_path / "cache"))
    found = []

    def measure(effort: Effort) -> Figure:
        assert effort.kept is not None
        found.append(len(effort.kept))
        effort.kept.add(f"point {len(found)}", {"x": 1})
        return Figure("", "", "", (), (), (), ())

    for name in ("spam-first", "spam-second"):
        item = Reproduction("a test's", measure, "spam-shared")
        monkeypatch.setitem(spam_figures.REPRODUCTIONS, name, item)
    for name, *options in (("spam-first",), ("spam-second",), ("spam-first", "--anew"), ("spam-second", "--quick")):
        assert run(["reproduce", name, *options, "-o", str(tmp_path / "out")]) == 0
    assert found == [0, 1, 0, 0]
    assert len(_kept_of_spam("spam-shared")) == 1
    assert "goes on with 1 point kept" in capsys.readouterr().err


def test_sources_of_other_families_do_not_make_points_void(tmp_path, monkeypatch):
    monkeypatch.setattr(kept, "ROOT", tmp_path)
    for name in ("common", "min", "harts"):
        (tmp_path / "sim_model" / name).mkdir(parents=True)
    digests = []
    for changed in ("common", "min", "harts"):
        (tmp_path / "sim_model" / changed / "engine.py").write_text("x = 1\n")
        digests.append(sources_digest({"harts"}))
    assert digests[0] != digests[1] == digests[2]
    assert sources_digest() != digests[2]


def _kept_of_spam(name: str) -> KeptPoints:
    return kept_points(name, False, OWN_FAMILIES.keys() - {"spam"})


@pytest.mark.slow
@pytest.mark.parametrize("name", spam_figures.REPRODUCTIONS)
def test_figures_are_measured(name, tmp_path):
    assert run(["reproduce", name, "--quick", "-o", str(tmp_path)]) == 0
    assert (tmp_path / f"{name}.svg").exists()
