"""Requests and replies, measured in the network; and batches."""

from dataclasses import replace

import numpy as np
import pytest

from sim_model.engines.simulation import Simulation
from sim_model.messages.columns import MessageColumns
from sim_model.messages.messages import Messages
from sim_model.torus.model import TorusModel
from sim_model.traffic.counts import FixedLength, LengthMix, Shares
from sim_model.traffic.generate import RandomTraffic
from sim_model.traffic.injection import BatchInjection, BernoulliInjection
from sim_model.traffic.patterns import UniformPattern
from sim_model.traffic.requests import Replies, round_trip_cycles
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import TorusRouting

NODES = 9
MODEL = TorusModel(TorusRouting(TorusNetwork(Grid(3, 3, wraps=False), 1), 32))
DELAY = 7


def drawn(replies, rate=0.2, cycles=400, injection=None):
    injection = injection or BernoulliInjection(rate)
    traffic = RandomTraffic(NODES, injection, UniformPattern(NODES), FixedLength(3), replies=replies)
    return traffic.draw(cycles, 1)


def simulated(columns):
    simulation = Simulation(MODEL, columns.checked(processors=NODES, header_flits=MODEL.header_flits))
    results = simulation.run()
    assert (results.lost, results.duplicated, results.deadlocked) == (0, 0, False)
    return results


def most_outstanding(results, node):
    """By counting events: a request starts, its reply arrives."""
    requests = np.flatnonzero(results.messages.source[::2] == node) * 2
    events = [(int(results.start_cycle[number]), 1) for number in requests]
    events += [(int(results.arrival_cycle[number + 1]), -1) for number in requests]
    outstanding = most = 0
    for _, step in sorted(events):  # an arrival frees a slot in its own cycle
        outstanding += step
        most = max(most, outstanding)
    return most


@pytest.mark.parametrize("outstanding", [1, 2, 5])
def test_no_node_has_more_requests_outstanding(outstanding):
    columns = drawn(Replies(LengthMix({2: 0.5, 9: 0.5}), DELAY, outstanding))
    results = simulated(columns)
    assert {most_outstanding(results, node) for node in range(NODES)} == {outstanding}
    assert (results.start_cycle[::2] >= columns.start_cycle[::2]).all()
    for node in range(NODES):
        requests = np.flatnonzero(columns.source[::2] == node) * 2
        for earlier, later in zip(requests, requests[outstanding:], strict=False):
            back = results.arrival_cycle[earlier + 1]
            assert results.start_cycle[later] == max(back, columns.start_cycle[later])


def test_without_a_limit_requests_start_when_they_are_to():
    columns = drawn(Replies(FixedLength(4), DELAY))
    results = simulated(columns)
    assert np.array_equal(results.start_cycle[::2], columns.start_cycle[::2])
    assert max(most_outstanding(results, node) for node in range(NODES)) > 10


def test_every_request_is_replied_to_after_the_delay():
    columns = drawn(Replies(FixedLength(4), DELAY, 3))
    results = simulated(columns)
    assert np.array_equal(columns.source[1::2], columns.destinations[::2])
    assert np.array_equal(columns.destinations[1::2], columns.source[::2])
    assert set(columns.flits[::2].tolist()) == {3}
    assert set(columns.flits[1::2].tolist()) == {4}
    assert np.array_equal(results.start_cycle[1::2], results.arrival_cycle[::2] + DELAY)
    trips = round_trip_cycles(results)
    assert np.array_equal(trips, results.latency_cycles[::2] + DELAY + results.latency_cycles[1::2])
    later = results.start_cycle[::2] >= 100
    assert np.array_equal(round_trip_cycles(results, 100), trips[later])


def test_requests_are_those_without_replies():
    alone, answered = drawn(None), drawn(Replies(FixedLength(4), DELAY, 3))
    assert np.array_equal(answered.source[::2], alone.source)
    assert np.array_equal(answered.destinations[::2], alone.destinations)
    assert np.array_equal(answered.start_cycle[::2], alone.start_cycle)


def test_columns_become_the_messages_that_their_records_become(monkeypatch):
    columns = drawn(Replies(FixedLength(4), DELAY, 3))
    from_records = Messages.build(list(columns), processors=NODES, header_flits=MODEL.header_flits)
    monkeypatch.setattr(Messages, "build", None)  # valid columns skip this
    messages = columns.checked(processors=NODES, header_flits=MODEL.header_flits)
    for name, column in vars(messages).items():
        assert np.array_equal(column, vars(from_records)[name]), name
        assert column.dtype == vars(from_records)[name].dtype, name


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"parents": [1]}, "Message 1: Parent must be an earlier message, not 1"),
        ({"parents": [-1]}, "Message 1: Parent must be an earlier message, not -1"),
        ({"delay_cycles": [-2]}, "Message 1: Delay must be at least 0 cycles, not -2"),
        ({"source": [0, 2]}, "Message 1: Parent must be a message that processor 2 gets or sends, not 0"),
    ],
)
def test_wrong_waits_are_named_like_those_of_records(change, problem):
    pair = Replies(FixedLength(4)).answered(
        MessageColumns.of(**{key: np.array([value]) for key, value in REQUEST.items()}), np.random.default_rng(1)
    )
    wrong = replace(pair, **{key: np.array(value, dtype=vars(pair)[key].dtype) for key, value in change.items()})
    with pytest.raises(ValueError, match=f"^{problem}$"):
        wrong.checked(processors=NODES, header_flits=MODEL.header_flits)


REQUEST = {"source": 0, "destinations": 1, "flits": 3, "start_cycle": 5}


def test_batches():
    cycle, node = BatchInjection(0.04, 8).starts(np.random.default_rng(1), 500, 3)
    assert sorted(set(cycle.tolist())) == [0, 200, 400]
    assert np.bincount(node[cycle == 200]).tolist() == [8, 8, 8]
    assert (np.diff(cycle * 3 + node) >= 0).all()
    columns = drawn(Replies(FixedLength(4), 0, 2), injection=BatchInjection(0.01, 20), cycles=1)
    assert len(columns) == 2 * 20 * NODES
    assert not columns.start_cycle.any()
    assert {most_outstanding(simulated(columns), node) for node in range(NODES)} == {2}


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: Replies(FixedLength(4), -1), "Delay of replies must be at least 0 cycles, not -1"),
        (lambda: Replies(FixedLength(4), 0, 0), "Outstanding requests must be at least 1, not 0"),
        (lambda: BatchInjection(0.1, 0), "Messages of a batch must be at least 1, not 0"),
        (
            lambda: RandomTraffic(
                NODES,
                BernoulliInjection(0.1),
                UniformPattern(NODES),
                FixedLength(4),
                Shares(broadcast=0.1),
                replies=Replies(FixedLength(4)),
            ),
            "Messages with replies must be unicasts, not multicasts or broadcasts",
        ),
    ],
)
def test_parameters_are_checked(make, problem):
    with pytest.raises(ValueError, match=f"^{problem}$"):
        make()
