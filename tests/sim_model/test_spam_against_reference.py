"""The engine against the slow reference with literal OCRQs: every channel in every cycle, and every ejected flit.

This is where one age matrix per router is held against one queue per output.
"""

import numpy as np
import pytest

from tests.networks import with_own_lengths, with_parallel_links
from tests.sim_model.builders import pick, random_network, random_records, simulate, spam_model
from tests.sim_model.spam_reference import ReferenceNetwork
from topology.common.deadlock import check_deadlock
from topology.common.part_headers import PARTS
from topology.spam.deadlock import spam_dependencies
from topology.spam.reachability import unreached_pairs


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


@pytest.mark.parametrize("seed", range(16))
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


@pytest.mark.parametrize("seed", range(16))
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


@pytest.mark.parametrize("seed", range(12))
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


@pytest.mark.parametrize("seed", range(8))
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


@pytest.mark.parametrize("seed", range(8))
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


@pytest.mark.parametrize("seed", range(4))
def test_a_key_longer_than_a_flit_equals_the_reference(seed):
    random = np.random.default_rng(seed)
    model = spam_model(
        random_network(random, 290), flit_bits=8, buffer_flits=pick(random, 1, 2), routing_cycles=pick(random, 1, 3)
    )
    assert model.routing.header.key_flits == 2
    compare(model, random_records(random, model, 12, cycles=20, body=4), 0, 150)


@pytest.mark.parametrize("seed", range(6))
def test_illegal_routes_equal_the_reference(seed):
    random = np.random.default_rng(seed)
    model = spam_model(random_network(random), up_after_down=True, routing_cycles=pick(random, 1, 2))
    compare(model, random_records(random, model, 30, cycles=30, body=10), 0, 200)
