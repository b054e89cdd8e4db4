"""Figure 3 of the SPAM paper: its points, its claim, and a load that once passed as stable."""

import pytest

from hydranoc.measurement.point import DIVERGES, STABLE, Plan, carries_load, measure_point
from hydranoc.studies.common.figure import Effort
from hydranoc.studies.spam.load import SpamLoad, spam_curve
from hydranoc.studies.spam.load_figure import independence, load_figure
from hydranoc.studies.spam.measurements import CYCLE_US, paper_model
from tests.hydranoc.measurement.synthetic import curve
from topology.common.lattice import lattice_network
from topology.common.regular import ring_network


def flat(name: str, latency: float, half_width: float = 1, saturation=(0.2, 0.21)):
    """The same latency at two loads."""
    return curve(name, {load: {"message": (latency, half_width)} for load in (0.1, 0.2)}, saturation)


@pytest.mark.parametrize(
    ("latency", "half_width", "holds"), [(110, 1, True), (126, 1, True), (129, 5, False), (140, 1, False)]
)
def test_independence_with_the_whole_interval(latency, half_width, holds):
    assert independence([flat("8", 100), flat("64", latency, half_width)]).holds == holds


def test_it_says_up_to_where_it_holds():
    far = curve("64", {0.1: {"message": (101, 1)}, 0.2: {"message": (150, 1)}}, (0.2, 0.21))
    measured = independence([flat("8", 100), far]).measured
    assert measured.startswith(
        "up to 0.1 messages per node and cycle the highest is at most 1.01±0.01 times the lowest"
    )
    assert "; from 0.2 on the highest is at most 1.50±0.02 times the lowest (at 0.2); not" in measured


def test_loads_that_a_curve_does_not_carry_do_not_count():
    early = curve("64", {0.1: {"message": (100, 1)}}, (0.1, 0.15))
    claim = independence([flat("8", 100), early])
    assert claim.holds
    assert claim.measured.startswith("up to 0.1 messages")
    assert not independence([flat("8", 100), curve("64", {0.05: {"message": (100, 1)}}, (0.05, 0.06))]).holds


@pytest.fixture(scope="module")
def models():
    return [paper_model(lattice_network(24, seed=seed)) for seed in (1, 2)]


def test_latency_rises_with_the_rate(models):
    setting = spam_curve(models, 8, quick=True)
    light, busy = (measure_point(setting.experiment_at(rate), setting.plan_at(rate)) for rate in (0.00001, 0.0003))
    assert light.stable
    assert busy.stable
    unicast, multicast, message = light.kinds
    assert 1100 * CYCLE_US < unicast.latency_cycles.mean * CYCLE_US < 1300 * CYCLE_US
    assert unicast.latency_cycles.mean < message.latency_cycles.mean < multicast.latency_cycles.mean
    assert unicast.messages + multicast.messages == message.messages
    assert busy.kinds[2].latency_cycles.mean > message.latency_cycles.mean


def test_a_load_that_only_one_of_the_networks_carries_diverges():
    large, small = paper_model(ring_network(40)), paper_model(ring_network(6))
    rate, plan = 0.0006, Plan(300_000, most_doublings=1)
    assert carries_load(SpamLoad((small,), 4, rate), plan)
    assert measure_point(SpamLoad((large,), 4, rate), plan).verdict == DIVERGES
    assert measure_point(SpamLoad((small, large), 4, rate), plan).verdict == DIVERGES


@pytest.mark.slow
@pytest.mark.parametrize("cycles", [50_000, 200_000])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_rate_at_which_latency_grew_with_the_run_diverges(seed, cycles):
    """57 us in 200,000 cycles, 133 in four times and 367 in sixteen times as many, with an error bar each."""
    models = tuple(paper_model(lattice_network(128, seed=number)) for number in range(1, 9))
    plan = Plan(cycles, most_doublings=3)
    assert measure_point(SpamLoad(models, 64, 0.00014, seed), plan).verdict != STABLE


@pytest.mark.slow
def test_the_figure_itself():
    figure = load_figure([lattice_network(32, seed=seed) for seed in (1, 2)], Effort(quick=True))
    assert len(figure.series) == 4
    assert all(len(row) == len(figure.columns) for row in figure.rows)
