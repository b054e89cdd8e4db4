"""The golden model of HARTS: copies, latencies, finite memories, faults, and hosts without ports."""

from typing import Any

import numpy as np
import pytest

from sim_model.engines.cycle.state import NONE
from sim_model.engines.simulation import Simulation
from sim_model.harts.memory_hosts import MemoryHostsModel
from sim_model.harts.model import HartsModel
from tests.sim_model.builders import PAPER_ALGORITHMS, broadcast, build, harts_model, mixed_traffic, simulate
from topology.harts.broadcast import ALGORITHM_A, COPIES
from topology.harts.faults import Faults
from topology.harts.frame import PROCESSOR_SLOT, SLOTS
from topology.harts.routing import operation

MAX_SIZE_ROUND = 4  # a path round a larger mesh needs more pages than a node can have
BROADCASTS = [
    pytest.param(size, algorithm, marks=[pytest.mark.slow] if size > 7 else [])
    for size in range(2, 16)
    for algorithm in COPIES
    if algorithm != ALGORITHM_A or size <= MAX_SIZE_ROUND
]


def copy_log(simulation: Simulation) -> Any:
    """Copies delivered to hosts so far."""
    return simulation.results().copy_log


@pytest.mark.parametrize(("size", "algorithm"), BROADCASTS)
def test_every_node_gets_its_copies_over_the_links_of_the_procedure(size, algorithm):
    flits, source = 3, 1
    model = harts_model(size, algorithm_a=algorithm == ALGORITHM_A)
    simulation = simulate(model, [broadcast(model, algorithm, source, flits)], count_channels=True)
    results = simulation.run()
    assert simulation.finished
    assert (results.lost, results.duplicated, results.disordered) == (0, 0, 0)
    mesh = model.network
    expected = model.routing.copies[operation(algorithm)]
    found = {((int(copy.node) - source) % mesh.nodes, int(copy.direction)): copy for copy in copy_log(simulation)}
    assert found.keys() == expected.keys()
    for place, copy in found.items():
        wanted = expected[place]
        assert (copy.hops, copy.stage, copy.spoilt) == (wanted.hops, wanted.stages, 0)
    links = [channel.index for channel in mesh.channels if max(channel.source, channel.sink) < mesh.nodes]
    moved = simulation.channel_counts().flits[links]
    assert set(moved.tolist()) <= {0, flits}  # at most one packet on each directed link
    assert moved.sum() == flits * COPIES[algorithm] * (mesh.nodes - 1)


@pytest.mark.parametrize("flits", [2, 9, 65])
def test_latencies_are_stages_and_cut_throughs(flits):
    """Table I: stages T + (hops - stages) d for every copy, with T = L + 1 frames and d = 1 frame."""
    for size in range(3, 8):
        model = harts_model(size)
        for algorithm in PAPER_ALGORITHMS:
            simulation = simulate(model, [broadcast(model, algorithm, 0, flits)])
            simulation.run()
            for copy in copy_log(simulation):
                frames = int(copy.stage) * (flits + 1) + int(copy.hops - copy.stage)
                # at first the host's packet is stored; and in a frame each direction has its slot
                assert copy.stored_cycle == SLOTS * (flits + 1 + frames) + copy.direction


@pytest.mark.parametrize("size", [2, 3, 4, 5])
@pytest.mark.parametrize("rate", [0.0005, 0.004, 0.02])
def test_every_packet_arrives_once_up_to_past_saturation(size, rate):
    model = harts_model(size)
    simulation = simulate(model, mixed_traffic(model, 6_000, rate, seed=size))
    results = simulation.run()
    assert not results.deadlocked
    assert (results.lost, results.duplicated, results.disordered, results.stray) == (0, 0, 0, 0)
    state = simulation.router_state
    assert (state.nodes.free == state.pages - 7).all()  # all but those that receivers keep
    assert not state.waiting.any()


@pytest.mark.parametrize("settings", [{"buffer_flits": 3}, {"gap_frames": 4}, {"relay_frames": 5}, {"pages": 30}])
def test_other_settings_deliver_as_well(settings):
    model = harts_model(3, **settings)
    results = simulate(model, mixed_traffic(model, 6_000, 0.004, seed=1)).run()
    assert (results.lost, results.duplicated, results.disordered, results.deadlocked) == (0, 0, 0, False)


@pytest.mark.parametrize("size", [3, 4, 5])
def test_without_classes_of_pages_packets_deadlock(size):
    """Negative control: the same packets, and the same number of pages."""
    for classed in (True, False):
        model = harts_model(size, classed=classed)
        simulation = simulate(model, mixed_traffic(model, 12_000, 0.004, seed=1, broadcasts=0.2))
        results = simulation.run()
        assert results.deadlocked is not classed
    assert "for a page behind" in simulation.deadlock_report()


