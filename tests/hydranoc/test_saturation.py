"""Whether a network keeps up: backlogs by hand, runs given up and runs to the end, curves cut off."""

from dataclasses import dataclass

import pytest

from hydranoc.studies.common.saturation import before_saturation, run_while_keeping_up, waiting_share
from hydranoc.studies.common.whole_runs import prepare
from sim_model.common.messages import Message
from sim_model.common.software import software_multicasts
from tests.sim_model.builders import spam_model
from topology.common.lattice import lattice_network

FLITS = 16


def all_at_once(count: int, *, software: bool = False):
    """Everybody sends to everybody else in cycle 0, ``count`` times."""
    model = spam_model(lattice_network(4, seed=1))
    processors = range(4)
    records = [Message(i, [j for j in processors if j != i], FLITS) for _ in range(count) for i in processors]
    return prepare(model, software_multicasts(records) if software else records)


def test_waiting_share_counts_messages_that_have_started_and_have_not_arrived():
    simulation = all_at_once(5)
    assert waiting_share(simulation.run(0), 0) == 0
    assert waiting_share(simulation.run(1), 1) == 1
    arrived = simulation.run(60).last_arrival_cycle
    assert waiting_share(simulation.results(), 60) == pytest.approx((arrived < 0).mean())
    assert 0 < waiting_share(simulation.results(), 60) < 1
    assert waiting_share(simulation.run(), 10_000) == 0


def test_a_software_multicast_counts_once():
    simulation = all_at_once(1, software=True)
    results = simulation.run(1)
    assert len(results.messages) > 4
    assert waiting_share(results, 1) == 1


def test_runs_are_given_up_at_the_first_look_that_finds_a_backlog():
    results, saturated = run_while_keeping_up(all_at_once(5), 40, most_waiting=0.5, looks=4)
    assert saturated
    assert results.cycles == 10
    results, saturated = run_while_keeping_up(all_at_once(5), 2_000, most_waiting=0.5, looks=1)
    assert not saturated
    assert results.lost == 0


@dataclass(frozen=True)
class Point:
    load: float
    saturated: bool


def test_curves_end_before_the_first_saturated_point():
    points = [Point(0.3, True), Point(0.1, False), Point(0.4, False), Point(0.2, False)]
    assert [point.load for point in before_saturation(points)] == [0.1, 0.2]
