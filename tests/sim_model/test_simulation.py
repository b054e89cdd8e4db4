"""Stepping, running, recording, counting, describing and going back: consistent, compiled or not."""

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim_model.engines.cycle import tables
from sim_model.engines.engine import WORM
from sim_model.engines.model import Wait
from sim_model.engines.simulation import Simulation
from sim_model.hypercube.model import HypercubeModel
from sim_model.loops.bits import TAIL
from sim_model.loops.compiled import compiled_loop
from sim_model.loops.lookups import candidates_of, ports_to
from sim_model.messages.messages import Message
from sim_model.min.computed import MinRoutes, min_reach, min_routes
from sim_model.min.model import MinModel
from sim_model.spam.computed import SpamRoutes, spam_reach, spam_routes
from sim_model.spam.model import SpamModel
from tests.counted import events_of
from tests.networks import random_irregular, with_parallel_links
from tests.sim_model.builders import build, harts_model, random_records, simulate, spam_model
from tests.sim_model.random_runs import differences
from tests.sim_model.torus_traffic import torus_model
from topology.common.counter_bus import COUNTED
from topology.common.graph import Network
from topology.common.lattice import irregular_network, lattice_network
from topology.common.total_order import NO_ORDER, TOTAL
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import HypercubeRouting
from topology.min.graph import BIDIRECTIONAL, KINDS, MinNetwork
from topology.min.routing import MinRouting
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

ROOT = Path(__file__).parents[2]
CYCLES = 400


def example(startup_cycles=4):
    """A contended network with all features."""
    model = spam_model(random_irregular(5, switches=8), flit_bits=16, routing_cycles=3)
    records = random_records(np.random.default_rng(1), model, 80, cycles=200, body=12)
    relay = records[0].destinations[0]
    records.append(Message(relay, [(relay + 1) % len(model.network.processors)], 20, parents=(0,), delay_cycles=7))
    return simulate(model, records, startup_cycles)


def fingerprint(simulation) -> str:
    """Digest of a recording and of the results."""
    trace = simulation.record(CYCLES)
    digest = hashlib.sha256()
    for part in (*trace, simulation.run().arrival_cycle):
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()


def test_step_run_and_record_agree():
    stepped, recorded, ran = example(), example(), example()
    trace = recorded.record(CYCLES)
    for cycle in range(CYCLES):
        report = stepped.step()
        assert (report.moved == trace.moved[cycle]).all()
        assert report.accepted == [
            (node, int(message)) for node, message in enumerate(trace.accepted_message[cycle]) if message >= 0
        ]
        assert report.ejected == [
            (node, int(message), int(trace.ejected_flit[cycle, node]))
            for node, message in enumerate(trace.ejected_message[cycle])
            if message >= 0
        ]
    results = ran.run(CYCLES)
    assert ran.cycle == stepped.cycle == CYCLES
    assert results.flit_hops == trace.moved.sum() == stepped.results().flit_hops
    assert (results.arrival_cycle == stepped.results().arrival_cycle).all()
    assert (stepped.run().arrival_cycle == recorded.run().arrival_cycle).all()


def test_a_recording_goes_on_after_the_end():
    simulation = simulate(spam_model(random_irregular(5, switches=4)), [Message(0, [1], 5)])
    trace = simulation.record(100)
    assert trace.moved.shape == (100, len(simulation.model.network.channels))
    assert simulation.cycle == 100
    assert simulation.finished
    assert not simulation.step().moved.any()


def test_no_messages_is_an_end():
    simulation = simulate(spam_model(random_irregular(5, switches=4)), [])
    assert simulation.run().deliveries == 0
    assert simulation.finished


def test_snapshots_can_be_used_again():
    simulation = example()
    simulation.run(50)
    snapshot = simulation.snapshot()
    first = fingerprint(simulation)
    for _ in range(2):
        simulation.restore(snapshot)
        assert simulation.cycle == 50
        assert not simulation.finished
        assert fingerprint(simulation) == first


def test_idle_time_is_skipped_without_being_lost():
    model = spam_model(random_irregular(5, switches=4))
    records = [Message(0, [1], 5), Message(1, [0], 5, start_cycle=10**12)]
    results = simulate(model, records, startup_cycles=1000).run()
    assert results.start_cycle[1] == 10**12
    assert results.latency_cycles[1] == results.latency_cycles[0]


