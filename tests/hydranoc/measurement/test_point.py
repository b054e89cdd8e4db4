"""Points of a latency curve and single runs."""

import math
from dataclasses import replace

import numpy as np
import pytest

from hydranoc import load
from hydranoc.measurement import single_run
from hydranoc.measurement.growth import Growth, WindowGrowth
from hydranoc.measurement.observations import COUNTED_PARTS, PARTS, Observations
from hydranoc.measurement.point import Plan, carries_load, measure_point
from hydranoc.report_page.run import run_of
from hydranoc.report_page.sections import latencies
from hydranoc.reports.summary import BEYOND_SATURATION
from tests.hydranoc.measurement.synthetic import FixedServiceQueue

PLAN = Plan(200_000, relative_half_width=0.03)


def test_of_200_intervals_of_95_percent_180_to_199_contain_the_mean():
    held = 0
    for seed in range(200):
        queue = FixedServiceQueue(0.5, seed)
        latency = measure_point(queue, PLAN).kinds[0].latency_cycles
        held += abs(latency.mean - queue.mean_latency_cycles) <= latency.half_width
    assert 180 <= held <= 199


def test_a_point_is_as_precise_as_asked_or_says_that_it_is_not():
    queue = FixedServiceQueue(0.6)
    point = measure_point(queue, Plan(200_000, relative_half_width=0.015))
    assert point.precise
    assert point.kinds[0].latency_cycles.relative <= 0.015
    assert point.kinds[0].latency_cycles.observations == point.replications > 10
    point = measure_point(queue, Plan(200_000, relative_half_width=0.015, most_replications=12))
    assert (point.precise, point.replications) == (False, 12)
    assert point.stable


@pytest.mark.parametrize(("load", "customers", "least"), [(0.8, 2000, 40), (0.9, 8000, 40)])
def test_points_that_claim_a_mean_are_not_selected_for_a_low_one(load, customers, least):
    plan = Plan(customers * 100, replications=5, most_replications=5, most_doublings=2)
    queues = [FixedServiceQueue(load, seed) for seed in range(50)]
    stable = [point for point in (measure_point(queue, plan) for queue in queues) if point.stable]
    assert len(stable) >= least
    latencies = [point.kinds[0].latency_cycles for point in stable]
    theory = queues[0].mean_latency_cycles
    covered = sum(abs(latency.mean - theory) <= latency.half_width for latency in latencies)
    assert covered >= 0.86 * len(stable), "two standard errors of fifty points below 95 %"
    assert np.mean([latency.mean for latency in latencies]) == pytest.approx(theory, rel=0.03)


@pytest.mark.parametrize("customers", [200, 2000, 8000])
def test_a_run_that_is_short_against_its_correlation_says_how_long_it_must_be(customers):
    plan = Plan(customers * 100, replications=5, most_replications=5, most_doublings=0)
    points = [measure_point(FixedServiceQueue(0.98, seed), plan) for seed in range(40)]
    undecided = [point for point in points if point.verdict == "undecided"]
    assert not any(point.stable for point in points)
    assert len(undecided) >= 38, "an error rate of 5 %"
    assert all(point.needed_cycles > 1.5 * plan.cycles for point in undecided)


def test_means_of_short_runs_come_from_runs_of_their_own():
    asked = []

    class Watched(FixedServiceQueue):
        def run(self, replication, cycles):
            asked.append((replication, cycles))
            return super().run(replication, cycles)

    point = measure_point(Watched(0.8), Plan(800_000, replications=5, most_replications=5, most_doublings=2))
    assert point.stable
    assert asked[-5:] == [(number, point.cycles) for number in range(5, 10)]
    asked.clear()
    assert measure_point(Watched(0.1), Plan(800_000, replications=5, most_replications=5)).stable
    assert asked == [(number, 800_000) for number in range(5)], "long enough without doubt"


def test_accepted_equals_offered():
    (kind,) = measure_point(FixedServiceQueue(0.6), PLAN).kinds
    assert kind.offered.mean == pytest.approx(0.006, rel=0.02)
    assert abs(kind.accepted.mean - kind.offered.mean) < 0.005 * kind.offered.mean
    assert kind.accepted_flits == kind.accepted, "a customer is one flit"


def test_an_overloaded_queue_accepts_its_capacity():
    point = measure_point(FixedServiceQueue(1.5), PLAN)
    assert not point.stable
    assert not point.precise
    assert point.kinds[0].accepted.mean == pytest.approx(0.01, rel=1e-3)
    assert point.kinds[0].offered.mean == pytest.approx(0.015, rel=0.02)


