"""The negative controls deadlock, the same jobs under the paper's rules do not, and waiting is no deadlock."""

import numpy as np

from sim_model.messages.messages import Message
from tests.networks import ring
from tests.sim_model.builders import random_records, simulate, spam_model
from topology.common.graph import Network

# Two multicasts to the same four processors below one switch. The serial enqueuer begins at the port number of the
# input, so the first enters the queues of 1, 2, 4, 5, the second those of 4, 5, 1, 2.
STAR = Network(1, [], [0] * 6)
CONFLICTING = [Message(0, [1, 2, 4, 5], 20), Message(3, [1, 2, 4, 5], 20)]


def test_split_enqueue_deadlocks_and_atomic_does_not():
    split = simulate(spam_model(STAR, enqueue="split"), CONFLICTING)
    results = split.run()
    assert split.deadlocked
    assert not split.finished
    assert results.deadlocked
    assert results.lost > 0
    atomic = simulate(spam_model(STAR), CONFLICTING)
    assert atomic.run().lost == 0
    assert not atomic.deadlocked


def test_the_report_names_the_cycle_of_waiting():
    simulation = simulate(spam_model(STAR, enqueue="split"), CONFLICTING)
    simulation.run()
    report = simulation.deadlock_report()
    assert "deadlock in cycle" in report
    assert "p0->s0 (message 0) waits for" in report
    assert "s0->p4 queued for before by p3->s0" in report
    assert "s0->p1 queued for before by p0->s0" in report
    state = simulation.describe_router(0)
    assert "input 0 p0->s0 (up): [m0.0.head" in state
    assert "queued" in state
    assert "output 4 s0->p4: empty, free" in state


def test_up_after_down_deadlocks_on_a_ring_and_legal_routes_do_not():
    # Every node sends two hops clockwise at once.
    network = ring(5)
    records = [Message(node, [(node + 2) % 5], 60) for node in range(5)]
    illegal = simulate(spam_model(network, up_after_down=True), records)
    illegal.run()
    assert illegal.deadlocked
    report = illegal.deadlock_report()
    assert report.splitlines()[0].endswith("10 input channels wait for each other")  # injection and ring
    assert "owned by" in report or "for room in the buffer behind" in report
    legal = simulate(spam_model(network), records)
    assert legal.run().lost == 0


def test_split_enqueue_often_deadlocks_on_random_jobs_that_atomic_survives():
    network = Network(3, [(0, 1), (0, 2)], [1, 1, 1, 2, 2, 2])
    deadlocks = 0
    for seed in range(20):
        records = random_records(np.random.default_rng(seed), spam_model(network), 60, cycles=60, body=30)
        split = simulate(spam_model(network, enqueue="split"), records)
        split.run()
        assert simulate(spam_model(network), records).run().lost == 0
        deadlocks += split.deadlocked
    assert deadlocks >= 5


def test_waiting_for_hosts_and_routing_is_no_deadlock():
    # A long start-up, a long gap, and a header that waits 50 cycles to be routed.
    network = Network(2, [(0, 1)], [0, 1])
    model = spam_model(network, routing_cycles=50)
    records = [Message(0, [1], 3), Message(1, [0], 3, parents=(0,), delay_cycles=100_000)]
    simulation = simulate(model, records, startup_cycles=20_000)
    results = simulation.run()
    assert simulation.finished
    assert results.lost == 0


def test_a_partial_deadlock_does_not_stop_the_rest():
    network = Network(2, [(0, 1)], [0] * 6 + [1, 1])
    records = [*CONFLICTING, Message(6, [7], 20, start_cycle=5000)]
    simulation = simulate(spam_model(network, enqueue="split"), records)
    results = simulation.run()
    assert simulation.deadlocked
    assert results.arrival_cycle[-1] > 5000
    assert results.lost == len(results.arrival_cycle) - 1


def test_a_deadlocked_simulation_stays_as_it_is():
    simulation = simulate(spam_model(STAR, enqueue="split"), CONFLICTING)
    hops = simulation.run().flit_hops
    trace = simulation.record(50)
    assert not trace.moved.any()
    assert simulation.run().flit_hops == hops