@pytest.mark.parametrize("family", ["demo", "torus", "hypercube"])
def test_uncompiled_code_gives_the_same_result(family):
    """Vectors of eight switches are arrays then, whose words are numbers of Python or of NumPy."""
    code = (
        "from hydranoc import load; from sim_model.engines.simulation import Simulation; "
        f"design = load('examples/{family}.yaml'); "
        "results = Simulation(design.model, design.messages, engine='cycle').run(400); "
        "print(results.flit_hops, results.arrival_cycle.tolist())"
    )
    printed = []
    for disabled in ("0", "1"):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": disabled, "PYTHONPATH": str(ROOT)}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, cwd=ROOT)
        assert done.returncode == 0, done.stderr
        printed.append(done.stdout)
    assert printed[0] == printed[1]
    assert int(printed[0].split()[0]) > 1000


MODELS = {
    "spam": lambda **values: SpamModel(spam_model(random_irregular(1)).routing, **values),
    "min": lambda **values: MinModel(MinRouting(MinNetwork("omega", 2, 2), 16), **values),
    "harts": lambda **values: harts_model(3, **values),
    "torus": lambda **values: torus_model(2, 2, 2, **values),
    "hypercube": lambda **values: HypercubeModel(HypercubeRouting(HypercubeNetwork(2, 2), 32), 4, **values),
}
REFUSED = """
spam buffer_flits 0: Buffer must hold at least 1 flit, not 0
spam routing_cycles 0: Routing must take at least 1 cycle, not 0
spam enqueue lucky: Enqueue is 'lucky'; it must be 'atomic' or 'split'
spam link_cycles 0: Cycles of a link are 0; they must be an integer from 1 to 16
min buffer_flits 0: Buffer must hold at least 1 flit, not 0
min routing_cycles 0: Routing must take at least 1 cycle, not 0
min token two: Token is 'two'; it must be one of exact, printed, none
min link_cycles 17: Cycles of a link are 17; they must be an integer from 1 to 16
harts buffer_flits 0: Buffer is 0; it must be at least 1
harts gap_frames 0: Gap in frames is 0; it must be at least 1
harts relay_frames 0: Relay time in frames is 0; it must be at least 1
harts pages 11: Pages are 11; they must be at least 12
harts pages 311: Pages are 311; they must be at most 310
harts link_cycles 4: Cycles of a link are 4; they must be an integer from 1 to 3
torus buffer_flits 0: Buffer must hold 1 to 16 flits, not 0
torus buffer_flits 17: Buffer must hold 1 to 16 flits, not 17
torus routing_cycles 0: Routing must take at least 1 cycle, not 0
torus vc_reallocation head: vc_reallocation is 'head'; it must be tail or empty
torus injection_priority high: Priority of injection is 'high'; it must be equal or low
hypercube vc_reallocation head: vc_reallocation is 'head'; it must be empty, escape-tail or tail
"""
"""Family, parameter, value, and error."""


@pytest.mark.parametrize("row", REFUSED.strip().splitlines())
def test_model_parameters_are_checked(row):
    (family, name, value), message = row.partition(": ")[0].split(), row.partition(": ")[2]
    with pytest.raises(ValueError, match=f"^{message}"):
        MODELS[family](**{name: int(value) if value.isdecimal() else value})


def test_startup_is_checked():
    with pytest.raises(ValueError, match=r"^Start-up must take at least 0 cycles, not -1$"):
        example(startup_cycles=-1)


def test_results_of_messages_that_are_groups_of_their_own_need_no_gathering():
    model = spam_model(random_irregular(5, switches=8), flit_bits=16, routing_cycles=3)
    several = random_records(np.random.default_rng(1), model, 80, cycles=200, body=12)
    unicasts = [replace(record, destinations=record.destinations[:1]) for record in several]
    for records in (several, unicasts, unicasts[::-1]):
        simulation = simulate(model, records)
        for results in (simulation.run(150), simulation.run()):
            gathered = replace(results)
            vars(gathered)["_all_alone"] = False  # the value with messages of one group
            assert vars(results).keys().isdisjoint({"_all_alone"})
            assert results._all_alone
            for name in ("groups", "group_start_cycle", "group_latency_cycles", "group_destinations"):
                assert np.array_equal(getattr(results, name), getattr(gathered, name)), name
            per_message = np.split(results.arrival_cycle, results.messages.offsets[1:-1])
            last = [arrivals.max() if (arrivals >= 0).all() else -1 for arrivals in per_message]
            assert results.last_arrival_cycle.tolist() == last
            for multicast in (False, True):
                latencies = results.complete_latencies(multicast=multicast, warmup_cycles=20)
                columns = (results.start_cycle, results.latency_cycles, results.messages.destination_counts)
                rows = zip(*columns, strict=True)
                wanted = [row for row in rows if row[0] >= 20 and row[1] >= 0 and (row[2] > 1) == multicast]
                assert latencies.tolist() == [row[1] for row in sorted(wanted, key=lambda row: row[0])]


