"""The router with lanes against the slow reference: every lane and every credit wire in every cycle."""

import numpy as np
import pytest

from tests.sim_model.builders import pick
from tests.sim_model.torus_traffic import random_records, reference, simulate, torus_model
from topology.common.host_pattern import EAGER, Blockade, HostBehaviour, level_of
from topology.common.input_errors import REPORT_CYCLES

HELD_BACK = HostBehaviour(level_of(0.3), level_of(0.4), seed=7, blocked=(Blockade(1, 60, 90),))


def compare(model, records, cycles, startup_cycles=0, hosts=EAGER):
    """Run both and compare; returns both."""
    simulation, slow = simulate(model, records, startup_cycles, hosts), reference(model, records, startup_cycles, hosts)
    trace = simulation.record(cycles)
    wires, moved = [], []
    for _ in range(cycles):
        wires.append(slow.wires())
        moved.append(slow.cycle())
    links = sum(wire.bits for wire in model.side_wires)
    for name, got, expected in (
        ("moved", trace.moved, np.array(moved, dtype=bool)),
        ("credits", trace.signals[:, :links], np.array(wires, dtype=np.uint8).reshape(cycles, links)),
    ):
        wrong = np.argwhere(got != expected)
        assert len(wrong) == 0, f"{name} differs first in cycle {wrong[0][0]}, bit {wrong[0][1]} of {len(wrong)}"
    ejected = [
        (int(cycle), int(node), int(trace.ejected_message[cycle, node]), int(trace.ejected_flit[cycle, node]))
        for cycle, node in np.argwhere(trace.ejected_message >= 0)
    ]
    assert ejected == sorted(slow.delivered)
    unroutable = np.zeros((cycles, len(model.network.channels)), dtype=np.uint8)
    for cycle, lane in slow.unroutable:
        unroutable[cycle + REPORT_CYCLES :, lane] = 1
    assert (trace.signals[:, links : links + len(model.network.channels)] == unroutable).all()
    return simulation, slow


def random_model(random, **given):
    rows, columns = pick(random, (2, 2), (3, 3), (1, 5), (4, 3), (3, 1), (2, 5), (4, 4))
    parameters = {
        "lanes": pick(random, 1, 2, 3, 4),
        "wraps": bool(random.integers(2)),
        "lane_rule": pick(random, "dally-seitz", "dateline", "balanced"),
        "buffer_flits": pick(random, 1, 2, 3, 4, 8),
        "routing_cycles": pick(random, 1, 1, 2, 3, 5),
        "lane_reuse": pick(random, "tail", "empty"),
        "flit_bits": pick(random, 8, 32),
    }
    return torus_model(rows, columns, **{**parameters, **given})


@pytest.mark.parametrize("seed", range(40))
def test_every_cycle_equals_the_reference(seed):
    random = np.random.default_rng(seed)
    model = random_model(random, lanes=1 + seed % 4, routing_cycles=1 + seed % 3)
    nodes = len(model.network.processors)
    records = random_records(random, model, 6 * nodes, cycles=80, body=int(random.integers(0, 12)))
    compare(model, records, 220, int(pick(random, 0, 0, 3)))


@pytest.mark.parametrize("seed", range(16))
def test_hosts_that_hold_back_equal_the_reference(seed):
    random = np.random.default_rng(seed)
    model = random_model(random, lanes=1 + seed % 4, wraps=seed % 3 > 0)
    nodes = len(model.network.processors)
    records = random_records(random, model, 5 * nodes, cycles=80, body=int(random.integers(0, 8)))
    compare(model, records, 260, hosts=HELD_BACK)


@pytest.mark.parametrize("seed", range(10))
def test_worms_without_a_way_equal_the_reference(seed):
    random = np.random.default_rng(seed)
    model = random_model(random, wraps=False, routing_cycles=1 + seed % 4)
    nodes = len(model.network.processors)
    records = random_records(random, model, 5 * nodes, cycles=80, body=int(random.integers(0, 8)), turned=0.4)
    simulation, slow = compare(model, records, 260)
    assert len(slow.unroutable) > 0
    assert simulation.results().discarded == len(slow.unroutable)
