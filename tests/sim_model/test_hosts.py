"""Sources that pause and receivers that stall, and processors with several injectors, in the golden models."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from sim_model.engines.cycle.endpoints import EJECTOR_FLITS
from sim_model.engines.simulation import Simulation
from sim_model.harts.memory_hosts import MemoryHostsModel
from sim_model.loops.bits import TAIL, index_of, message_of
from sim_model.messages.messages import Message, Messages
from sim_model.min.model import MinModel
from sim_model.torus.model import TorusModel
from tests.networks import InjectingTorus, random_irregular
from tests.sim_model.builders import build, harts_model, mixed_traffic, random_records, spam_model
from topology.common.graph import Network
from topology.common.host_pattern import (
    EAGER,
    SOURCE,
    Blockade,
    HostBehaviour,
    endpoint_salt,
    first_state,
    holds_back,
    level_of,
    next_state,
)
from topology.min.graph import MinNetwork
from topology.min.routing import MinRouting
from topology.torus.grid import Grid
from topology.torus.routing import TorusRouting

# Sources that pause and receivers that stall, in the golden models of all families.

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


def test_hosts_that_pause_offer_messages_when_they_do_not():
    """A message of header flits alone has no words that could be late."""
    model = spam_model(Network(1, [], [0, 0]), flit_bits=32)
    hosts = HostBehaviour(pause_level=200, seed=11)
    messages = build(model, [Message(0, (1,), 1, start_cycle=start) for start in range(0, 400, 20)])
    state, free = first_state(hosts.seed, endpoint_salt(SOURCE, 0)), []
    for cycle in range(1_000):
        free += [] if holds_back(state, hosts.pause_level) else [cycle]
        state = next_state(state)
    results = finished(model, messages, hosts)
    idle_from = 0
    for start, accepted in zip(results.start_cycle.tolist(), results.accepted_cycle.tolist(), strict=True):
        assert accepted == next(cycle for cycle in free if cycle >= max(start, idle_from))
        idle_from = accepted + 2


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


def test_copies_are_logged_when_they_are_delivered():
    model, messages = harts_job()
    hosts = HostBehaviour(240, 250, seed=8)
    simulation = Simulation(model, messages, hosts=hosts)
    recording = simulation.record(40_000)
    results = simulation.results()
    assert simulation.finished
    last = messages.flits[recording.ejected_message] - 1
    cycles, channels = np.nonzero((recording.ejected_message >= 0) & (recording.ejected_flit == last))
    nodes = np.array(model.network.delivery_processors)[channels]
    seen = sorted(
        zip(cycles.tolist(), nodes.tolist(), recording.ejected_message[cycles, channels].tolist(), strict=True)
    )
    log = results.copy_log[["cycle", "node", "message"]].tolist()
    assert sorted(log) == seen
    assert (np.diff(results.copy_log["cycle"]) >= 0).all()
    assert results.copy_log["cycle"].max() > finished(model, messages, EAGER).copy_log["cycle"].max()


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
    with pytest.raises(ValueError, match=f"Blocked processor must be 0 to {last}, not {last + 1}"):
        Simulation(model, messages, hosts=HostBehaviour(blocked=(Blockade(last + 1, 0, 1),)))


# The golden model of networks whose processors have several injection channels: every injector has its own host.

CHANNELS = 3
MODEL = TorusModel(TorusRouting(InjectingTorus(Grid(2, 4, True), 2, CHANNELS), 16))
NETWORK = MODEL.network
HEADER = MODEL.header_flits([1])
PAUSING = HostBehaviour(pause_level=100, stall_level=60, seed=7)


def build_for_channels(*records, injection_channels=CHANNELS):
    return Messages.build(
        records,
        processors=len(NETWORK.processors),
        header_flits=MODEL.header_flits,
        injection_channels=injection_channels,
    )


def random_messages(count=400, cycles=1_500):
    random, records = np.random.default_rng(4), []
    for start in sorted(random.integers(0, cycles, size=count).tolist()):
        source, destination = map(int, random.choice(len(NETWORK.processors), 2, replace=False))
        injection, body = int(random.integers(CHANNELS)), int(random.integers(12))
        records.append(Message(source, [destination], HEADER + body, start_cycle=start, injection=injection))
    return build_for_channels(*records)


def sent(trace):
    """(cycle, packed flit) of what moved on each injection channel, by injector."""
    flits = trace.flits[:, list(NETWORK.injection_channels)]
    return [
        [(cycle, int(flits[cycle, i])) for cycle in np.flatnonzero(flits[:, i] >= 0)] for i in range(flits.shape[1])
    ]


@pytest.mark.parametrize("hosts", [EAGER, PAUSING], ids=["eager", "pausing"])
@pytest.mark.parametrize("startup_cycles", [0, 5])
def test_every_injector_sends_its_messages_in_order(startup_cycles, hosts):
    messages = random_messages()
    results = Simulation(MODEL, messages, startup_cycles, hosts=hosts).run()
    assert (results.lost, results.duplicated, results.disordered, results.deadlocked) == (0, 0, 0, False)
    trace = Simulation(MODEL, messages, startup_cycles, hosts=hosts).record(results.cycles)
    order = np.lexsort((np.arange(len(messages)), messages.start_cycle))
    both = 0
    for injector, moves in enumerate(sent(trace)):
        processor, port = divmod(injector, CHANNELS)
        own = [int(m) for m in order if (messages.source[m], messages.injection[m]) == (processor, port)]
        wanted = [(m, index) for m in own for index in range(messages.flits[m])]
        assert [(message_of(flit), index_of(flit)) for _, flit in moves] == wanted
        tails = {message_of(flit): cycle for cycle, flit in moves if flit & TAIL}
        accepted = {int(m): c for c, m in enumerate(trace.accepted_message[:, injector]) if m >= 0}
        assert accepted == {m: int(results.accepted_cycle[m]) for m in own}
        for before, after in pairwise(own):
            least = max(tails[before] + 1, int(messages.start_cycle[after])) + startup_cycles
            assert accepted[after] == least if hosts == EAGER else accepted[after] >= least
    busy = [{cycle for cycle, _ in moves} for moves in sent(trace)]
    for first in range(0, len(busy), CHANNELS):
        both += len(busy[first] & busy[first + 1] & busy[first + 2])
    assert both  # all three injectors of a processor move a flit in one cycle


def test_sources_pause_apart():
    """Injectors of a processor have patterns of their own."""
    alike = [Message(0, [5], 200, injection=port) for port in range(CHANNELS)]
    trace = Simulation(MODEL, build_for_channels(*alike), hosts=PAUSING).record(60)
    waits = {tuple(cycle for cycle, _ in moves) for moves in sent(trace)[:CHANNELS]}
    assert len(waits) == CHANNELS


def test_an_injection_channel_that_the_network_does_not_have():
    plenty = build_for_channels(Message(0, [1], 9), Message(3, [1], 9, injection=4), injection_channels=5)
    with pytest.raises(ValueError, match=r"^Injection channel of message 1 must be 0 to 2 in this network, not 4$"):
        Simulation(MODEL, plenty)