FAULTS = Faults(silent_nodes=(5,), corrupting_nodes=(9, 11), dead_links=((0, 1), (14, 15)))


@pytest.mark.parametrize("algorithm", PAPER_ALGORITHMS)
def test_faults_let_through_what_the_topology_says(algorithm):
    model = harts_model(3, faults=FAULTS)
    mesh = model.network
    for source in (0, 3, 9):
        simulation = simulate(model, [broadcast(model, algorithm, source, 4)])
        simulation.run()
        surviving = {
            (copy.node, copy.direction): FAULTS.spoilt(copy)
            for copy in FAULTS.surviving_copies(mesh, algorithm, source)
        }
        found = {(int(copy.node), int(copy.direction)): bool(copy.spoilt) for copy in copy_log(simulation)}
        assert found == surviving


def test_loaded_mesh_with_faults_is_not_blocked_by_them():
    model = harts_model(4, faults=Faults((5, 20), (9,), ((0, 1),)))
    records = mixed_traffic(model, 8_000, 0.003, seed=2)
    results = simulate(model, records).run()
    broadcasts = results.messages.operation[results.messages.message_of_destination] > 0
    missing = np.maximum(results.messages.copies - results.copies, 0)
    assert not results.deadlocked
    assert results.duplicated == results.disordered == 0
    reachable = results.messages.copies > 0
    assert (missing[broadcasts & reachable] == 0).all()


@pytest.mark.parametrize("slot", range(SLOTS))
def test_copies_are_stored_in_the_frame_that_the_documents_say(slot):
    """docs/look_up/timing_harts.md: frames count from the one in whose slot 6 the node takes the head from its host."""
    model, flits, start = harts_model(3), 5, 20 * SLOTS + slot
    messages = build(model, [broadcast(model, "2-bcast", 0, flits, start)])
    taken = start // SLOTS + (slot > 4)
    log = Simulation(model, messages).run().copy_log
    assert log is not None
    for copy in log:
        frames, at = divmod(int(copy["stored_cycle"]), SLOTS)
        sends, links = int(copy["stage"]), int(copy["hops"])
        assert at == copy["direction"]
        assert frames - taken == (sends + 1) * (flits + 1) + (links - sends) - 1


# Hosts that get packets where they are stored: the same arrivals in an idle mesh, and no busy port in a loaded one.


def simulated(model: HartsModel, records) -> Simulation:
    simulation = simulate(model, records)
    results = simulation.run()
    assert simulation.finished
    assert (results.lost, results.duplicated, results.disordered, results.stray) == (0, 0, 0, 0)
    return simulation


def arrivals(simulation: Simulation) -> dict[tuple[int, int, int], tuple[int, int]]:
    """When each copy was stored and delivered, by message, node and direction."""
    log = simulation.results().copy_log
    assert log is not None
    return {(c.message, c.node, c.direction): (c.stored_cycle, c.cycle) for c in log.view(np.recarray)}


@pytest.mark.parametrize("algorithm", PAPER_ALGORITHMS)
def test_copies_arrive_as_they_do_with_ports(algorithm):
    model = harts_model(4)
    records = [broadcast(model, algorithm, 3, 9)]
    with_ports = arrivals(simulated(model, records))
    found = arrivals(simulated(MemoryHostsModel(model.routing), records))
    assert {copy: stored for copy, (stored, _) in found.items()} == {c: stored for c, (stored, _) in with_ports.items()}
    for stored, delivered in found.values():
        assert delivered % SLOTS == PROCESSOR_SLOT  # when the network processor reads it
        assert 0 < delivered - stored <= 2 * SLOTS


@pytest.mark.parametrize("size", [2, 3, 5])
def test_all_pages_come_back(size):
    model = MemoryHostsModel(harts_model(size).routing)
    simulation = simulated(model, mixed_traffic(model, 6_000, 0.004, seed=size))
    state = simulation.router_state
    kept = np.count_nonzero(state.receivers.landing != NONE)
    assert state.nodes.free.sum() + kept == state.pages * model.network.nodes
    assert not state.waiting.any()


def test_many_copies_do_not_wait_for_ports():
    """At a load that the links carry and the ports do not, copies in memories free their pages at once."""
    model = harts_model(3, pages=48)
    records = mixed_traffic(model, 12_000, 0.002, seed=1, broadcasts=0.1, flits=(20, 21), algorithms=("6-bcast",))
    with_ports = simulated(model, records).results()
    without = simulated(MemoryHostsModel(model.routing, pages=48), records).results()
    assert without.cycles < 0.75 * with_ports.cycles
