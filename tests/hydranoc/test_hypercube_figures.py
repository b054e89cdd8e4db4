"""Figures of the hypercube paper: measurements and their evaluation."""

import csv
import math
from dataclasses import replace

import numpy as np
import pytest

from hydranoc.cli import run
from hydranoc.measurement.observations import PARTS
from hydranoc.measurement.point import DIVERGES, STABLE
from hydranoc.studies.common.figure import Effort
from hydranoc.studies.common.run_length import RunLength
from hydranoc.studies.hypercube.cases import FRACTIONS, paper_loads, simulated_series
from hydranoc.studies.hypercube.figures import REPRODUCTIONS
from hydranoc.studies.hypercube.latency_figure import accuracy_claim, curve, discrepancy_claims, excess
from hydranoc.studies.hypercube.load_figure import load_claim
from hydranoc.studies.hypercube.saturation_figure import merging_claim, roots, saturation
from hydranoc.studies.hypercube.simulated import (
    DRAFT,
    LATENCY_SAMPLING,
    CubeLoad,
    CubePoint,
    Sampling,
    simulated_cubes,
)
from sim_model.hypercube.analytical import saturation_rate, solve
from sim_model.hypercube.analytical_traffic import VARIANTS, HypercubeLoad, link_load
from tests.sim_model.test_hypercube_analytical import SATURATION

LOAD = HypercubeLoad(6, 2, 32, 0.01)
SMALL = HypercubeLoad(4, 2, 8, 0.05)
SMALL_RATE = saturation_rate(SMALL, "fixed")


def point(load: HypercubeLoad, share: float, printed_excess: float = 0.0) -> CubePoint:
    """A point that the published equations exceed by a given share; its load is that of the corrected ones."""
    at = load.at(share * saturation_rate(load, "fixed"))
    solution = solve(at, "printed")
    latency = solution.latency / (1 + printed_excess) if solution else 1000.0
    carried = link_load(at, "fixed")
    cube = (load.dimensions, load.flits, load.lanes, load.broadcast_fraction)
    return CubePoint(*cube, share, at.rate, STABLE, True, latency, 1.0, carried, 0.001, 10_000, 400, 6)


def test_saturation_has_the_digits_of_its_reference():
    figure = saturation(Effort())
    assert figure.columns == ("dimensions", "flits", "lanes", "broadcast_fraction", "printed", "fixed")
    found: dict = {}
    for n, flits, lanes, fraction, *rates in figure.rows:
        found.setdefault((n, flits, lanes), []).extend(rates)
        assert len(found[n, flits, lanes]) == 2 * (FRACTIONS.index(fraction) + 1)
    assert {cube: tuple(rates) for cube, rates in found.items()} == SATURATION
    for (n, flits, lanes), rates in SATURATION.items():
        pairs = [" / ".join(rates[number : number + 2]) for number in (0, 2, 4)]
        assert f"{n:2} {flits:4} {lanes:2}   {'   '.join(pairs)}" in figure.table
    (claim,) = figure.claims
    assert claim.holds
    assert "in 108 of 108 cases; there λ_c S is 0.49 to 0.61, and links carry 0.36 to 0.53 flits" in claim.measured


@pytest.mark.parametrize("variant", VARIANTS)
def test_roots_merge_at_saturation(variant):
    for load in (LOAD, HypercubeLoad(8, 4, 128, 0.02), SMALL):
        rate = saturation_rate(load, variant)
        assert [roots(load.at(share * rate), variant) for share in (0.5, 0.99, 1.01, 1.3)] == [2, 2, 0, 0]


@pytest.mark.parametrize("share", [0.99, 1.01])
def test_merging_claim_wants_saturation_itself(share):
    claim = merging_claim({(LOAD, "printed"): share * saturation_rate(LOAD, "printed"), (SMALL, "fixed"): SMALL_RATE})
    assert not claim.holds
    assert "in 1 of 2 cases" in claim.measured


@pytest.mark.parametrize("variant", VARIANTS)
def test_curves_end_where_there_is_no_root(variant):
    for load in (LOAD, HypercubeLoad(8, 4, 64, 0.02)):
        rates, latencies = curve(load, variant)
        assert len(rates) == len(latencies)
        assert latencies[0] == load.dimensions * (load.flits + 1)
        assert latencies == sorted(latencies)
        assert rates[-1] == saturation_rate(load, variant)
        assert solve(load.at(1.0001 * rates[-1]), variant) is None


