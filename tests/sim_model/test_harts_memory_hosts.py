"""Hosts that get packets where they are stored: the same arrivals in an idle mesh, and no busy port in a loaded one."""

import numpy as np
import pytest

from sim_model.engines.cycle.state import NONE
from sim_model.engines.simulation import Simulation
from sim_model.harts.memory_hosts import MemoryHostsModel
from sim_model.harts.model import HartsModel
from tests.sim_model.harts_traffic import PAPER_ALGORITHMS, broadcast, built, harts_model, mixed_traffic
from topology.harts.frame import PROCESSOR_SLOT, SLOTS


def simulated(model: HartsModel, records) -> Simulation:
    simulation = Simulation(model, built(model, records))
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
