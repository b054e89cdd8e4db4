"""The verdict: growing series have no mean, level ones have one, and noise does not count as growth."""

import math

import numpy as np
import pytest

from hydranoc.measurement.growth import Growth, WindowGrowth, growth_of
from hydranoc.measurement.observations import NOT_DELIVERED, PARTS, Observations
from hydranoc.measurement.point import Plan, is_stable, measure_point
from hydranoc.measurement.stability import StabilityVerdict, judge
from sim_model.statistics.latency import Interval, confidence_interval
from tests.each import each
from tests.hydranoc.measurement.synthetic import FixedServiceQueue

SERVICE_CYCLES = 100


def _runs(latency, *, lost_share=0.0, number=8):
    """Runs with a message in each cycle whose latency is a function of its place in the run, 0 to 1."""
    cycles, runs = 200 * PARTS, []
    for seed in range(number):
        random = np.random.default_rng(seed)
        start = np.arange(cycles)
        end = start + latency(start / cycles).astype(int) + random.integers(0, 20, cycles)
        end[random.random(cycles) < lost_share] = NOT_DELIVERED
        ones = np.ones(cycles, dtype=np.int64)
        runs.append(Observations(cycles, start, end, 0 * ones, ones))
    return runs


def _only(runs, warmup=0):
    (verdict,) = judge(runs, ("message",), warmup)
    return verdict


def test_level_latency_has_a_mean():
    verdict = _only(_runs(lambda place: 100 + 0 * place))
    assert verdict.stable
    assert not verdict.hopeless
    assert verdict.growth.mean == pytest.approx(0, abs=1e-3)


def test_latency_that_grows_has_none():
    # backlog grows by 2 % of what is offered, and so does latency along the run
    verdict = _only(_runs(lambda place: 100 + 0.02 * place * 200 * PARTS))
    assert verdict.diverges
    assert not verdict.stable
    assert not verdict.hopeless, "longer runs might show that it settles"
    assert verdict.growth.mean == pytest.approx(0.02, rel=0.05)
    assert verdict.backlog.whole.share == pytest.approx(0.02, rel=0.05)
    assert verdict.backlog.half.share == pytest.approx(0.02, rel=0.1)


def test_growth_that_ends_is_not_seen_again():
    verdict = _only(_runs(lambda place: 100 + 2000 * np.minimum(place, 0.4)))
    assert verdict.backlog.half.share > 0.05
    assert not verdict.diverges
    verdict = _only(_runs(lambda place: 100 + 2000 * np.maximum(place - 0.5, 0)))
    assert verdict.backlog.whole.share > 0.05
    assert not verdict.diverges, "one half is not enough"


def test_tests_of_one_point_share_one_error_rate():
    runs = _runs(lambda place: 100 + 0 * place)
    (alone,) = judge(runs, ("message",), 0)
    several = judge(runs, ("message", "other"), 0, lengths=5)
    assert alone.level == pytest.approx(0.05)
    assert [one.level for one in several] == [pytest.approx(0.005)] * 2
    assert several[0].growth.half_width > alone.growth.half_width


@pytest.mark.parametrize("cycles", [4_000, 16_000, 64_000])
def test_a_level_load_never_diverges(cycles):
    # 40 sources, Poisson, latencies of 30 to 60 cycles: a light load of a small network
    for seed in range(40):
        runs = []
        for number in range(5):
            random = np.random.default_rng([seed, number])
            start = np.sort(random.integers(0, cycles, random.poisson(0.04 * cycles)))
            kind = (random.random(len(start)) < 0.2).astype(np.int64)
            latency = 30 + 10 * kind + random.exponential(6, len(start)).astype(np.int64)
            runs.append(Observations(cycles, start, start + latency, kind, 0 * start + 16))
        assert not any(verdict.diverges for verdict in judge(runs, ("unicast", "multicast"), 2))


def test_lost_messages_are_a_backlog():
    verdict = _only(_runs(lambda place: 100 + 0 * place, lost_share=0.02))
    assert not verdict.carried
    assert verdict.growth.mean == pytest.approx(0.02, rel=0.1)
    assert verdict.diverges


def test_a_run_whose_first_messages_are_lost_is_never_filled():
    runs = _runs(lambda place: 100 + 0.02 * place * 200 * PARTS)
    for run in runs:
        run.end_cycle[:5] = NOT_DELIVERED
    verdict = _only(runs)
    assert not verdict.diverges
    assert verdict.needed_cycles == math.inf


def test_a_run_is_filled_at_four_times_the_latency_of_its_first_messages():
    for latency, filled in ((2_400, True), (2_600, False)):
        growth = growth_of(_runs(lambda place, latency=latency: latency + 0 * place), 0)
        assert growth.filled is filled
        assert growth.first_latency_cycles == pytest.approx(latency, abs=20)


