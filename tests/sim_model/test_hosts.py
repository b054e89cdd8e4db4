"""Sources that pause and receivers that stall, and processors with several injectors, in the golden models."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from sim_model.engines.cycle.endpoints import EJECTOR_FLITS
from sim_model.engines.simulation import Simulation
from sim_model.harts.memory_hosts import MemoryHostsModel
from sim_model.loops.bits import INDEX_MASK, INDEX_SHIFT, MESSAGE_SHIFT, TAIL, index_of, message_of
from sim_model.messages.messages import Message, Messages
from sim_model.min.model import MinModel
from sim_model.parts.hosts import (
    Descriptor,
    DescriptorFormat,
    HostPatternTwin,
    MessageEjectorTwin,
    MessageInjectorTwin,
    PausingSourceTwin,
    StallingReceiverTwin,
)
from sim_model.torus.model import TorusModel
from tests.networks import InjectingTorus, random_irregular
from tests.sim_model.builders import build, built, harts_model, mixed_traffic, random_records, spam_model
from topology.common.flits import FlitFormat
from topology.common.graph import Network
from topology.common.host_pattern import (
    EAGER,
    RECEIVER,
    SOURCE,
    Blockade,
    HostBehaviour,
    endpoint_salt,
    first_state,
    holds_back,
    level_of,
    next_state,
)
from topology.common.pattern import payload_seed
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
    return model, built(model, mixed_traffic(model, 3_000, 0.004, seed=3))


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


@pytest.mark.parametrize("hosts", [HostBehaviour(pause_level=230), HostBehaviour(stall_level=230)], ids=str)
def test_each_alone_holds_up_the_network(job, hosts):
    assert finished(*job, hosts).latency_cycles.mean() > finished(*job, EAGER).latency_cycles.mean()


def test_same_seed_same_result_and_other_seed_another(job):
    first = finished(*job, BOTH[0.9])
    assert_same(first, finished(*job, BOTH[0.9]))
    other = finished(*job, replace(BOTH[0.9], seed=6))
    assert (first.arrival_cycle != other.arrival_cycle).any()


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


def test_ejectors_and_injectors_do_what_their_twins_do():
    """The model's short cuts against the parts of which the harness consists, cycle by cycle."""
    model, messages = spam_job()
    hosts = HostBehaviour(100, 160, seed=9, blocked=(Blockade(2, 300, 200), Blockade(2, 450, 100)))
    twins = [_Receiver(model, hosts, position) for position in range(len(model.network.delivery_channels))]
    sources = [_Source(model, messages, hosts, number) for number in range(len(model.network.processors))]
    simulation = Simulation(model, messages, hosts=hosts)
    for cycle in range(3_000):
        state = simulation.state
        valid = state.vertices.occupied[state.channels.source] & (1 << state.channels.source_port.astype(np.int64)) != 0
        registers = state.channels.register.copy()
        report = simulation.step()
        for twin in twins:
            twin.check(cycle, valid, report.moved)
        for source in sources:
            source.check(valid, registers, report.moved, dict(report.accepted), simulation.data_of)


class _Receiver:
    """Ejector and reader of a delivery channel."""

    def __init__(self, model, hosts, position):
        self.channel = model.network.delivery_channels[position]
        self.blocked = [b for b in hosts.blocked if b.processor == model.network.delivery_processors[position]]
        self.inputs = {"seed": hosts.seed, "salt": endpoint_salt(RECEIVER, position), "level": hosts.stall_level}
        self.reader, self.ejector = StallingReceiverTwin(), MessageEjectorTwin()
        # the first cycle after reset, in which no input is ready
        self.reader.step({**self.inputs, "blocked": 0})
        self.ejector.step({"link.valid": 0, "link.payload": 0, "user.ready": 0})

    def check(self, cycle, valid, moved):
        blocked = any(b.start_cycle <= cycle < b.end_cycle for b in self.blocked)
        ready = self.reader.step({**self.inputs, "blocked": int(blocked)})["ready"]
        offered = int(valid[self.channel])
        link = self.ejector.step({"link.valid": offered, "link.payload": 0, "user.ready": ready})
        assert bool(moved[self.channel]) == bool(offered and link["link.ready"]), cycle


