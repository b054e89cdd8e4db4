"""``reproduce``: points of a figure, claims, files, and comparison with kept rows."""

import csv
import json
from dataclasses import dataclass

import pytest

from hydranoc.cli import run
from hydranoc.families.registry import OWN_FAMILIES
from hydranoc.measurement import kept
from hydranoc.measurement.kept import kept_points, sources_digest
from hydranoc.measurement.kept_points import KeptPoints, measure_curves, measure_points
from hydranoc.studies.common import measured as measured_value
from hydranoc.studies.common.check import check_figure, csv_text, written_rows
from hydranoc.studies.common.figure import Effort, Figure, Reproduction
from hydranoc.studies.common.loads import load_comparison, load_series, load_table
from hydranoc.studies.registry import REPRODUCTIONS
from hydranoc.studies.spam import multicasts as studies
from hydranoc.studies.spam.multicasts import Point
from tests.each import each
from tests.hydranoc.measurement.synthetic import curve


@pytest.fixture
def measured(monkeypatch):
    """Ready-made points instead of simulations."""

    def put(name: str, points: list[Point]):
        monkeypatch.setattr(studies, name, lambda *_arguments, **_options: points)
        monkeypatch.setattr(studies, "lattices", lambda _switches: [])

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
        monkeypatch.setitem(REPRODUCTIONS["spam"], name, item)
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
@pytest.mark.parametrize("name", REPRODUCTIONS["spam"])
def test_figures_are_measured(name, tmp_path):
    assert run(["reproduce", name, "--quick", "-o", str(tmp_path)]) == 0
    assert (tmp_path / f"{name}.svg").exists()


@dataclass(frozen=True)
class FakePoint:
    twice: int
    details: dict[str, float]


def double(number: int) -> FakePoint:
    if number < 0:
        raise KeyboardInterrupt
    return FakePoint(2 * number, {"half": number / 2})


@pytest.mark.parametrize("processes", [1, 2])
def test_points_come_in_order_and_report_progress(processes):
    seen = []
    points = measure_points(
        double,
        [3, 1, 2],
        point_type=FakePoint,
        processes=processes,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert [point.twice for point in points] == [6, 2, 4]
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_an_interrupted_figure_goes_on(tmp_path):
    path = tmp_path / "new" / "points.jsonl"
    with pytest.raises(KeyboardInterrupt):
        measure_points(double, [3, 1, -1, 2], kept=KeptPoints(path), point_type=FakePoint)
    seen = []
    kept = KeptPoints(path)
    assert len(kept) == 2
    points = measure_points(
        double, [3, 1, 4, 2], kept=kept, point_type=FakePoint, progress=lambda done, _total: seen.append(done)
    )
    assert points == [double(number) for number in (3, 1, 4, 2)]
    assert seen == [2, 3, 4]
    kept.drop()
    assert not path.exists()


def halving(start: int, asked: list[int] | None = None):
    """Requests half of the last result until that is odd."""
    number, sums = start, []
    while number % 2 == 0:
        if asked is not None:
            asked.append(number)
        point = yield number
        sums.append(point.twice)
        number = point.twice // 4
    return sums


@pytest.mark.parametrize("processes", [1, 2])
def test_curves_decide_by_their_points_what_comes_next(processes):
    seen = []
    returned = measure_curves(
        double,
        [halving(start) for start in (12, 7, 16, 6)],
        point_type=FakePoint,
        most_tasks=20,
        processes=processes,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert returned == [[24, 12], [], [32, 16, 8, 4], [12]]
    assert seen == [*((done, 20) for done in range(1, 7)), (20, 20)]


@each("cut", [1, 5])
def test_a_line_that_was_cut_off_does_not_count(cut, tmp_path):
    path = tmp_path / f"{cut}.jsonl"
    measure_points(double, [3, 1], kept=KeptPoints(path), point_type=FakePoint)
    path.write_text(path.read_text()[:-cut])
    kept = KeptPoints(path)
    assert kept.get("3") == {"twice": 6, "details": {"half": 1.5}}
    assert kept.get("1") is None
    assert measure_points(double, [1], kept=kept, point_type=FakePoint) == [double(1)]
    assert len(KeptPoints(path)) == 2


KIND = ("message",)


def figure(mean: float = 100, half_width: float = 1, saturation=(0.2, 0.21), name: str = "one") -> Figure:
    """A curve with two stable loads and one that diverges."""
    own = curve(name, {load: {"message": (mean, half_width)} for load in (0.1, 0.15)}, saturation)
    columns, rows = load_table([own], KIND, "us", 1.0)
    series = load_series("one", own, "message", 1.0)
    return Figure("a title", "x", "y", (series,), (), columns, rows, comparable=load_comparison(KIND, "us"))


KEPT = written_rows(figure())


@each("mean, half_width, differences", [(100, 1, 0), (102.8, 1, 0), (102.9, 1, 2), (97, 1, 2), (110, 6, 0)])
def test_means_may_be_twice_the_interval_of_their_difference_apart(mean, half_width, differences):
    check = check_figure(figure(mean, half_width), KEPT)
    assert check.compared == 2, "the load that diverges has no mean"
    assert len(check.differences) == differences


def test_a_verdict_that_differs_is_found_but_near_saturation():
    early = [{**row, "verdict": "diverges", "saturation_low": "0.02", "saturation_high": "0.03"} for row in KEPT[:1]]
    assert check_figure(figure(), early).differences == ("curve one, load 0.1: verdict is stable, kept diverges",)
    wide = figure(saturation=(0.09, 0.15))
    assert not check_figure(figure(), written_rows(wide)).differences


def test_nothing_in_common_is_no_check():
    with pytest.raises(ValueError, match="must have rows in common"):
        check_figure(figure(name="other"), KEPT)


@pytest.fixture
def kept_rows(monkeypatch, tmp_path):
    """A figure of its own, and a folder with a full run of it."""
    folder = tmp_path / "measured"
    folder.mkdir()
    monkeypatch.setattr(measured_value, "MEASURED", folder)
    monkeypatch.setitem(REPRODUCTIONS["spam"], "spam-own", Reproduction("of its own", lambda _effort: figure()))

    def keep(full: Figure) -> None:
        (folder / "spam-own.csv").write_text(csv_text(full.columns, full.rows))
        (folder / "spam-own.json").write_text(json.dumps({"title": full.title, "claims": []}))

    return keep


def test_reproduce_checks(kept_rows, tmp_path, capsys):
    kept_rows(figure())
    command = ["reproduce", "spam-own", "--check", "-o", str(tmp_path / "out")]
    assert run(command) == 0
    assert "2 of 2 values as in the full run that is kept" in capsys.readouterr().out
    kept_rows(figure(mean=200))
    assert run([*command, "--json"]) == 1
    assert len(json.loads(capsys.readouterr().out)["check"]["differences"]) == 2


def test_a_figure_that_is_not_kept_cannot_be_checked(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(measured_value, "MEASURED", tmp_path)
    assert run(["reproduce", "spam-bound", "--check"]) == 2
    assert "no full run of spam-bound is kept" in capsys.readouterr().err
