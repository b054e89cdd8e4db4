"""Claims of the load figures of hexagonal meshes, each with a table that supports it and one that refutes it."""

import numpy as np
import pytest

from hydranoc.measurement.observations import NOT_DELIVERED
from hydranoc.measurement.whole_runs import prepare
from hydranoc.studies.common.figure import Effort
from hydranoc.studies.harts import load_claims, load_comparisons
from hydranoc.studies.harts.load import (
    BROADCAST,
    BROADCAST_SHARE,
    DELIVERY,
    FULL,
    KINDS,
    PACKET,
    HartsLoad,
    cached_model,
    copies_of,
    harts_curve,
    last_stored_cycle,
    packet_rate,
    workload,
)
from hydranoc.studies.harts.load_curves import HartsCurves, measure_harts_curves
from hydranoc.studies.harts.load_figures import INCREASE, LOAD_REPRODUCTIONS, _table, figure_12
from sim_model.messages.messages import Message
from sim_model.statistics.latency import Interval
from tests.hydranoc.measurement.synthetic import curve

LOADS = (0.1, 0.5, 0.6, 0.7)
LATE, EARLY = (0.8, 0.82), (0.6, 0.62)


def latency_curve(latencies, half_width=1.0, loads=LOADS, saturation=LATE):
    """A curve with these latencies of broadcasts."""
    by_load = {load: {BROADCAST: (latency, half_width)} for load, latency in zip(loads, latencies, strict=True)}
    return curve("x", by_load, saturation)


def sizes(small, middle, large, half_width=1.0):
    """Curves of three meshes with these latencies at all loads."""
    return {
        size: latency_curve([latency] * len(LOADS), half_width)
        for size, latency in zip(load_claims.SIZES, (small, middle, large), strict=True)
    }


@pytest.mark.parametrize(
    ("middle", "half_width", "holds", "text"),
    [
        (190, 1, True, "in 8 of 8"),
        (120, 1, False, "the other way round: size 7 against size 5 at 0.1"),
        (190, 40, False, "not told apart: size 7 against size 5 at 0.1"),
    ],
)
def test_latency_increases_with_the_size(middle, half_width, holds, text):
    claim = load_claims.larger_meshes_slower(sizes(140, middle, 240, half_width))
    assert claim.holds == holds
    assert text in claim.measured


@pytest.mark.parametrize(
    ("large", "half_width", "holds"),
    [(240, 1, True), (250, 1, True), (220, 1, False), (259, 0.1, False), (300, 1, False), (240, 10, False)],
)
def test_linear_is_less_than_the_number_of_nodes(large, half_width, holds):
    """140, 190 and 258.2 clocks would increase with the number of nodes: by 66 and by 90 of them."""
    claim = load_claims.linear_in_size(sizes(140, 190, large, half_width))
    assert claim.holds == holds
    assert claim.measured.startswith(f"the step from 7 to 9 over that from 5 to 7: {(large - 190) / 50:.2f} at 0.1")
    assert claim.measured.endswith(f"at {4 if holds else 0} of 4 loads")


@pytest.mark.parametrize(
    ("latencies", "half_width", "holds"),
    [
        ((189, 361, 450, 640), 2, True),
        ((189, 361, 450, 640), 60, False),  # the interval is too wide
        ((189, 361, 430, 512), 2, False),  # exponential: 1.19 times per step
        ((189, 361, 500, 600), 2, False),  # slower growth at the end
        ((100, 361, 430, 483), 2, False),  # steeper than below half load is not enough
    ],
)
def test_super_exponential_is_a_rate_that_rises(latencies, half_width, holds):
    claim = load_claims.super_exponential({7: latency_curve(latencies, half_width)})
    assert claim.holds == holds
    assert f"size 7: {latencies[2] / latencies[1]:.2f} (0.5 to 0.6)" in claim.measured


def test_super_exponential_with_a_rate_that_falls_on_the_way():
    loads = (0.5, 0.6, 0.7, 0.8)
    rising, dented = (1.0, 1.1, 1.3, 2.0), (1.0, 1.3, 1.4, 2.2)
    for latencies, holds in ((rising, True), (dented, False)):
        found = latency_curve([100 * latency for latency in latencies], 0.1, loads)
        assert load_claims.super_exponential({5: found}).holds == holds
    assert not load_claims.super_exponential({5: latency_curve((1, 2), 0.01, (0.5, 0.6))}).holds, "one step only"
    steps_of_their_own = latency_curve((100, 144, 172.8), 0.1, (0.5, 0.7, 0.8))
    assert not load_claims.super_exponential({5: steps_of_their_own}).holds, "1.2 times per 0.1 of load"


@pytest.mark.parametrize(("saturation", "holds"), [(LATE, True), (EARLY, False), ((0.7, float("inf")), True)])
def test_saturation_beyond_what_the_paper_says(saturation, holds):
    loads = tuple(load for load in LOADS if load <= saturation[0])
    curves = {5: latency_curve((1, 2, 3, 4)), 7: latency_curve(range(1, len(loads) + 1), 1, loads, saturation)}
    assert load_claims.packets_saturate_late(curves).holds == holds


