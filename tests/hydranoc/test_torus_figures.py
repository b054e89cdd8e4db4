"""Figures of the torus paper: what is measured, and what is made of it."""

from dataclasses import replace

import pytest

from hydranoc.studies.torus.figures import (
    HOT_SPOTS,
    REPRODUCTIONS,
    SOFTWARE,
    Points,
    balance_claim,
    faster_claim,
    hot_spot_claim,
    longer_claim,
)
from hydranoc.studies.torus.multicasts import MulticastPoint, Workload, torus_multicasts
from sim_model.common.software import software_steps

GAINS = {
    32: {"4I": 0.96, "4IB": 0.91, "4II": 1.08, "4III": 1.06, "4IIIB": 1.04, "4IV": 1.09, "2IIIB": 1.08},
    1024: {"4I": 1.35, "4IB": 1.29, "4II": 1.00, "4III": 1.40, "4IIIB": 1.40, "4IV": 1.31, "2IIIB": 1.31},
}
"""Of another program with the same network, by length: 80 sources and destinations, T_s = 300 us, p = 25 %."""
WITHIN = 0.15

POINT = MulticastPoint("u-torus", 80, 80, 32, 300, 0.25, 1000.0, 10.0, 2000.0, 20.0, 5)


def point(software: str, mean_us: float, last_us: float = 2000.0, **changes) -> MulticastPoint:
    return replace(POINT, software=software, mean_us=mean_us, last_us=last_us, **changes)


def test_one_multicast_takes_its_steps_and_little_more():
    (found,) = torus_multicasts(["u-torus"], [Workload(1, 60, 100, startup_us=200)], quick=True)
    least = software_steps(60) * (200 + 100)
    assert least < found.mean_us == found.last_us < 1.2 * least
    assert found.workload == Workload(1, 60, 100, 200, 0.25)
    assert found.instances == 3


def test_points_come_back_as_asked_for_and_again_the_same():
    software, workloads = ("u-torus", "4III"), [Workload(5, 20, flits) for flits in (8, 16)]
    points = torus_multicasts(software, workloads, quick=True)
    assert {(p.software, p.workload) for p in points} == {(name, w) for name in software for w in workloads}
    assert all(0 < p.mean_us < p.last_us for p in points)
    assert points == torus_multicasts(software, workloads, quick=True)


def test_gains_and_savings():
    points = Points([point("u-torus", 1200.0), point("4I", 1000.0, 2000.0), point("4IB", 800.0, 1500.0)])
    assert points.gain("4I", sources=80) == 1.2
    assert points.saved("4I", "mean_us", sources=80) == pytest.approx(0.2)
    assert points.saved("4I", "last_us", sources=80) == pytest.approx(0.25)


@pytest.mark.parametrize(("balanced_few", "balanced_many", "holds"), [(800, 990, True), (990, 800, False)])
def test_balance_claim(balanced_few, balanced_many, holds):
    points = Points(
        [
            point(f"{scheme}{balance}", mean, 2 * mean, sources=sources)
            for scheme in ("4I", "4III")
            for sources, balanced in ((16, balanced_few), (240, balanced_many))
            for balance, mean in (("", 1000.0), ("B", float(balanced)))
        ]
    )
    claim = balance_claim(points, 80, (16, 240))
    assert claim.holds == holds
    saved = "20 % with 16 sources, 1 % with 240" if holds else "1 % with 16 sources, 20 % with 240"
    assert f"4I, mean latency: {saved}" in claim.measured


@pytest.mark.parametrize(("last", "holds"), [(1500.0, True), (1200.0, False)])
def test_hot_spot_claim(last, holds):
    means = (1000.0, 1100.0, 1300.0, last)
    points = Points(
        [point(name, mean, hot_spot=p) for name in SOFTWARE for p, mean in zip(HOT_SPOTS, means, strict=True)]
    )
    claim = hot_spot_claim("80 sources", points, {"sources": 80})
    assert claim.holds == holds
    assert f"by {last / 1000:.2f} (u-torus)" in claim.measured


@pytest.mark.parametrize(("long", "holds"), [(1500.0, True), (2100.0, False)])
def test_longer_and_faster_claims(long, holds):
    means = {32: 1200.0, 1024: long}
    points = [point(name, mean, flits=flits) for name in SOFTWARE[1:] for flits, mean in means.items()]
    points += [point("u-torus", mean, flits=flits) for flits, mean in ((32, 1000.0), (1024, 1600.0))]
    claim = longer_claim("80", Points(points), {"sources": 80}, (32, 1024))
    assert claim.holds == holds
    assert claim.measured.startswith("0.83 to 0.83 at 32 flits; ")
    faster = faster_claim("80", Points(points), [{"flits": 32}, {"flits": 1024}], "flits", "why")
    assert not faster.holds
    assert faster.measured == ("9 slower at 32" if holds else "9 slower at 32, 9 slower at 1024")
    assert faster.note == "why"


def test_names():
    assert list(REPRODUCTIONS) == ["torus-fig2", "torus-fig3", "torus-fig4"]


@pytest.mark.slow
@pytest.mark.parametrize("flits", GAINS)
def test_gains_over_u_torus_are_those_of_another_program(flits):
    software = ("u-torus", *GAINS[flits])
    points = Points(torus_multicasts(software, [Workload(80, 80, flits)], processes=2))
    for name, gain in GAINS[flits].items():
        assert points.gain(name) == pytest.approx(gain, rel=WITHIN), name


@pytest.mark.slow
def test_balance_and_hot_spots_matter_as_the_paper_says():
    points = Points(torus_multicasts(("4I", "4IB", "4III", "4IIIB"), [Workload(m, 80) for m in (16, 240)], processes=2))
    assert balance_claim(points, 80, (16, 240)).holds
    points = Points(torus_multicasts(SOFTWARE, [Workload(80, 80, hot_spot=p) for p in HOT_SPOTS], processes=2))
    assert hot_spot_claim("80", points, {"sources": 80}).holds
