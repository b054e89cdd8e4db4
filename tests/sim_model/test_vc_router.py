"""The router with VCs against the slow reference: every VC and every credit wire in every cycle."""

import numpy as np
import pytest

from sim_model.messages.messages import Message
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
    for cycle, vc in slow.unroutable:
        unroutable[cycle + REPORT_CYCLES :, vc] = 1
    assert (trace.signals[:, links : links + len(model.network.channels)] == unroutable).all()
    return simulation, slow


def random_model(random, **given):
    rows, columns = pick(random, (2, 2), (3, 3), (1, 5), (4, 3), (3, 1), (2, 5), (4, 4))
    parameters = {
        "vcs": pick(random, 1, 2, 3, 4),
        "wraps": bool(random.integers(2)),
        "vc_rule": pick(random, "dally-seitz", "dateline", "balanced"),
        "buffer_flits": pick(random, 1, 2, 3, 4, 8),
        "routing_cycles": pick(random, 1, 1, 2, 3, 5),
        "vc_reallocation": pick(random, "tail", "empty"),
        "injection_priority": pick(random, "equal", "low"),
        "flit_bits": pick(random, 8, 32),
    }
    return torus_model(rows, columns, **{**parameters, **given})


@pytest.mark.parametrize("seed", range(40))
def test_every_cycle_equals_the_reference(seed):
    random = np.random.default_rng(seed)
    model = random_model(random, vcs=(1, 2, 3, 4, 8)[seed % 5], routing_cycles=1 + seed % 3)
    nodes = len(model.network.processors)
    records = random_records(random, model, 6 * nodes, cycles=80, body=int(random.integers(0, 12)))
    compare(model, records, 220, int(pick(random, 0, 0, 3)))


@pytest.mark.parametrize("seed", range(16))
def test_hosts_that_hold_back_equal_the_reference(seed):
    random = np.random.default_rng(seed)
    model = random_model(random, vcs=1 + seed % 4, wraps=seed % 3 > 0)
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


def arrivals_at_node_7(records, **parameters):
    """When messages arrive that all leave switch 4, the middle of a mesh, on its one VC to switch 7.

    Its inputs are, in the order of ports, those from switches 3, 5, 1 and 7, and the host's.
    """
    model = torus_model(3, 3, 1, wraps=False, **parameters)
    return compare(model, records, 60)[0].results().arrival_cycle.tolist()


def test_a_request_that_is_not_good_costs_the_output_a_cycle():
    # The host's head comes while the worm from switch 1 has the lane. It is first, for the turn is behind that worm.
    worm = Message(1, [7], 20)
    assert arrivals_at_node_7([worm]) == [28]
    assert arrivals_at_node_7([worm, Message(4, [7], 1, start_cycle=10)]) == [29, 31]


def test_flits_from_a_processor_come_last_if_so_wanted():
    # After message 0 it is the host's turn. Its head requests in the same cycle as that from switch 3.
    records = [Message(1, [7], 1), Message(4, [7], 4, start_cycle=10), Message(3, [7], 4, start_cycle=8)]
    assert arrivals_at_node_7(records)[1:] == [20, 26]
    assert arrivals_at_node_7(records, injection_priority="low")[1:] == [26, 20]


def test_a_request_that_is_not_the_first_one_stays_even_if_it_is_not_good():
    # Two heads come in the same cycle while a worm has the lane. One is dropped after the other, in two cycles.
    heads = [Message(source, [7], 1, start_cycle=9) for source in (3, 5)]
    assert arrivals_at_node_7([Message(1, [7], 20), *heads]) == [30, 32, 34]


def test_the_turn_stays_when_a_request_is_dropped():
    # Message 0 takes the one credit. The head of message 1 requests at the host's turn and is dropped. When the credit
    # is back it requests again, beside message 2 from switch 3, and it is still the host's turn.
    records = [Message(1, [7], 1), Message(4, [7], 1, start_cycle=4), Message(3, [7], 1, start_cycle=4)]
    assert arrivals_at_node_7(records, buffer_flits=1) == [8, 12, 16]