class _Source:
    """Injector and payload generator of a processor."""

    def __init__(self, model, messages, hosts, number):
        self.model, self.messages, self.number = model, messages, number
        self.channel = model.network.output_channel[model.network.switches + number][0]
        self.inputs = {"seed": hosts.seed, "salt": endpoint_salt(SOURCE, number), "level": hosts.pause_level}
        self.pattern = HostPatternTwin()
        self.words, self.injector = PausingSourceTwin(model.flit_bits), MessageInjectorTwin(model.routing.header)
        self.format, self.flits = DescriptorFormat(model.routing.header), FlitFormat(model.flit_bits)
        # the first cycle after reset, in which no input is ready
        self.pattern.step(self.inputs)
        self.words.step({**self.inputs, "start": 0, "payload_seed": 0, "words.ready": 0})
        idle = ("message.valid", "message.payload", "link.ready", "payload.valid", "payload.payload")
        self.injector.step(dict.fromkeys(idle, 0))

    def check(self, valid, registers, moved, accepted, data_of):
        message = accepted.get(self.number)
        pauses = self.pattern.step(self.inputs)["holds"]
        assert message is None or not pauses, "a host that pauses offers no message"
        start = {"start": int(message is not None), "payload_seed": payload_seed(message or 0)}
        link = {
            "message.valid": start["start"],
            "message.payload": 0 if message is None else self._descriptor(message),
            "link.ready": int(moved[self.channel]),
        }
        injector = self.injector  # it never reads a word that is not due
        free = injector.register is None or moved[self.channel]
        due = int(free and injector.flits_left > 0 and not injector.header_left)
        words = self.words.step({**self.inputs, **start, "words.ready": due})
        seen = self.injector.step(
            {**link, "payload.valid": words["words.valid"], "payload.payload": words["words.payload"] or 0}
        )
        assert seen["payload.ready"] == due
        assert seen["link.valid"] == int(valid[self.channel])
        if seen["link.valid"]:
            register = int(registers[self.channel])
            index, tail = register >> INDEX_SHIFT & INDEX_MASK, bool(register & TAIL)
            data = data_of(register >> MESSAGE_SHIFT, index)
            assert seen["link.payload"] == self.flits.pack(data=data, head=index == 0, tail=tail)

    def _descriptor(self, message):
        destinations = self.messages.destinations_of(message).tolist()
        header = self.model.sent_header(self.messages, message)
        words = self.model.routing.header.to_flits(header, self.model.header_flits(destinations))
        return self.format.pack(Descriptor(tuple(words), int(self.messages.flits[message])))


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


@pytest.mark.parametrize(
    "hosts", [BOTH[0.9], HostBehaviour(stall_level=255, blocked=(Blockade(1, 0, 4_000),))], ids=str
)
def test_nobody_who_waits_for_a_host_is_deadlocked(hosts):
    model = spam_model(Network(2, [(0, 1)], [0, 1]), flit_bits=16)
    messages = build(model, [Message(0, (1,), 200)])
    simulation = Simulation(model, messages, hosts=hosts)
    while not simulation.finished:
        simulation.step()
        assert not simulation.deadlocked
    assert finished(model, messages, hosts).cycles == simulation.cycle


def test_dependent_messages_keep_their_order():
    """Software multicasts: a dependent message is released by the tail on the channel, not by the reader."""
    model = spam_model(random_irregular(5, switches=8), flit_bits=16)
    processors = len(model.network.processors)
    records = [Message(0, (1,), 12)]
    records += [
        Message(node, (node + 1,), 12, parents=(node - 1,), delay_cycles=3) for node in range(1, processors - 1)
    ]
    messages = Messages.build(records, processors=processors, header_flits=model.header_flits)
    results = finished(model, messages, BOTH[0.9])
    assert (results.start_cycle[1:] == results.arrival_cycle[:-1] + 3).all()


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
    messages = built(model, mixed_traffic(model, 500, 0.004, seed=3))
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


def test_injectors_of_a_processor_do_not_wait_for_each_other():
    apart = build_for_channels(
        Message(0, [1], 40, injection=0), Message(0, [2], 40, injection=2), Message(0, [1], 40, injection=2)
    )
    results = Simulation(MODEL, apart, startup_cycles=3).run()
    assert results.accepted_cycle[:2].tolist() == [3, 3]
    assert results.accepted_cycle[2] > 43
    reports = [Simulation(MODEL, apart).step()]
    assert reports[0].accepted == [(0, 0), (2, 1)]


def test_a_relay_starts_at_its_own_injector():
    records = [
        Message(0, [1], HEADER + 4),
        Message(1, [2], 60),
        Message(1, [3], HEADER + 4, parents=(0,), delay_cycles=2, injection=1),
        Message(1, [3], HEADER + 4, parents=(0,), delay_cycles=2),
    ]
    results = Simulation(MODEL, build_for_channels(*records)).run()
    assert results.accepted_cycle[2] == results.arrival_cycle[0] + 2
    assert results.accepted_cycle[3] > 60
    assert (results.lost, results.duplicated) == (0, 0)


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