def test_accuracy_claim():
    near = [point(LOAD, share, found) for share, found in ((0.2, 0.14), (0.4, 0.02), (0.8, -0.1), (1.0, -0.3))]
    wide = replace(near[0], latency_half_width=10.0)
    claim = accuracy_claim([*near, point(replace(LOAD, lanes=4), 0.4, 0.5)], 6, 2)
    assert claim.holds
    assert claim.text.endswith("within 15 % of the simulation up to 0.8 of saturation: n = 6, V = 2")
    assert claim.measured.startswith("-10 to +14 %, 3 of 3 points, 8.7±0.2 % on average; fixed ")
    assert claim.measured.endswith("; printed beyond 0.8: -30 to -30 %")
    assert not accuracy_claim([wide, *near[1:]], 6, 2).holds, "14±5 % is not within 15 %"
    assert not accuracy_claim([], 6, 2).holds
    claim = accuracy_claim([*near, point(LOAD, 0.6, 0.16), point(LOAD, 0.6, -0.2)], 6, 2)
    assert not claim.holds
    assert claim.measured.startswith("-20 to +16 %, 3 of 5 points")


def test_a_point_that_diverges_is_not_near():
    diverging = replace(point(LOAD, 0.6), verdict=DIVERGES)
    claim = accuracy_claim([point(LOAD, 0.4), diverging], 6, 2)
    assert not claim.holds
    assert "1 of 2 points" in claim.measured
    assert claim.measured.endswith("1 points without a mean")
    claim = load_claim([point(LOAD, 0.4), diverging], "fixed")
    assert not claim.holds
    assert claim.measured.endswith("1 of 2 points")
    series = simulated_series([point(LOAD, 0.4), diverging], LOAD, "latency", panel=0)
    assert len(series.x) == 1


@pytest.mark.parametrize(("beyond", "holds"), [((-0.2, 0.1), True), ((-0.01, 0.05), False)])
def test_discrepancies_are_greater_near_saturation(beyond, holds):
    points = [point(LOAD, 0.4, 0.07), point(LOAD, 0.8, -0.01), *(point(LOAD, 1.0, found) for found in beyond)]
    (claim,) = discrepancy_claims(points)
    assert claim.holds == holds
    mean, ends = ("15.0", "-20 to +10 %") if holds else ("3.0", "-1 to +5 %")
    assert claim.measured.startswith("on average 4.0±")
    assert f" % up to 0.8 of saturation, {mean}±" in claim.measured
    assert claim.measured.endswith(f" % beyond: {ends}")
    assert not list(discrepancy_claims(points[:2]))
    (vague,) = discrepancy_claims([replace(found, latency_half_width=60.0) for found in points])
    assert not vague.holds, "not known well enough"


def test_a_point_without_a_root_is_not_near():
    beyond = replace(point(LOAD, 0.8), rate=2 * saturation_rate(LOAD, "printed"))
    assert excess(beyond, "printed") is None
    claim = accuracy_claim([beyond, point(LOAD, 0.4)], 6, 2)
    assert not claim.holds
    assert "1 of 2 points" in claim.measured


def test_load_claims():
    points = [point(load, 0.5) for load in paper_loads((32,))]
    claim = load_claim(points, "fixed")
    assert claim.holds
    assert claim.measured.startswith("+0.0 to +0.0 %, each within 0.")
    assert claim.measured.endswith(": 18 of 18 points")
    points[-1] = replace(points[-1], link_load=points[-1].link_load / 1.03)
    claim = load_claim(points, "fixed")
    assert not claim.holds
    assert claim.measured.startswith("+0.0 to +3.0 %")
    assert claim.measured.endswith(": 17 of 18 points")
    points[-1] = replace(point(points[-1].load, 0.5), link_load_half_width=0.02)
    assert load_claim(points, "fixed").measured.endswith(": 17 of 18 points"), "not known well enough"
    printed = load_claim(points, "printed")
    assert not printed.holds
    assert "(10)" in printed.note
    assert printed.measured.startswith("-27.4 to -4.3 %")
    assert printed.measured.endswith(": 0 of 18 points")


def test_simulated_points():
    plan = replace(DRAFT, relative_half_width=0.03, replications=5, most_replications=20)
    sampling = Sampling(RunLength(500, 150), plan)
    points = simulated_cubes([SMALL, replace(SMALL, lanes=4)], (0.3, 0.8), sampling)
    assert {(p.lanes, p.share) for p in points} == {(2, 0.3), (2, 0.8), (4, 0.3), (4, 0.8)}
    assert points == simulated_cubes([SMALL, replace(SMALL, lanes=4)], (0.3, 0.8), sampling)
    for found in points:
        assert found.stable
        assert found.rate == found.share * saturation_rate(found.load, "fixed")
        assert 5 <= found.replications <= 20
        assert found.precise == (found.latency_half_width <= 0.03 * found.latency)
        assert found.link_load == pytest.approx(link_load(found.load, "fixed"), rel=0.05)
        assert found.latency > 4 * 9
    slow, fast = (next(p for p in points if (p.lanes, p.share) == (2, share)) for share in (0.3, 0.8))
    assert fast.latency > slow.latency