class Known:
    """Messages of two kinds with latencies by their number, and channels that carry a flit in every n-th cycle."""

    kinds = ("short", "long")

    def run(self, replication, cycles):
        start = np.arange(cycles)
        kind = start % 10 // 9
        number = replication % 10
        latency = np.where(kind == 0, 10 + (start // 7 + number) % 10, 400 + (start // 10 + 3 * number) % 100)
        bounds = np.array([-(-part * cycles // PARTS) for part in range(PARTS + 1)])
        moved = np.stack([bounds // 2, bounds // 5], axis=1)
        return Observations(cycles, start, start + latency, kind, 4 + 0 * start, moved)


def test_what_is_measured_of_each_kind():
    point = measure_point(Known(), Plan(20_000))
    short, long = point.kinds
    assert (short.name, long.name) == ("short", "long")
    counted = COUNTED_PARTS - point.warmup_cycles * PARTS // point.cycles
    cycles = point.cycles * counted // PARTS
    assert short.messages + long.messages == cycles * point.replications
    assert short.latency_cycles.mean == pytest.approx(14.5, abs=0.1)
    assert long.latency_cycles.mean == pytest.approx(449.5, abs=1)
    assert short.percentiles == (14, 19, 19)
    assert long.percentiles[:2] == pytest.approx((450, 499), abs=1)
    assert short.accepted_flits.mean == pytest.approx(4 * 0.9, rel=1e-3)
    assert point.utilisation is not None
    assert point.utilisation.tolist() == pytest.approx([0.5, 0.2], rel=1e-3)
    assert point.channel_flow is not None
    assert point.channel_flow.mean == pytest.approx(0.35, rel=1e-3)
    assert point.channel_flow.half_width == 0


class Counting(Known):
    """In each run messages with the latencies 1, 2, ... 1,000."""

    kinds = ("message",)

    def run(self, replication, cycles):
        run = super().run(replication, cycles)
        return replace(run, kind=0 * run.kind, end_cycle=run.start_cycle + 1 + run.start_cycle % 1000)


def test_rare_percentile_of_a_thousand_is_not_the_largest():
    (kind,) = measure_point(Counting(), Plan(50_000)).kinds
    assert kind.messages % 1000 == 0
    assert kind.percentiles == (500, 990, 999)


class Uneven(Known):
    """Channels that carry more in one run than in another."""

    def run(self, replication, cycles):
        run = super().run(replication, cycles)
        return replace(run, channel_flits=run.channel_flits * (10 + replication % 3))


def test_runs_are_added_until_the_flow_on_channels_is_known():
    point = measure_point(Uneven(), Plan(20_000, most_replications=200, channel_half_width=0.02))
    assert point.channel_flow is not None
    assert point.precise
    assert point.replications > 10
    assert point.channel_flow.relative <= 0.02
    assert point.channel_flow.mean == pytest.approx(0.35 * 11, rel=0.02)
    assert measure_point(Uneven(), Plan(20_000)).replications == 10, "no precision was requested"
    point = measure_point(FixedServiceQueue(0.6), Plan(20_000, 0.5, most_replications=12, channel_half_width=0.02))
    assert (point.precise, point.replications) == (False, 12), "no channels were counted"


def test_histograms_count_everything_once():
    point = measure_point(Known(), Plan(20_000))
    for kind, low, high in zip(point.kinds, (10, 400), (19, 499), strict=True):
        edges, counts = kind.histogram
        assert len(edges) == len(counts) + 1
        assert sum(counts) == kind.messages
        assert edges[0] <= low < high < edges[-1]
        assert np.diff(np.log(edges)) == pytest.approx(math.log(edges[-1] / edges[0]) / len(counts))


class Mixed:
    """Two kinds: latencies of the one are level, and those of the other are whatever a function of the cycle gives."""

    kinds = ("level", "other")

    def __init__(self, latency):
        self._latency = latency
        self.asked: list[tuple[int, int]] = []

    def run(self, replication, cycles):
        self.asked.append((replication, cycles))
        random = np.random.default_rng([replication, cycles])
        start = np.arange(0, cycles, 5)
        kind = np.arange(len(start)) % 2
        latency = 100 + random.integers(0, 20, len(start)) + kind * self._latency(start, cycles).astype(int)
        return Observations(cycles, start, start + latency, kind, 1 + 0 * start)


FIVE = Plan(40_000, replications=5, most_replications=5, most_doublings=0)


def _waves(start, cycles):
    """Level on the whole, and correlated over a tenth of the run."""
    return 400 + 200 * np.sin(20 * np.pi * start / cycles)


def test_one_kind_that_diverges_condemns_the_point():
    point = measure_point(Mixed(lambda start, _: 0.03 * start), FIVE)
    assert [verdict.diverges for verdict in point.verdicts] == [False, True]
    assert (point.verdict, point.stable, point.carried) == ("diverges", False, False)
    assert not carries_load(Mixed(lambda start, _: 0.03 * start), FIVE)
    assert math.isnan(point.needed_cycles), "longer runs are of no use"


def test_one_kind_that_is_undecided_leaves_the_point_undecided():
    point = measure_point(Mixed(_waves), FIVE)
    assert [verdict.stable for verdict in point.verdicts] == [True, False]
    assert (point.verdict, point.stable, point.carried) == ("undecided", False, True)
    assert point.needed_cycles == point.verdicts[1].needed_cycles > 40_000
    assert math.isnan(measure_point(Mixed(lambda start, _: 0 * start), FIVE).needed_cycles)


def test_one_hopeless_kind_ends_the_doublings():
    experiment = Mixed(lambda start, _: 0.2 * start)
    assert measure_point(experiment, replace(FIVE, most_doublings=3)).verdict == "diverges"
    assert {cycles for _, cycles in experiment.asked} == {40_000}


def test_the_next_length_is_the_least_doubling_that_reaches_what_is_needed():
    experiment = Mixed(lambda start, _: 400 + 200 * np.sin(2 * np.pi * start / 4_000))
    plan = replace(FIVE, cycles=10_000)
    needed = measure_point(experiment, plan).needed_cycles
    assert 40_000 < needed < 80_000
    experiment.asked.clear()
    measure_point(experiment, replace(plan, most_doublings=3))
    assert list(dict.fromkeys(cycles for _, cycles in experiment.asked)) == [10_000, 80_000]


MESH = {"family": "spam", "topology": {"kind": "mesh", "shape": [4, 4]}}


def _design(rate: float, seed: int = 0, cycles: int = 4_000, **more):
    traffic = {"kind": "random", "cycles": cycles, "warmup_cycles": 400, "messages_per_node_per_cycle": rate}
    return load({"network": MESH, "traffic": {**traffic, "flits": 4, "seed": seed, **more}})


def test_a_run_beyond_saturation_says_so():
    outcome = _design(0.5).simulate()
    found = outcome.figures["load"]
    assert found["beyond_saturation"] is True
    assert found["offered_messages_per_node_per_cycle"] == pytest.approx(0.5, rel=0.03)
    assert 0.01 < found["accepted_messages_per_node_per_cycle"] < 0.15
    assert (found["first_cycle"], found["last_cycle"]) == (400, 3_999)
    assert BEYOND_SATURATION in outcome.summary()
    assert "load, cycles 400 to 3,999: offered 0." in outcome.summary()


def test_loads_are_counts_of_their_cycles():
    outcome = _design(0.02, multicast_fraction=0.2, destinations=3).simulate()
    results, found = outcome.results, outcome.figures["load"]
    started = (results.start_cycle >= 400) & (results.start_cycle < 4_000)
    arrived = (results.last_arrival_cycle >= 400) & (results.last_arrival_cycle < 4_000)
    flits = results.messages.flits * results.messages.destination_counts
    assert found["offered_messages_per_node_per_cycle"] == started.sum() / 16 / 3_600
    assert found["accepted_messages_per_node_per_cycle"] == arrived.sum() / 16 / 3_600
    assert found["offered_flits_per_node_per_cycle"] == flits[started].sum() / 16 / 3_600
    assert found["accepted_flits_per_node_per_cycle"] == flits[arrived].sum() / 16 / 3_600


@pytest.mark.parametrize("rate", [0.001, 0.02])
def test_a_run_below_saturation_does_not(rate):
    outcomes = [_design(rate, seed).simulate() for seed in range(20)]
    assert not any(outcome.figures["load"]["beyond_saturation"] for outcome in outcomes)
    assert "beyond" not in outcomes[0].summary().split("load, cycles")[1]


@pytest.mark.parametrize(
    ("share", "p_value", "beyond"), [(0.011, 0.024, True), (0.011, 0.026, False), (0.009, 0.024, False)]
)
def test_one_kind_of_two_that_grows_by_1_percent_is_beyond_saturation(monkeypatch, share, p_value, beyond):
    grows, level = WindowGrowth(share, p_value), WindowGrowth(0.0, 0.5)
    growths = [Growth(one, one, 100.0, filled=True) for one in (level, grows)]
    monkeypatch.setattr(single_run, "growth_of", lambda _runs, kind: growths[kind])
    outcome = _design(0.02, multicast_fraction=0.2, destinations=3).simulate()
    assert outcome.figures["load"]["beyond_saturation"] is beyond


def test_traffic_without_a_rate_has_no_load():
    listed = {"kind": "list", "messages": [{"source": 0, "destinations": [5], "flits": 8}]}
    assert "load" not in load({"network": MESH, "traffic": listed}).simulate().figures
    replies = _design(0.02, reply={"flits": 4, "outstanding": 1})
    assert "load" not in replies.simulate().figures


def test_a_report_says_it_beside_the_latencies():
    text = latencies(run_of(_design(0.5, cycles=1_000), (0, 200)))
    assert f"<strong>{BEYOND_SATURATION}.</strong>" in text
    assert "Load, cycles 400 to 999: offered" in text
