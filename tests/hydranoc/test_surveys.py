"""The survey of collective operations: points, claims, tables, kept rows, and the verb."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from hydranoc.cli import run
from hydranoc.design.outcome import Outcome
from hydranoc.reports.table import aligned
from hydranoc.studies.common.check import check_figure
from hydranoc.studies.common.figure import Effort
from hydranoc.studies.common.measured import measured_figure
from hydranoc.surveys.collectives import figure as survey
from hydranoc.surveys.collectives.claims import all_claims
from hydranoc.surveys.collectives.figure import collectives, points_of
from hydranoc.surveys.collectives.networks import BARRIERS_ALONE, NETWORKS, PLANES, WITH_OPERATORS
from hydranoc.surveys.collectives.points import (
    ALL_REDUCE,
    CollectivePoint,
    CollectivePoints,
    CollectiveTask,
    measure,
    tasks,
)
from hydranoc.surveys.collectives.tables import cycles_table, faster_on_plane, fastest_table, markdown
from sim_model.collectives.registry import OPERATIONS
from sim_model.collectives.schedule import ALL_TO_ALL, BARRIER
from tests.each import each

ROOT = Path(__file__).parents[2]
KEPT = measured_figure("collectives")
POINTS = CollectivePoints([]) if KEPT is None else points_of(KEPT.rows)


def point(words: int, **cycles: int) -> CollectivePoint:
    named = {name.replace("_", "-"): value for name, value in cycles.items()}
    return CollectivePoint("hypercube", ALL_REDUCE, words, 0, named, next(iter(named)), {})


def test_kept_rows_are_all_of_a_full_run():
    wanted = [(task.network, task.operation, task.words, task.startup_cycles) for task in tasks()]
    assert [(p.network, p.operation, p.words, p.startup_cycles) for p in POINTS.all] == wanted
    for one in POINTS.all:
        multicasts = NETWORKS[one.network].multicasts
        names = {name for name, a in OPERATIONS[one.operation].items() if multicasts or not a.in_hardware}
        assert set(one.cycles) - set(PLANES) == names
        assert (one.plane is None, one.barrier_plane is None) == (one.operation == ALL_TO_ALL, one.operation != BARRIER)
        assert one.chosen in names


def test_claims_and_tables_are_those_of_the_kept_rows():
    assert KEPT is not None
    found = [(claim.text, claim.measured, claim.holds, claim.note) for claim in all_claims(POINTS)]
    assert found == [(one["claim"], one["measured"], one["holds"], one["note"]) for one in KEPT.claims]


@each("network", NETWORKS)
def test_runs_repeat_the_kept_rows(network):
    """If the golden model is meant to take other cycles: ``hydranoc reproduce collectives``, and keep its rows."""
    wanted = POINTS.one(network=network, operation=BARRIER, startup_cycles=0)
    found = measure(CollectiveTask(network, BARRIER, 0, 0))
    assert found == wanted
    assert found.forms == {plane: found.cycles[plane] for plane in PLANES}


def test_an_all_reduce_repeats_the_kept_row():
    """Flits of several words, and a plane that must wait for its first beat."""
    task = CollectiveTask("torus 8x8, 4-word flits", ALL_REDUCE, 2, 0)
    found = measure(task)
    assert found == POINTS.one(network=task.network, operation=ALL_REDUCE, words=2, startup_cycles=0)
    assert found.forms == {WITH_OPERATORS: found.plane}


def test_pages_quote_the_kept_rows():
    barriers = POINTS.find(operation=BARRIER)
    bare = [point.plane - point.startup_cycles for point in barriers if point.plane is not None]
    at_0, at_100 = (
        sorted(point.best_cycles / point.plane for point in barriers if point.plane and point.startup_cycles == startup)
        for startup in (0, 100)
    )
    ratios = [point.cycles[point.chosen] / point.best_cycles for point in POINTS.all]
    alone = [point.barrier_plane - point.startup_cycles for point in barriers if point.barrier_plane is not None]
    forms = sum(len(point.forms) for point in POINTS.all)
    page = " ".join((ROOT / "docs" / "do" / "choosing_algorithm.md").read_text().split())
    for text in (
        f"takes {min(bare)} to {max(bare)} cycles",
        f"{at_0[0]:.1f} to {at_0[-1]:.0f} times as long without start-ups",
        f"and {at_100[0]:.1f} to {at_100[-1]:.1f} times",
        f"at {sum(ratio <= 1.5 for ratio in ratios)} of {len(ratios)} points, and at worst {max(ratios):.1f} times",
        f"on a plane of barriers alone {min(alone)} to {max(alone)} cycles",
        f"met by all {forms} runs",
    ):
        assert text in page
    readme = f"in {min(bare)} to {max(bare)} cycles, without operators in {min(alone)} to {max(alone)} |"
    assert readme in (ROOT / "README.md").read_text()


def test_the_fastest_algorithm_is_one_of_messages():
    one = point(16, ring=50, binomial_multicast=40, rabenseifner=40, plane=10)
    assert (one.best, one.best_cycles, one.best_of_unicasts, one.plane) == ("rabenseifner", 40, "rabenseifner", 10)
    assert point(16, ring=50, binomial_multicast=40).best == "binomial-multicast"
    assert point(16, ring=50, binomial_multicast=40).best_of_unicasts == "ring"
    assert point(16, ring=50).plane is None


@each("cycles, text", [((9, 9), "all"), ((9, 11), "up to 1"), ((11, 9), "1 of 2 sizes"), ((10, 10), "none")])
def test_sizes_at_which_the_plane_is_faster(cycles, text):
    points = [point(words, ring=10, plane=own) for words, own in zip((1, 16), cycles, strict=True)]
    assert faster_on_plane(points) == text


def test_tables_have_a_row_for_each_size_and_each_start_up():
    cycles, fastest = cycles_table(POINTS), fastest_table(POINTS)
    assert len(cycles) == 1 + len(NETWORKS) * 7
    assert len(fastest) == 1 + len(NETWORKS) * 3
    assert (cycles[8][0], cycles[8][1], cycles[8][-1]) == ("SPAM, 8x8 mesh", "barrier", "37; 17")
    assert {line.count("|") for line in markdown(cycles)} == {len(cycles[0]) + 1}
    assert any("**binomial-multicast**" in cell for row in fastest for cell in row)


def test_a_wrong_run_is_no_point(monkeypatch):
    monkeypatch.setattr(Outcome, "right", property(lambda _self: False))
    with pytest.raises(RuntimeError, match="must be right, not barrier of 0 words by dissemination in hypercube"):
        measure(CollectiveTask("hypercube", BARRIER, 0, 0))


@pytest.fixture
def as_kept(monkeypatch):
    """Kept rows in place of simulations."""
    monkeypatch.setattr(survey, "measured", lambda **_effort: POINTS)


@pytest.mark.usefixtures("as_kept")
def test_reproduce_writes_the_survey_and_checks_it(tmp_path, capsys):
    assert run(["reproduce", "collectives", "--check", "-o", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert KEPT is not None
    assert f"{3 * len(KEPT.rows):,} of".replace(",", "") in said.replace(",", "")
    assert "SPAM, 8x8 mesh           barrier" in said
    assert "DOES NOT HOLD" in said
    assert {path.suffix for path in tmp_path.iterdir()} == {".csv", ".json", ".svg", ".png"}


def test_a_difference_of_one_cycle_is_found(monkeypatch):
    assert KEPT is not None
    slower = [replace(POINTS.all[0], cycles={**POINTS.all[0].cycles, BARRIERS_ALONE: 1}), *POINTS.all[1:]]
    monkeypatch.setattr(survey, "measured", lambda **_effort: CollectivePoints(slower))
    (difference,) = check_figure(collectives(Effort()), KEPT.rows).differences
    assert "cycles is 1, kept" in difference


def test_kept_figures_are_shown(tmp_path, capsys):
    assert run(["reproduce", "spam-fig2", "--kept", "-o", str(tmp_path), "--json"]) == 0
    summary, kept = json.loads(capsys.readouterr().out), measured_figure("spam-fig2")
    assert kept is not None
    assert summary["rows"] == [list(row.values()) for row in kept.rows]
    assert [claim["holds"] for claim in summary["claims"]] == [claim["holds"] for claim in kept.claims]
    assert {path.suffix for path in tmp_path.iterdir()} == {".csv", ".json", ".svg", ".png"}
    assert run(["reproduce", "collectives", "--kept", "--quick"]) == 2
    assert "--quick is given; it must be left out with --kept" in capsys.readouterr().err


def test_kept_tables_are_those_of_the_rows():
    assert KEPT is not None
    assert tuple(KEPT.table) == (*aligned(cycles_table(POINTS)), "", *aligned(fastest_table(POINTS)))