def test_a_cube_that_is_overloaded_diverges():
    sampling = Sampling(RunLength(500, 50), replace(DRAFT, replications=5, most_doublings=1))
    (found,) = simulated_cubes([SMALL], (3.0,), sampling)
    assert found.verdict == DIVERGES
    assert not found.stable
    assert not found.precise


def test_runs_have_as_many_messages_and_broadcasts_as_asked_for():
    for load, messages, broadcasts in (
        (LOAD.at(0.01), 30_000, 300),
        (replace(LOAD, broadcast_fraction=0.02), 20_000, 400),
    ):
        cycles = LATENCY_SAMPLING.plan_at(load.at(0.01)).cycles
        assert cycles * 0.01 * 64 == pytest.approx(messages, rel=0.001)
        assert cycles * 0.01 * 64 * load.broadcast_fraction == pytest.approx(broadcasts, rel=0.001)


def test_a_run_as_observations():
    run = CubeLoad(SMALL.at(0.5 * SMALL_RATE)).run(0, 4_000)
    broadcast = run.kind == 1
    assert 0 < broadcast.mean() < 0.15
    assert set(run.flits[broadcast]) == {15 * 8}
    assert set(run.flits[~broadcast]) == {8}
    assert np.nanmin(run.latency_cycles[broadcast]) >= 4 * 9
    assert np.nanmin(run.latency_cycles[~broadcast]) >= 9
    assert run.channel_flits is not None
    assert run.channel_flits.shape == (PARTS + 1, 16 * 4)
    others = [CubeLoad(SMALL.at(0.5 * SMALL_RATE)).run(1, 4_000), CubeLoad(SMALL.at(0.6 * SMALL_RATE)).run(0, 4_000)]
    assert all(len(other.kind) != len(run.kind) for other in others)


def test_precision_is_that_of_what_is_asked_for():
    """More runs are made for the links' load, and not for irrelevant latencies."""
    length = RunLength(500, 60)
    loads = [
        simulated_cubes(
            [SMALL], (0.5,), Sampling(length, replace(DRAFT, relative_half_width=latency, channel_half_width=flow))
        )
        for latency, flow in ((0.05, math.inf), (math.inf, 0.01))
    ]
    by_latency, by_flow = (found[0] for found in loads)
    assert by_flow.link_load_half_width <= 0.01 * by_flow.link_load
    assert by_latency.link_load_half_width > 0.01 * by_latency.link_load
    assert by_flow.replications > by_latency.replications


def test_simulated_series_are_of_one_load():
    points = [point(LOAD, 0.8), point(LOAD, 0.2), point(replace(LOAD, flits=64), 0.2)]
    series = simulated_series(points, LOAD, "latency", panel=3)
    assert series.name == "simulated, β = 0.01"
    assert list(series.x) == [points[1].rate, points[0].rate]
    assert list(series.y) == [points[1].latency, points[0].latency]
    assert series.error == [1.0, 1.0]
    assert (series.panel, series.colour, series.joined) == (3, FRACTIONS.index(0.01), False)


def test_names():
    assert list(REPRODUCTIONS) == ["hypercube-fig1", "hypercube-saturation", "hypercube-load"]


def test_saturation_is_printed_and_written(tmp_path, capsys):
    assert run(["reproduce", "hypercube-saturation", "-o", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert " 6   32  2   0.02177 / 0.02097   0.02093 / 0.01950   0.01943 / 0.01711\n" in text
    rows = list(csv.DictReader((tmp_path / "hypercube-saturation.csv").open()))
    assert len(rows) == 54
    assert {name: value for name, value in rows[-1].items() if name != "fixed"} == {
        "dimensions": "8",
        "flits": "128",
        "lanes": "4",
        "broadcast_fraction": "0.02",
        "printed": "0.00501",
    }


@pytest.mark.slow
def test_figure_1_is_measured(tmp_path, capsys):
    assert run(["reproduce", "hypercube-fig1", "--quick", "-o", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert text.count("holds: printed equations within 15 %") == 4
    assert "DOES NOT HOLD" not in text
    rows = list(csv.DictReader((tmp_path / "hypercube-fig1.csv").open()))
    own = [row for row in rows if row["curve"] == "simulated"]
    assert len(own) == 12 * 3
    assert all(row["verdict"] == STABLE for row in own)
    assert all(abs(float(row["printed_excess"])) < 0.15 for row in own)


@pytest.mark.slow
def test_load_is_measured(tmp_path, capsys):
    assert run(["reproduce", "hypercube-load", "--quick", "-o", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert "holds: equations (4) to (11), with (10) over the nodes that forward" in text
    assert "DOES NOT HOLD: equations (4) to (11) as printed" in text
    rows = list(csv.DictReader((tmp_path / "hypercube-load.csv").open()))
    assert all(abs(float(row["fixed"]) / float(row["simulated"]) - 1) < 0.02 for row in rows)
