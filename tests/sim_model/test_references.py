"""The engine against slow references: every channel in every cycle, and every ejected flit."""

import numpy as np
import pytest

from sim_model.messages.messages import Message
from tests.networks import with_own_lengths, with_parallel_links
from tests.sampled import sampled
from tests.sim_model import torus_traffic
from tests.sim_model.builders import pick, random_network, random_records, simulate, spam_model
from tests.sim_model.references import ReferenceNetwork
from tests.sim_model.torus_traffic import reference, torus_model
from topology.common.deadlock import check_deadlock
from topology.common.host_pattern import EAGER, Blockade, HostBehaviour, level_of
from topology.common.input_errors import REPORT_CYCLES
from topology.common.part_headers import PARTS
from topology.spam.deadlock import spam_dependencies
from topology.spam.reachability import unreached_pairs

# The engine against the slow reference with literal OCRQs: every channel in every cycle, and every ejected flit.


def compare(model, records, startup_cycles, cycles):
    simulation = simulate(model, records, startup_cycles)
    reference = ReferenceNetwork(
        model.routing,
        records,
        buffer_flits=model.buffer_flits,
        routing_cycles=model.routing_cycles,
        enqueue=model.enqueue,
        startup=startup_cycles,
        link_cycles=model.link_cycles,
    )
    trace = simulation.record(cycles)
    expected = np.array([reference.cycle() for _ in range(cycles)], dtype=np.uint8)
    wrong = np.flatnonzero((trace.moved != expected).any(axis=1))
    assert len(wrong) == 0, f"first difference in cycle {wrong[0]}: {trace.moved[wrong[0]]} {expected[wrong[0]]}"
    ejected = [
        (int(cycle), int(node), int(trace.ejected_message[cycle, node]), int(trace.ejected_flit[cycle, node]))
        for cycle, node in np.argwhere(trace.ejected_message >= 0)
    ]
    assert ejected == sorted(reference.delivered)
    return simulation


@pytest.mark.parametrize("seed", sampled(range(16), range(3)))
@pytest.mark.parametrize("enqueue", ["atomic", "split"])
def test_every_cycle_equals_the_reference(seed, enqueue):
    random = np.random.default_rng(seed)
    model = spam_model(
        random_network(random),
        flit_bits=pick(random, 8, 11, 16, 32, 64),
        buffer_flits=pick(random, 1, 2, 4),
        routing_cycles=pick(random, 1, 1, 2, 3, 4, 7),
        enqueue=enqueue,
    )
    records = random_records(random, model, 40, cycles=50, body=int(random.integers(0, 20)))
    compare(model, records, int(pick(random, 0, 0, 5)), 240)


@pytest.mark.parametrize("seed", sampled(range(16), range(3)))
def test_headers_of_parts_equal_the_reference(seed):
    random = np.random.default_rng(seed)
    model = spam_model(
        random_network(random, None if seed % 4 else 60),
        header_kind=PARTS,
        flit_bits=pick(random, 8, 11, 16) if seed % 4 else 8,
        buffer_flits=pick(random, 1, 2, 4),
        routing_cycles=pick(random, 1, 1, 2, 3),
    )
    assert seed % 4 or model.routing.header.unicast_flits == 2  # and the second flit has only a field
    records = random_records(random, model, 40, cycles=50, body=int(random.integers(0, 20)))
    compare(model, records, 0, 300)


@pytest.mark.parametrize("seed", sampled(range(12), range(2)))
def test_links_of_several_cycles_equal_the_reference(seed):
    random = np.random.default_rng(seed)
    model = spam_model(
        random_network(random),
        flit_bits=pick(random, 8, 16, 32),
        buffer_flits=pick(random, 1, 2, 4),
        routing_cycles=pick(random, 1, 1, 2, 4),
        link_cycles=(2, 3, 5, 16)[seed % 4],
    )
    records = random_records(random, model, 40, cycles=50, body=int(random.integers(0, 20)))
    compare(model, records, 0, 300)


@pytest.mark.parametrize("seed", sampled(range(8), range(2)))
def test_links_of_different_lengths_equal_the_reference(seed):
    random = np.random.default_rng(seed)
    model = spam_model(
        with_own_lengths(random_network(random), random),
        flit_bits=pick(random, 8, 16, 32),
        buffer_flits=pick(random, 1, 2, 4),
        routing_cycles=pick(random, 1, 1, 2, 4),
        link_cycles=pick(random, 1, 2),
    )
    records = random_records(random, model, 40, cycles=50, body=int(random.integers(0, 20)))
    compare(model, records, 0, 300)


