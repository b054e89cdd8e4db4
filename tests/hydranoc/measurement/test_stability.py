"""The verdict: what grows has no mean, what is level has one, and chance is not taken for growth."""

import numpy as np
import pytest

from hydranoc.measurement.observations import NOT_DELIVERED, PARTS, Observations
from hydranoc.measurement.point import Plan, carries_load, is_stable, measure_point
from hydranoc.measurement.stability import judge
from tests.hydranoc.measurement.queue import FixedServiceQueue

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


def test_growth_that_does_not_matter_condemns_nothing_and_proves_no_mean():
    verdict = _only(_runs(lambda place: 100 + 50 * place))
    assert verdict.growth.low > 0, "it is significant, and ten times as small as what matters"
    assert not verdict.diverges
    assert verdict.carried
    assert not verdict.stable, "the runs are one piece"
    assert verdict.needed_cycles > verdict.cycles


def test_growth_that_ends_is_not_seen_again():
    verdict = _only(_runs(lambda place: 100 + 2000 * np.minimum(place, 0.4)))
    assert verdict.backlog.half.share > 0.05
    assert not verdict.diverges
    verdict = _only(_runs(lambda place: 100 + 2000 * np.maximum(place - 0.5, 0)))
    assert verdict.backlog.whole.share > 0.05
    assert not verdict.diverges, "one half is not enough"


def test_a_run_as_short_as_its_messages_shows_how_the_network_fills():
    verdict = _only(_runs(lambda place: 12_000 + 0 * place))
    assert verdict.backlog.whole.share == 1
    assert not verdict.diverges
    assert verdict.needed_cycles >= 4 * 12_000


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


def test_runs_that_are_too_short_are_told_from_those_that_grow():
    point = measure_point(FixedServiceQueue(0.5), Plan(20 * SERVICE_CYCLES, most_doublings=0))
    assert (point.stable, point.verdict) == (False, "undecided")
    assert measure_point(FixedServiceQueue(0.5), Plan(2000 * SERVICE_CYCLES)).verdict == "stable"
    assert measure_point(FixedServiceQueue(1.1), Plan(2000 * SERVICE_CYCLES)).verdict == "diverges"


def test_fast_growth_needs_no_longer_run():
    assert _only(_runs(lambda place: 100 + 0.2 * place * 200 * PARTS)).hopeless


def test_lost_messages_are_a_backlog():
    assert not _only(_runs(lambda place: 100 + 0 * place, lost_share=0.02)).stable


def test_growth_within_the_warm_up_does_not_count():
    runs = _runs(lambda place: np.minimum(100 + 4000 * place, 900))
    assert not _only(runs).stable
    assert _only(runs, warmup=18).stable


def test_what_hardly_ever_happens_has_no_verdict():
    runs = _runs(lambda place: 100 + 0 * place, number=4)
    assert not _only(runs).stable, "four runs are too few"


@pytest.mark.parametrize("load", [0.3, 0.7, 0.9])
def test_queues_below_their_capacity_are_stable(load):
    plan = Plan(4000 * SERVICE_CYCLES)
    assert [is_stable(FixedServiceQueue(load, seed), plan) for seed in range(10)] == [True] * 10


@pytest.mark.parametrize("customers", [500, 2000, 20_000])
@pytest.mark.parametrize("load", [1.02, 1.1, 2.0])
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


def test_a_search_for_saturation_needs_no_means():
    plan = Plan(2000 * SERVICE_CYCLES)
    assert not is_stable(FixedServiceQueue(0.97), plan)
    assert carries_load(FixedServiceQueue(0.97), plan)
    assert not carries_load(FixedServiceQueue(1.03), plan)