# Counts per channel against what single steps show, in runs that jump over idle time and in a deadlock.

IDLE_CYCLES = 5_000


def contended():
    """Messages in two bursts with much idle time between them."""
    model = spam_model(random_irregular(5, switches=8), flit_bits=16, routing_cycles=3)
    random = np.random.default_rng(1)
    records = random_records(random, model, 60, cycles=200, body=12)
    records += [Message(r.source, r.destinations, r.flits, start_cycle=r.start_cycle + IDLE_CYCLES) for r in records]
    return model, build(model, records)


def counted_by_steps(simulation, cycles):
    """The counts, from the registers before each single step."""
    network, state = simulation.model.network, simulation.state
    counts = np.zeros((len(COUNTED), len(network.channels)), dtype=np.int64)
    in_message = np.zeros(len(network.channels), dtype=bool)
    source_bits = 1 << state.channels.source_port.astype(np.int64)
    for _ in range(cycles):
        valid = state.vertices.occupied[state.channels.source] & source_bits != 0
        tail = state.channels.register & TAIL != 0
        moved = simulation.step().moved
        assert not (moved & ~valid).any()
        counts += np.array(events_of(valid, moved, tail, in_message))
        in_message = np.where(moved, ~tail, in_message)
    return counts


def test_counts_equal_those_of_single_steps():
    model, messages = contended()
    ran = Simulation(model, messages, count_channels=True)
    results = ran.run()
    counts = np.array(ran.channel_counts())
    assert results.cycles > IDLE_CYCLES
    assert counts[0].sum() == results.flit_hops
    assert (counts.sum(axis=1) > 100).all(), "the traffic must show stalls and bubbles"
    assert (counted_by_steps(Simulation(model, messages), results.cycles) == counts).all()
    recorded = Simulation(model, messages, count_channels=True)
    recorded.record(results.cycles + 70)
    assert (np.array(recorded.channel_counts()) == counts).all()


def test_nothing_is_counted_unasked():
    model, messages = contended()
    simulation = Simulation(model, messages)
    simulation.run(10)
    with pytest.raises(ValueError, match="Channels are counted only in a simulation with count_channels=True"):
        simulation.channel_counts()


# Values that large networks compute in place of tables: equal to the tables, row by row, and so is every run.

SPAM_NETWORKS = {
    "lattice": lambda: lattice_network(60, seed=1),
    "three on a switch": lambda: lattice_network(33, seed=2, processors_per_switch=3),
    "few links": lambda: lattice_network(50, seed=3, max_switch_links=3),
    "irregular": lambda: irregular_network(77, seed=3),
    "one switch": lambda: lattice_network(1, processors_per_switch=2),
    "parallel links": lambda: with_parallel_links(random_irregular(3), np.random.default_rng(1)),
    **{f"small {seed}": lambda seed=seed: random_irregular(seed) for seed in range(6)},
}
MIN_SHAPES = ((2, 1), (2, 4), (3, 3), (4, 2), (8, 2))


@compiled_loop
def _compute_rows(routes, reach, candidates, ports):
    """Compute what tables have, for all switches, keys, classes and processors."""
    switches, keys, classes = candidates.shape
    processors = ports.shape[1]
    for switch in range(switches):
        for key in range(keys):
            for arrival in range(classes):
                candidates[switch, key, arrival] = candidates_of(routes, switch, key, arrival)
        for processor in range(processors):
            ports[switch, processor] = ports_to(reach, switch, processor)


def assert_same_tables(routing, routes, reach):
    made = tables._whole_tables(routing)
    candidates, ports = np.zeros_like(made.routes), np.zeros_like(made.reach_ports)
    _compute_rows(routes, reach, candidates, ports)
    np.testing.assert_array_equal(candidates, made.routes)
    np.testing.assert_array_equal(ports, made.reach_ports)


@pytest.mark.parametrize("ordering", [NO_ORDER, TOTAL])
@pytest.mark.parametrize("root", [None, 0])
@pytest.mark.parametrize("name", SPAM_NETWORKS)
def test_spam_is_computed_as_its_tables_say(name, root, ordering):
    routing = SpamRouting(SpamLabels(SPAM_NETWORKS[name](), root), 32, ordering=ordering)
    assert_same_tables(routing, spam_routes(routing), spam_reach(routing))


