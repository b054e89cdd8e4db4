"""Sources that pause and receivers that stall, and processors with several injectors, in the golden models."""

import heapq
import math
from dataclasses import replace

import numpy as np
import pytest

from sim_model.engines import hosts as engine_hosts
from sim_model.engines.cycle.endpoints import EJECTOR_FLITS
from sim_model.engines.cycle.records import make_records
from sim_model.engines.cycle.state import HOST_FIELDS, JOB_FIELDS, NONE
from sim_model.engines.simulation import Simulation
from sim_model.harts.memory_hosts import MemoryHostsModel
from sim_model.messages.messages import Message, Messages
from sim_model.min.model import MinModel
from sim_model.torus.model import TorusModel
from tests.networks import InjectingTorus, random_irregular
from tests.sim_model.builders import build, harts_model, mixed_traffic, random_records, spam_model
from topology.common.graph import Network
from topology.common.host_pattern import (
    EAGER,
    Blockade,
    HostBehaviour,
    level_of,
)
from topology.min.graph import MinNetwork
from topology.min.routing import MinRouting
from topology.torus.grid import Grid
from topology.torus.routing import TorusRouting

BOTH = {p: HostBehaviour(level_of(p), level_of(p), seed=5) for p in (0.3, 0.9)}


def spam_job():
    model = spam_model(random_irregular(5, switches=8), flit_bits=16)
    return model, build(model, random_records(np.random.default_rng(1), model, 120, cycles=2_000, body=24))


def min_job():
    model = MinModel(MinRouting(MinNetwork("bi-butterfly", 2, 3, 2), 16))
    return model, build(model, random_records(np.random.default_rng(2), model, 120, cycles=1_500, body=24))


def harts_job():
    model = harts_model(2)
    return model, build(model, mixed_traffic(model, 3_000, 0.004, seed=3))


JOBS = {"spam": spam_job, "min": min_job, "harts": harts_job}


@pytest.fixture(params=JOBS)
def job(request):
    return JOBS[request.param]()


def finished(model, messages, hosts, **settings):
    """A run to the end; every message arrives once and in order."""
    simulation = Simulation(model, messages, hosts=hosts, **settings)
    results = simulation.run()
    assert (results.lost, results.duplicated, results.disordered, results.deadlocked) == (0, 0, 0, False)
    return results


def assert_same(results, others):
    for name in ("start_cycle", "accepted_cycle", "arrival_cycle", "copies"):
        assert (getattr(results, name) == getattr(others, name)).all()
    assert (results.cycles, results.flit_hops) == (others.cycles, others.flit_hops)


def test_everything_arrives_and_takes_longer(job):
    eager, some, most = (finished(*job, hosts) for hosts in (EAGER, BOTH[0.3], BOTH[0.9]))
    assert eager.flit_hops == some.flit_hops == most.flit_hops
    assert eager.latency_cycles.mean() < some.latency_cycles.mean() < most.latency_cycles.mean()


def test_receivers_that_are_blocked_for_no_reason_change_nothing(job):
    """The ejectors exist, and an always ready user never fills them."""
    eager = finished(*job, EAGER)
    assert_same(eager, finished(*job, HostBehaviour(blocked=(Blockade(0, 10 * eager.cycles, 5),))))


def test_recording_counting_and_snapshots_see_the_same_run(job):
    model, messages = job
    results = finished(model, messages, BOTH[0.9], count_channels=True)
    recorded = Simulation(model, messages, hosts=BOTH[0.9])
    moved = recorded.record(700).moved.sum()
    kept = recorded.snapshot()
    recorded.record(300)
    recorded.restore(kept)
    moved += recorded.record(results.cycles - 700).moved.sum()
    assert moved == results.flit_hops
    assert_same(recorded.results(), results)


def test_a_long_blockade_fills_the_network_and_ends(job):
    model, messages = job
    blockade = Blockade(1, 500, 10_000)
    simulation = Simulation(model, messages, hosts=HostBehaviour(blocked=(blockade,)))
    moved = simulation.record(blockade.end_cycle).moved
    into = np.array(model.network.delivery_channels)[np.array(model.network.delivery_processors) == 1]
    assert (moved[blockade.start_cycle :, into].sum(axis=0) <= EJECTOR_FLITS).all()
    arrived = simulation.results().arrival_cycle
    assert not moved[8_000:].any(), "nothing goes on without the receiver"
    assert (arrived[messages.destinations == 1] < 0).any()
    assert not simulation.deadlocked
    results = simulation.run()
    assert (results.lost, results.duplicated, results.disordered, results.deadlocked) == (0, 0, 0, False)


def sparse_records(model):
    """Bursts with long idle times between them."""
    burst = random_records(np.random.default_rng(3), model, 12, cycles=60, body=20)
    return [replace(record, start_cycle=record.start_cycle + 1_700 * k) for k in range(3) for record in burst]


