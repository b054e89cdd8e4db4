"""Figures of the torus paper: measurements and their evaluation."""

import json
from dataclasses import asdict, replace

import pytest

from hydranoc.studies.torus.claims import balance_claim, faster_claim, hot_spot_claim, longer_claim
from hydranoc.studies.torus.figures import HOT_SPOTS, REPRODUCTIONS
from hydranoc.studies.torus.multicasts import MulticastPoint, Workload, torus_multicasts
from hydranoc.studies.torus.points import SOFTWARE, Points
from sim_model.messages.software import software_steps

NAMES = ("u-torus", "4I", "4IB", "4II", "4III", "4IIIB", "4IV", "2IIIB")
OTHER_PROGRAM = {
    32: (25.7, 26.8, 28.3, 23.7, 24.3, 24.6, 23.5, 23.7),
    128: (36.4, 35.4, 37.5, 35.3, 32.4, 32.5, 32.0, 32.1),
    512: (100.6, 77.8, 81.2, 104.7, 74.4, 74.8, 77.2, 77.7),
    1024: (186.1, 137.9, 143.9, 186.4, 133.3, 132.7, 142.2, 142.4),
}
"""Mean latencies in ms that another simulation of flits found, by length: 80 sources and destinations, T_s = 300 us,
p = 25 %. It has hosts and routers of its own; gains are what can be compared."""
WITHIN = 0.15

POINT = MulticastPoint("u-torus", 80, 80, 32, 300, 0.25, (1000.0,), (2000.0,))
WORKLOADS = (0.9, 0.95, 1.0, 1.05, 1.1)
"""Some take longer than others, with any software."""


def point(software: str, mean_us: float, last_us: float = 2000.0, scatter: float = 0.0, **changes) -> MulticastPoint:
    """A point of five workloads; ``scatter`` is the share of the software itself."""
    means = [mean_us * (share + scatter * (-1) ** number) for number, share in enumerate(WORKLOADS)]
    lasts = [last_us * share for share in WORKLOADS]
    return replace(POINT, software=software, means_us=tuple(means), lasts_us=tuple(lasts), **changes)


def test_one_multicast_takes_its_steps_and_little_more():
    (found,) = torus_multicasts(["u-torus"], [Workload(1, 60, 100, startup_us=200)], quick=True)
    least = software_steps(60) * (200 + 100)
    assert least < found.mean_us.mean == found.last_us.mean < 1.2 * least
    assert found.workload == Workload(1, 60, 100, 200, 0.25)
    assert len(found.means_us) == 5


def test_points_come_back_as_asked_for_and_again_the_same():
    software, workloads = ("u-torus", "4III"), [Workload(5, 20, flits) for flits in (8, 16)]
    points = torus_multicasts(software, workloads, quick=True)
    assert {(p.software, p.workload) for p in points} == {(name, w) for name in software for w in workloads}
    assert all(0 < p.mean_us.mean < p.last_us.mean for p in points)
    assert points == torus_multicasts(software, workloads, quick=True)


def test_gains_and_savings():
    points = Points([point("u-torus", 1200.0), point("4I", 1000.0, 2000.0), point("4IB", 800.0, 1500.0)])
    assert points.gain("4I", sources=80).mean == pytest.approx(1.2)
    assert points.gain("4I", sources=80).half_width < 1e-9, "workloads are compared one by one"
    assert points.saved("4I", "means_us", sources=80).mean == pytest.approx(0.2)
    assert points.saved("4I", "lasts_us", sources=80).mean == pytest.approx(0.25)


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
    saved = "20±0 % with 16 sources, 1±0 % with 240" if holds else "1±0 % with 16 sources, 20±0 % with 240"
    assert f"4I, mean latency: {saved}" in claim.measured


def test_balance_claim_wants_more_than_chance():
    points = Points(
        [
            point(f"{scheme}{balance}", mean, 2 * mean, scatter=0.1 if balance else 0.0, sources=sources)
            for scheme in ("4I", "4III")
            for sources, balanced in ((16, 950.0), (240, 990.0))
            for balance, mean in (("", 1000.0), ("B", balanced))
        ]
    )
    assert not balance_claim(points, 80, (16, 240)).holds