@pytest.mark.parametrize("shape", MIN_SHAPES)
@pytest.mark.parametrize("private", [False, True])
@pytest.mark.parametrize(("kind", "ordering"), [*((kind, NO_ORDER) for kind in KINDS), (BIDIRECTIONAL, TOTAL)])
def test_multistage_networks_are_computed_as_their_tables_say(kind, ordering, private, shape):
    radix, stages = shape
    routing = MinRouting(MinNetwork(kind, radix, stages, radix if private else 1), 32, ordering=ordering)
    random = np.random.default_rng(1)
    processors = len(routing.network.processors)
    several = [random.choice(processors, 2, replace=False).tolist() for _ in range(20)]
    keys = [routing.routing_key(first, [first, second]) for first, second in several]
    assert_same_tables(routing, min_routes(routing), min_reach(routing))
    assert keys == [routing.routing_key(first, [first, second]) for first, second in several]


def test_a_wrong_interval_is_noticed():
    routing = SpamRouting(SpamLabels(lattice_network(20, seed=1)), 32)
    reach = spam_reach(routing)
    reach.end[reach.end.argmax()] -= 1
    with pytest.raises(AssertionError):
        assert_same_tables(routing, spam_routes(routing), reach)


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (lambda: SpamModel(SpamRouting(SpamLabels(lattice_network(40, seed=5)), 16)), SpamRoutes),
        pytest.param(
            lambda: MinModel(MinRouting(MinNetwork("bi-butterfly", 2, 4), 32)), MinRoutes, marks=pytest.mark.slow
        ),
    ],
)
def test_runs_are_the_same(make, kind, monkeypatch):
    by_tables, computed = make(), make()
    messages = build(by_tables, random_records(np.random.default_rng(1), by_tables, 150, cycles=300, body=20))
    expected = Simulation(by_tables, messages, engine=WORM).run()
    monkeypatch.setattr(tables, "MAX_TABLE_ROWS", 0)
    simulation = Simulation(computed, messages, engine=WORM)
    assert isinstance(simulation._router_state.tables.routes, kind)
    assert differences(simulation.run(), expected) == []


def test_given_tables_are_looked_up_however_large(monkeypatch):
    monkeypatch.setattr(tables, "MAX_TABLE_ROWS", 0)
    routing = SpamRouting(SpamLabels(lattice_network(9, seed=1)), 32)
    routing.routes[0] = 0
    simulation = Simulation(SpamModel(routing), build(SpamModel(routing), []))
    assert (simulation.router_state.tables.routes[0] == 0).all()


# Reports of routers with tables: the lines of a worm across two switches, and the input that an owner waits for.


def spam() -> Simulation:
    return simulate(spam_model(Network(2, [(0, 1)], [0, 1]), buffer_flits=1), [Message(0, [1], 8, start_cycle=0)])


def multistage() -> Simulation:
    model = MinModel(MinRouting(MinNetwork("baseline", 2, 2, 1), 32), buffer_flits=1)
    return simulate(model, [Message(0, [1], 8, start_cycle=0)])


def test_report_of_a_spam_router():
    simulation = spam()
    simulation.run(6)
    assert simulation.describe_router(1).splitlines() == [
        "router s1: route unit turn 1, age order []",
        "  input 0 s0->s1 (tree): [m0.1] scanned 1 delay 0 request {1} active",
        "  input 1 p1->s1 (up): [empty] scanned 0 delay 0 request {}",
        "  output 0 s1->s0: empty, free",
        "  output 1 s1->p1: empty, owned by input 0",
    ]


def test_report_of_a_switch():
    simulation = multistage()
    simulation.run(7)
    assert simulation.describe_router(0).splitlines() == [
        "router s0_0: route unit turn 1, token of group 0 free at place 1, this is 0",
        "  input 0 p0->s0_0 (forward): [empty] scanned 1 delay 0 request {0} owed {0} copied {} queued standing",
        "  input 1 p1->s0_0 (forward): [empty] scanned 0 delay 0 request {} owed {} copied {}",
        "  output 0 s0_0->s1_0: m0.2, owned by input 0",
        "  output 1 s0_0->s1_1: empty, free",
    ]


@pytest.mark.parametrize(
    ("make", "sink", "feeder"), [(spam, "s0->s1", "p0->s0"), (multistage, "s0_0->s1_0", "p0->s0_0")]
)
def test_an_owner_without_flits_waits_for_the_input_that_feeds_it_and_nobody_for_a_host(make, sink, feeder):
    simulation = make()
    simulation.run(5)  # the buffers of one flit are empty in every second cycle
    number = {channel.name: channel.index for channel in simulation.model.network.channels}
    waits = simulation.model.waits(simulation.state, simulation.router_state)
    assert waits == [Wait(number[sink], -1, (number[feeder],), f"for more flits from {feeder}")]