def test_the_last_five_parts_are_in_neither_window():
    verdict = _only(_runs(lambda place: 100 + 5000 * np.maximum(place - 0.9, 0)))
    assert verdict.backlog.whole.share == pytest.approx(0, abs=1e-3)
    verdict = _only(_runs(lambda place: 100 + 5000 * np.clip(place - 0.45, 0, 0.05)))
    assert verdict.backlog.half.share == pytest.approx(0, abs=1e-3)


def test_differences_between_networks_do_not_hide_growth():
    # a backlog that grows by 12.3 % in four of the runs and gets shorter by 9.9 % in four others
    runs = _runs(lambda place: 1000 + 1400 * place, number=4) + _runs(lambda place: 1000 - 900 * place, number=4)
    growth = growth_of(runs, 0)
    assert growth.whole.share == pytest.approx(0.012, rel=0.2)
    assert growth.whole.p_value < 1e-6
    assert growth.half.p_value < 1e-6


def _verdict(*, growth=(0.0, 0.001), whole=0.0, half=0.0, pieces=200.0, first_latency=100.0, p_value=0.001, level=0.01):
    backlog = Growth(WindowGrowth(whole, p_value), WindowGrowth(half, p_value), first_latency, True)
    return StabilityVerdict("message", 10_000, Interval(growth[0], growth[1], 8), backlog, pieces, level)


def test_limits_of_a_stable_verdict():
    assert _verdict(pieces=50).stable
    assert not _verdict(pieces=49.9).stable
    assert _verdict(growth=(0.004, 0.0059)).stable
    assert not _verdict(growth=(0.004, 0.0061)).carried, "the upper end counts, not the mean"
    assert not _verdict(growth=(0.004, 0.0061)).stable
    assert _verdict(pieces=1).carried, "an overload may be excluded where no mean is known"


def test_limits_of_a_diverging_verdict():
    assert _verdict(whole=0.011, half=0.011).diverges
    assert not _verdict(whole=0.009, half=0.011).diverges
    assert not _verdict(whole=0.011, half=0.009).diverges
    assert not _verdict(whole=0.011, half=0.011, p_value=0.02).diverges
    assert not _verdict(whole=0.011, half=0.011).carried, "whatever the interval of the growth"
    assert not _verdict(whole=0.049, half=0.06).hopeless
    assert _verdict(whole=0.051, half=0.06).hopeless


def test_the_least_length_is_the_largest_of_three():
    assert _verdict(pieces=10).needed_cycles == pytest.approx(50_000)
    assert _verdict(growth=(0.02, 0.04)).needed_cycles == pytest.approx(60_000)
    assert _verdict(first_latency=20_000).needed_cycles == pytest.approx(80_000)
    assert _verdict(pieces=0).needed_cycles == math.inf


@pytest.mark.parametrize("lengths", [1, 5])
def test_an_overload_is_excluded_by_a_one_sided_test_over_runs(lengths):
    runs = _runs(lambda place: 100 + 0 * place, lost_share=0.01)
    first, last = 5 * 200, 45 * 200  # parts
    growths = []
    for run in runs:
        accepted = (run.end_cycle >= first) & (run.end_cycle < last)
        growths.append(1 - accepted.sum() / (last - first))
    (verdict,) = judge(runs, ("message",), 0, lengths)
    expected = confidence_interval(growths, 1 - 2 * 0.05 / lengths)
    assert verdict.growth.mean == pytest.approx(expected.mean)
    assert verdict.growth.half_width == pytest.approx(expected.half_width)


def test_growth_within_the_warm_up_does_not_count():
    runs = _runs(lambda place: np.minimum(100 + 4000 * place, 900))
    assert not _only(runs).stable
    assert _only(runs, warmup=18).stable


@pytest.mark.parametrize("load", [0.3, 0.7, 0.9])
def test_queues_below_their_capacity_are_stable(load):
    plan = Plan(4000 * SERVICE_CYCLES)
    assert [is_stable(FixedServiceQueue(load, seed), plan) for seed in range(10)] == [True] * 10


@each("customers", [500, 2000, 20_000])
@each("load", [1.02, 1.1, 2.0])
def test_overloaded_queues_are_never_stable_whatever_the_seed_and_the_length(load, customers):
    plan = Plan(customers * SERVICE_CYCLES, most_doublings=2)
    verdicts = [measure_point(FixedServiceQueue(load, seed), plan).verdict for seed in range(10)]
    assert "stable" not in verdicts
    assert load == 1.02 or set(verdicts) == {"diverges"}


def test_runs_that_do_not_tell_are_repeated_at_twice_the_length():
    point = measure_point(FixedServiceQueue(0.8), Plan(500 * SERVICE_CYCLES, most_replications=10))
    assert point.stable
    assert point.cycles in [500 * SERVICE_CYCLES << doublings for doublings in range(1, 5)]
    overload = measure_point(FixedServiceQueue(1.02), Plan(2000 * SERVICE_CYCLES))
    assert overload.cycles == 2000 * SERVICE_CYCLES << 4
    assert measure_point(FixedServiceQueue(1.5), Plan(2000 * SERVICE_CYCLES)).cycles == 2000 * SERVICE_CYCLES