@pytest.mark.parametrize(("last", "holds", "rises"), [(1800.0, True, 30), (1390.0, True, 20), (1000.0, False, 20)])
def test_hot_spot_claim(last, holds, rises):
    means = (1000.0, 1200.0, 1450.0, last)
    points = Points(
        [point(name, mean, hot_spot=p) for name in SOFTWARE for p, mean in zip(HOT_SPOTS, means, strict=True)]
    )
    claim = hot_spot_claim("80 sources", points, {"sources": 80})
    assert claim.holds == holds
    assert f"at {rises} of 30 steps; " in claim.measured
    assert f"by {last / 1000:.2f}±" in claim.measured
    assert ("falls with u-torus, 4I, " in claim.measured) == (last == 1000.0)


def test_hot_spot_claim_wants_a_rise_from_the_first_to_the_last():
    points = Points([point(name, 1000.0 - p, hot_spot=p) for name in SOFTWARE for p in HOT_SPOTS])
    assert not hot_spot_claim("80 sources", points, {"sources": 80}).holds


@pytest.mark.parametrize(
    ("long", "scatter", "holds"), [(1500.0, 0.0, True), (2100.0, 0.0, False), (1880.0, 0.2, False)]
)
def test_longer_and_faster_claims(long, scatter, holds):
    means = {32: 1200.0, 1024: long}
    points = [
        point(name, mean, scatter=scatter * (flits > 32), flits=flits)
        for name in SOFTWARE[1:]
        for flits, mean in means.items()
    ]
    points += [point("u-torus", mean, flits=flits) for flits, mean in ((32, 1000.0), (1024, 1600.0))]
    claim = longer_claim("80", Points(points), {"sources": 80}, (32, 1024))
    assert claim.holds == holds
    grown = "grows for 9 of 9 schemes" if holds else "grows for 0 of 9 schemes"
    assert grown in claim.measured
    assert ("shrinks for 4I, 4IB, " in claim.measured) == (long == 2100.0)
    faster = faster_claim("80", Points(points), [{"flits": 32}, {"flits": 1024}], "flits", "why")
    assert not faster.holds
    others = {1500.0: "9 schemes slower at 32", 2100.0: "9 schemes slower at 32; 9 schemes slower at 1024"}
    assert faster.measured == others.get(long, "9 schemes slower at 32; 9 schemes not told apart at 1024")
    assert faster.note == "why"


def test_few_slower_schemes_are_named():
    points = Points([point(name, 1000.0) for name in SOFTWARE[2:]] + [point("u-torus", 1100.0), point("4I", 1200.0)])
    assert faster_claim("80", points, [{"flits": 32}], "flits", "why").measured == "4I slower at 32"


def test_faster_everywhere():
    points = Points([point(name, 1000.0) for name in SOFTWARE[1:]] + [point("u-torus", 1100.0)])
    assert faster_claim("80", points, [{"flits": 32}], "flits", "why").measured == "everywhere"


def test_kept_points_come_back():
    """JSON makes lists of tuples."""
    fresh = [point("u-torus", 1100.0), point("4I", 1000.0)]
    read = [MulticastPoint(**json.loads(json.dumps(asdict(one)))) for one in fresh]
    assert Points(read).gain("4I") == Points(fresh).gain("4I")


def test_names():
    assert list(REPRODUCTIONS) == ["torus-fig2", "torus-fig3", "torus-fig4"]


@pytest.mark.slow
@pytest.mark.parametrize("flits", OTHER_PROGRAM)
def test_gains_over_u_torus_are_those_of_another_program(flits):
    points = Points(torus_multicasts(NAMES, [Workload(80, 80, flits)], processes=2))
    base, *others = OTHER_PROGRAM[flits]
    for name, other in zip(NAMES[1:], others, strict=True):
        assert points.gain(name).mean == pytest.approx(base / other, rel=WITHIN), name


@pytest.mark.slow
def test_balance_and_hot_spots_matter_as_the_paper_says():
    points = Points(torus_multicasts(("4I", "4IB", "4III", "4IIIB"), [Workload(m, 80) for m in (16, 240)], processes=2))
    assert balance_claim(points, 80, (16, 240)).holds
    points = Points(torus_multicasts(SOFTWARE, [Workload(80, 80, hot_spot=p) for p in HOT_SPOTS], processes=2))
    assert hot_spot_claim("80", points, {"sources": 80}).holds