@pytest.mark.parametrize("seed", sampled(range(8), range(2)))
def test_parallel_links_equal_the_reference(seed):
    random = np.random.default_rng(seed)
    model = spam_model(
        with_parallel_links(random_network(random, int(random.integers(2, 8))), random),
        flit_bits=pick(random, 8, 16, 32),
        buffer_flits=pick(random, 1, 2, 4),
        routing_cycles=pick(random, 1, 1, 2, 4),
    )
    assert check_deadlock(spam_dependencies(model.routing)).free
    assert unreached_pairs(model.routing) == []
    records = random_records(random, model, 40, cycles=50, body=int(random.integers(0, 20)))
    compare(model, records, 0, 300)


@pytest.mark.parametrize("seed", sampled(range(4), range(1)))
def test_a_key_longer_than_a_flit_equals_the_reference(seed):
    random = np.random.default_rng(seed)
    model = spam_model(
        random_network(random, 290), flit_bits=8, buffer_flits=pick(random, 1, 2), routing_cycles=pick(random, 1, 3)
    )
    assert model.routing.header.key_flits == 2
    compare(model, random_records(random, model, 12, cycles=20, body=4), 0, 150)


@pytest.mark.parametrize("seed", sampled(range(6), range(2)))
def test_illegal_routes_equal_the_reference(seed):
    random = np.random.default_rng(seed)
    model = spam_model(random_network(random), up_after_down=True, routing_cycles=pick(random, 1, 2))
    compare(model, random_records(random, model, 30, cycles=30, body=10), 0, 200)


# The router with VCs against the slow reference: every VC and every credit wire in every cycle.

HELD_BACK = HostBehaviour(level_of(0.3), level_of(0.4), seed=7, blocked=(Blockade(1, 60, 90),))


def compare_vcs(model, records, cycles, startup_cycles=0, hosts=EAGER):
    """Run both and compare; returns both."""
    simulation, slow = (
        simulate(model, records, startup_cycles, hosts=hosts),
        reference(model, records, startup_cycles, hosts),
    )
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


@pytest.mark.parametrize("seed", sampled(range(40), range(6)))
def test_every_cycle_of_vcs_equals_the_reference(seed):
    random = np.random.default_rng(seed)
    model = random_model(random, vcs=(1, 2, 3, 4, 8)[seed % 5], routing_cycles=1 + seed % 3)
    nodes = len(model.network.processors)
    records = torus_traffic.random_records(random, model, 6 * nodes, cycles=80, body=int(random.integers(0, 12)))
    compare_vcs(model, records, 220, int(pick(random, 0, 0, 3)))


@pytest.mark.parametrize("seed", sampled(range(16), range(3)))
def test_hosts_that_hold_back_equal_the_reference(seed):
    random = np.random.default_rng(seed)
    model = random_model(random, vcs=1 + seed % 4, wraps=seed % 3 > 0)
    nodes = len(model.network.processors)
    records = torus_traffic.random_records(random, model, 5 * nodes, cycles=80, body=int(random.integers(0, 8)))
    compare_vcs(model, records, 260, hosts=HELD_BACK)


@pytest.mark.parametrize("seed", sampled(range(10), range(2)))
def test_worms_without_a_way_equal_the_reference(seed):
    random = np.random.default_rng(seed)
    model = random_model(random, wraps=False, routing_cycles=1 + seed % 4)
    nodes = len(model.network.processors)
    records = torus_traffic.random_records(
        random, model, 5 * nodes, cycles=80, body=int(random.integers(0, 8)), turned=0.4
    )
    simulation, slow = compare_vcs(model, records, 260)
    assert len(slow.unroutable) > 0
    assert simulation.results().discarded == len(slow.unroutable)


def arrivals_at_node_7(records, **parameters):
    """When messages arrive that all leave switch 4, the middle of a mesh, on its one VC to switch 7.

    Its inputs are, in the order of ports, those from switches 3, 5, 1 and 7, and the host's.
    """
    model = torus_model(3, 3, 1, wraps=False, **parameters)
    return compare_vcs(model, records, 60)[0].results().arrival_cycle.tolist()


def test_a_request_that_is_not_good_costs_the_output_a_cycle():
    # The host's head comes while the worm from switch 1 has the VC. It is first, for the turn is behind that worm.
    worm = Message(1, [7], 20)
    assert arrivals_at_node_7([worm]) == [28]
    assert arrivals_at_node_7([worm, Message(4, [7], 1, start_cycle=10)]) == [29, 31]


def test_flits_from_a_processor_come_last_if_so_wanted():
    # After message 0 it is the host's turn. Its head requests in the same cycle as that from switch 3.
    records = [Message(1, [7], 1), Message(4, [7], 4, start_cycle=10), Message(3, [7], 4, start_cycle=8)]
    assert arrivals_at_node_7(records)[1:] == [20, 26]
    assert arrivals_at_node_7(records, injection_priority="low")[1:] == [26, 20]