def intervals(values, half_width=1.0):
    return {load: Interval(value, half_width, 10) for load, value in zip(LOADS, values, strict=True)}


@pytest.mark.parametrize(
    ("values", "half_width", "rises", "falls"),
    [
        ((10, 20, 20, 40), 1, True, False),
        ((40, 30, 30.5, 9), 1, False, True),
        ((10, 30, 20, 40), 1, False, False),
        ((10, 20, 30, 40), 30, False, False),
        ((10, 10, 10, 10), 1, False, False),
    ],
)
def test_what_moves_with_load_moves_from_end_to_end_and_at_no_step_back(values, half_width, rises, falls):
    for sign, holds in ((1, rises), (-1, falls)):
        claim = load_comparisons.moves("", {"a": intervals(values, half_width)}, sign, " %")
        assert claim.holds == holds
        assert claim.measured.startswith(f"a {values[0]}±{half_width} % at 0.1 to {values[-1]}±{half_width} % at 0.7")
    assert not load_comparisons.moves("", {"a": {}}, 1, "").holds


def test_one_curve_above_another_at_all_loads_and_not_at_the_ends_alone():
    low, high = intervals((10, 20, 30, 40)), intervals((20, 30, 40, 50))
    crossing = intervals((20, 15, 40, 50))
    assert load_comparisons.ordered("", {"a": low, "b": high}).holds
    claim = load_comparisons.ordered("", {"a": low, "b": crossing})
    assert not claim.holds
    assert claim.measured.endswith(
        "in 3 of 4 comparisons at a load that both carry; the other way round: b against a at 0.5"
    )


def copies(*latencies, half_width=0.5):
    """2- to 6-BCAST."""
    return {
        number: latency_curve([latency] * len(LOADS), half_width)
        for number, latency in zip((2, 3, 4, 5, 6), latencies, strict=True)
    }


@pytest.mark.parametrize(
    ("latencies", "half_width", "holds"),
    [
        ((110, 120, 150, 152, 155), 0.5, True),
        ((110, 120, 150, 152, 155), 20, False),
        ((120, 137, 144, 158, 167), 0.5, False),  # all equally far apart
        ((110, 120, 150, 175, 155), 0.5, False),  # 5 copies are far from both
    ],
)
def test_many_copies_cost_the_same_if_few_do_not(latencies, half_width, holds):
    claim = load_claims.copies_close_together(copies(*latencies, half_width=half_width))
    assert claim.holds == holds
    spread, gap = latencies[4] / latencies[2], latencies[2] / latencies[0]
    assert f": {spread:.2f} to {spread:.2f} and {gap:.2f} to {gap:.2f};" in claim.measured


def test_two_to_four_copies_cannot_pass_for_the_same():
    """The same rule for 2, 3 and 4 copies, whatever their latencies, compares a distance with half of itself."""
    at = {number: Interval(np.log(latency), 1e-9, 10) for number, latency in ((2, 100), (3, 104), (4, 108))}
    assert not load_claims._nearer(at, (2, 4), (2, 4))


@pytest.mark.parametrize(("stored", "half_width", "holds"), [(196, 1, True), (172, 1, False), (178, 5, False)])
def test_stored_broadcasts_are_substantially_slower_at_low_load(stored, half_width, holds):
    fast = latency_curve((140, 380, 480, 580))
    claim = load_claims.stored_substantially_slower(latency_curve((stored, 400, 500, 600), half_width), fast)
    assert claim.holds == holds
    assert claim.measured.endswith("at 0.1")


@pytest.mark.parametrize(("stored", "holds"), [((196, 400, 500, 590), True), ((196, 500, 650, 800), False)])
def test_stored_broadcasts_rise_less(stored, holds):
    fast = latency_curve((140, 380, 480, 580))
    assert load_claims.stored_rises_less(latency_curve(stored), fast).holds == holds


def test_increases_are_per_cent_at_loads_that_both_carry():
    fast = latency_curve((100, 200, 300, 400), 2)
    stored = latency_curve((150, 250, 330), 3, LOADS[:3], EARLY)
    found = load_comparisons.increases(stored, fast)
    assert [round(one.mean, 6) for one in found.values()] == [50, 25, 10]
    assert found[0.1].half_width == pytest.approx(150 * np.hypot(0.02, 0.02))