@pytest.mark.parametrize("startup_cycles", [0, 1_300])
def test_jumps_over_idle_time_change_nothing(startup_cycles):
    model = spam_model(random_irregular(5, switches=8), flit_bits=16, routing_cycles=3)
    messages = build(model, sparse_records(model))
    hosts = HostBehaviour(200, 220, seed=3, blocked=(Blockade(1, 1_650, 300), Blockade(0, 3_000, 500)))
    results = Simulation(model, messages, startup_cycles, hosts=hosts).run()
    stepped = Simulation(model, messages, startup_cycles, hosts=hosts)
    for _ in range(results.cycles):
        stepped.step()
    assert stepped.finished
    assert_same(results, stepped.results())


# seeds with which neither worm is so late that the other has all its outputs
DEADLOCKED = [
    HostBehaviour(77, 77, seed=5),
    HostBehaviour(230, 230, seed=3),
    HostBehaviour(blocked=(Blockade(1, 0, 3_000),)),
]


@pytest.mark.parametrize("hosts", DEADLOCKED, ids=str)
def test_a_deadlock_is_found_when_all_that_can_leave_has_left(hosts):
    model = spam_model(Network(1, [], [0] * 6), flit_bits=16, enqueue="split")
    messages = build(model, [Message(source, (1, 2, 4, 5), 24) for source in (0, 3)])
    simulation = Simulation(model, messages, hosts=hosts)
    results = simulation.run(100_000)
    assert results.deadlocked
    assert "waits for" in simulation.deadlock_report()
    longer = Simulation(model, messages, hosts=hosts)
    longer.run(results.cycles - 1)
    assert not longer.deadlocked
    moved = longer.record(5_000).moved
    assert not moved[1:].any()


@pytest.mark.parametrize("hosts", [BOTH[0.9], HostBehaviour(stall_level=255, blocked=(Blockade(1, 0, 800),))], ids=str)
def test_nobody_who_waits_for_a_host_is_deadlocked(hosts):
    model = spam_model(Network(2, [(0, 1)], [0, 1]), flit_bits=16)
    messages = build(model, [Message(0, (1,), 60)])
    simulation = Simulation(model, messages, hosts=hosts)
    while not simulation.finished:
        simulation.step()
        assert not simulation.deadlocked
    assert finished(model, messages, hosts).cycles == simulation.cycle


def test_hosts_that_have_no_port_cannot_stall():
    model = MemoryHostsModel(harts_model(2).routing)
    messages = build(model, mixed_traffic(model, 500, 0.004, seed=3))
    for hosts in (HostBehaviour(stall_level=1), HostBehaviour(blocked=(Blockade(0, 0, 1),))):
        with pytest.raises(ValueError, match="Hosts that get packets where they are stored cannot stall"):
            Simulation(model, messages, hosts=hosts)
    finished(model, messages, HostBehaviour(pause_level=230))


def test_unknown_processors_cannot_be_blocked():
    model, messages = spam_job()
    last = len(model.network.processors) - 1
    with pytest.raises(ValueError, match=f"Blocked processor is {last + 1}; it must be 0 to {last}"):
        Simulation(model, messages, hosts=HostBehaviour(blocked=(Blockade(last + 1, 0, 1),)))


def test_an_injection_channel_that_the_network_does_not_have():
    model = TorusModel(TorusRouting(InjectingTorus(Grid(2, 4, True), 2, 3), 16))
    records = [Message(0, [1], 9), Message(3, [1], 9, injection=4)]
    messages = Messages.build(records, processors=8, header_flits=model.header_flits, injection_channels=5)
    with pytest.raises(ValueError, match=r"^Injection channel of message 1 is 4; it must be 0 to 2 in this network$"):
        Simulation(model, messages)


RELEASED = 1_000
STARTS = {
    "ascending": range(RELEASED),
    "descending": range(RELEASED, 0, -1),
    "equal": [7] * RELEASED,
    "random": np.random.default_rng(4).integers(0, RELEASED, RELEASED).tolist(),
}


@pytest.mark.parametrize("starts", STARTS.values(), ids=STARTS)
def test_dependent_messages_are_sent_in_order_at_the_cost_of_a_heap(starts, monkeypatch):
    comparisons = []
    is_earlier = engine_hosts._earlier

    def counted(first, second, jobs):
        comparisons.append(first)
        return is_earlier(first, second, jobs)

    monkeypatch.setattr(engine_hosts, "_earlier", counted)
    jobs = make_records(RELEASED, JOB_FIELDS, start_cycle=np.array(starts), released_left=NONE, released_right=NONE)
    host = make_records(1, HOST_FIELDS, released=NONE)[0]
    no_queue = np.array([])
    waiting, sent, expected = [], [], []
    for message, start_cycle in enumerate(starts):
        if message >= RELEASED // 2:  # one is sent for each that is released
            sent.append(engine_hosts._take_next(host, no_queue, jobs))
            expected.append(heapq.heappop(waiting)[1])
        host.released = engine_hosts._merged(host.released, message, jobs)
        heapq.heappush(waiting, (start_cycle, message))
    while host.released != NONE:
        sent.append(engine_hosts._take_next(host, no_queue, jobs))
    assert sent == expected + [message for _start_cycle, message in sorted(waiting)]
    assert len(comparisons) < 4 * RELEASED * math.log2(RELEASED)