def test_the_workload_is_the_papers():
    mesh = cached_model(5).network
    messages = workload(mesh, "6-bcast", 0.4, 500_000, np.random.default_rng(1))
    cycles = 500_000 * mesh.nodes
    assert len(messages) / cycles == pytest.approx(packet_rate(0.4), rel=0.02)
    assert 8 * float((messages.flits - 1).sum()) / cycles == pytest.approx(0.4, rel=0.03), "of a word per frame"
    broadcasts = messages.operation != 0
    assert broadcasts.mean() == pytest.approx(BROADCAST_SHARE, rel=0.2)
    assert set(messages.destination_counts[broadcasts]) == {mesh.nodes - 1}
    assert set(messages.copies[messages.message_of_destination == np.flatnonzero(broadcasts)[0]]) == {6}
    shares = [np.mean(messages.flits == flits) for flits in (9, 17, 65)]
    assert shares == pytest.approx([0.3, 0.5, 0.2], abs=0.01)
    single = ~broadcasts
    first = messages.destinations[messages.offsets[:-1][single]]
    near = (first - messages.source[single]) % mesh.nodes
    counts = np.bincount(near, minlength=mesh.nodes)
    assert counts[1] / counts[2] == pytest.approx(2, rel=0.15), "one hop against two"
    assert (np.diff(messages.start_cycle) >= 0).all()


def test_all_algorithms_meet_the_same_packets():
    runs = [HartsLoad(algorithm, 3, 0.3).run(2, 150_000) for algorithm in ("sbcast", "6-bcast")]
    assert (runs[0].start_cycle == runs[1].start_cycle).all()
    assert (runs[0].kind == runs[1].kind).all()
    other = HartsLoad("sbcast", 3, 0.3).run(3, 150_000)
    assert len(other.start_cycle) != len(runs[0].start_cycle)


@pytest.mark.parametrize("algorithm", ["sbcast", "3-bcast", "sfbcast"])
def test_a_broadcast_ends_with_its_last_copy_and_is_delivered_at_their_mean(algorithm):
    run = HartsLoad(algorithm, 3, 0.2).run(0, 300_000)
    packet, broadcast, delivery = (run.kind == KINDS.index(kind) for kind in (PACKET, BROADCAST, DELIVERY))
    assert broadcast.sum() == delivery.sum() > 10
    assert packet.sum() > 500 * broadcast.sum()
    assert (run.end_cycle != NOT_DELIVERED).all()
    assert (run.start_cycle[broadcast] == run.start_cycle[delivery]).all()
    assert (run.end_cycle[broadcast] > run.end_cycle[delivery]).all()
    assert (run.end_cycle[delivery] > run.start_cycle[delivery]).all()
    assert (run.flits[broadcast] == run.flits[delivery]).all()


def test_a_broadcast_of_which_a_copy_is_missing_has_no_end():
    model = cached_model(3)
    copies = model.routing.wanted_copies(2, 0)
    simulation = prepare(model, [Message(0, tuple(copies), 9, operation=2, copies=copies)])
    until = 150
    while not len(copies_of(simulation.run(until))):
        until += 1
    assert len(copies_of(simulation.results())) < 18
    assert last_stored_cycle(simulation.results()).tolist() == [NOT_DELIVERED]
    results = simulation.run()
    assert last_stored_cycle(results).tolist() == [copies_of(results)["stored_cycle"].max()]


def test_runs_are_long_enough_for_broadcasts():
    for load in (0.1, 0.8):
        cycles = harts_curve("sbcast", 7).plan_at(load).cycles
        assert cycles * packet_rate(load) * 127 * BROADCAST_SHARE == pytest.approx(FULL.multicasts, rel=0.01)


def test_figures_and_their_names():
    assert list(LOAD_REPRODUCTIONS) == [f"harts-fig{number}" for number in (10, 11, 12, 13, 14)]


@pytest.mark.slow
def test_a_curve_from_its_runs():
    found = measure_harts_curves(["sbcast"], [3], Effort(quick=True)).of("sbcast", 3)
    latencies = [point.latency_cycles(BROADCAST).mean for point in found.stable]
    assert latencies == sorted(latencies)
    assert all(point.kinds[DELIVERY]["mean"] < point.kinds[BROADCAST]["mean"] for point in found.stable)
    assert found.saturation.carried >= 0.7


@pytest.mark.slow
def test_a_figure_from_its_runs():
    figure = figure_12(Effort(quick=True))
    assert [series.name for series in figure.series] == ["SBCAST", "SFBCAST"]
    assert all(len(row) == len(figure.columns) for row in figure.rows)
    fast, stored = figure.series
    assert all(slower > faster for slower, faster in zip(stored.y, fast.y, strict=False))


def test_increases_stand_in_the_rows_of_their_loads():
    by_load = {
        load: dict.fromkeys(KINDS, (latency, 1.0)) for load, latency in zip(LOADS, (100, 200, 300, 400), strict=True)
    }
    base, above = curve("base", by_load, LATE), curve("above", dict(list(by_load.items())[:3]), EARLY)
    increases = {"above": {0.1: Interval(50.0, 2.5, 10), 0.5: Interval(25.0, 1.25, 10)}}
    table = _table(HartsCurves({"base": base, "above": above}), increases)
    assert table["columns"][-2:] == INCREASE
    assert table["comparable"].intervals[-1] == INCREASE
    cells = [row[-2:] for row in table["rows"]]
    assert cells[: len(base.points)] == [("", "")] * len(base.points)
    assert cells[len(base.points) :][:3] == [(50.0, 2.5), (25.0, 1.25), ("", "")]
    assert not set(INCREASE) & set(_table(HartsCurves({"base": base}))["columns"])
