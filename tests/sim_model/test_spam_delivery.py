"""Every message arrives once, in order and unaltered, at any load."""

import numpy as np
import pytest

from sim_model.messages.messages import Message
from sim_model.traffic import random_traffic
from tests.networks import random_irregular, ring
from tests.sim_model.builders import build, pick, random_network, random_records, simulate, spam_model
from topology.common.pattern import payload_seed, payload_word


@pytest.mark.parametrize("seed", range(40))
def test_exactly_once_past_saturation(seed):
    random = np.random.default_rng(seed)
    model = spam_model(
        random_network(random),
        flit_bits=pick(random, 8, 16, 24, 32, 64),
        buffer_flits=pick(random, 1, 2, 4),
        routing_cycles=pick(random, 1, 2, 3, 4),
    )
    simulation = simulate(model, random_records(random, model, 600, cycles=500, body=40), pick(random, 0, 20))
    results = simulation.run()
    assert simulation.finished
    assert (results.lost, results.duplicated, results.disordered, results.deadlocked) == (0, 0, 0, False)
    assert results.deliveries == len(results.messages.destinations)


@pytest.mark.parametrize("flit_bits", [8, 33, 64])
def test_flits_arrive_in_order_with_their_data(flit_bits):
    random = np.random.default_rng(flit_bits)
    model = spam_model(random_irregular(3), flit_bits=flit_bits)
    simulation = simulate(model, random_records(random, model, 60, cycles=100, body=10))
    arrived: dict[tuple[int, int], list[int]] = {}
    while not simulation.finished:
        for processor, message, flit in simulation.step().ejected:
            arrived.setdefault((message, processor), []).append(flit)
    messages = simulation.messages
    assert len(arrived) == len(messages.destinations)
    for (message, processor), flits in arrived.items():
        assert processor in messages.destinations_of(message)
        assert flits == list(range(messages.flits[message]))
        _check_data(simulation, message)


def _check_data(simulation, message):
    messages, header = simulation.messages, simulation.model.routing.header
    destinations = messages.destinations_of(message).tolist()
    count = simulation.model.header_flits(destinations)
    bits = sum(simulation.data_of(message, k) << k * header.flit_bits for k in range(count))
    (lca, source), wanted = header.unpack(bits)
    assert source == messages.source[message]
    assert lca == simulation.model.routing.labels.lowest_common_ancestor(destinations)
    if len(destinations) > 1:
        assert [processor for processor in range(header.destinations) if wanted >> processor & 1] == destinations
    for flit in range(count, messages.flits[message]):
        expected = payload_word(payload_seed(message), flit - count, header.flit_bits)
        assert simulation.data_of(message, flit) == expected


def test_offered_traffic_beyond_saturation_drains():
    network = random_irregular(5, switches=10)
    model = spam_model(network)
    records = random_traffic(
        processors=len(network.processors),
        cycles=3000,
        seed=1,
        messages_per_node_per_cycle=0.02,
        multicast_fraction=0.3,
        destinations=4,
        flits=30,
    )
    results = simulate(model, records).run()
    assert results.cycles > 3300
    assert (results.lost, results.duplicated) == (0, 0)


def test_lost_and_strayed_messages_are_counted_not_assumed():
    # Processors 1 and 2 swap places in the reach table, so a message for 1 goes to 2.
    model = spam_model(random_irregular(5, switches=4), flit_bits=512)
    source, right, wrong = 0, 1, 2
    records = random_records(np.random.default_rng(0), model, 1, cycles=1, body=3)
    simulation = simulate(model, [*records, Message(source, [right, 3], 6, start_cycle=500)])
    reach_ports = simulation.router_state.tables.reach_ports
    reach_ports[:, [right, wrong]] = reach_ports[:, [wrong, right]]
    message = len(records)
    results = simulation.run()
    assert results.lost >= 1
    assert results.stray >= 1
    assert results.duplicated >= 1
    assert results.latency_cycles[message] == -1


def test_results_by_group_and_kind():
    model = spam_model(ring(6))
    records = [
        Message(0, [1], 10, start_cycle=5),
        Message(0, [1, 2, 3], 10, start_cycle=100),
        Message(0, [4], 10, start_cycle=300, group=7),
        Message(4, [5], 10, parents=(2,), group=7),
    ]
    results = simulate(model, records).run()
    assert results.groups.tolist() == [0, 1, 7]
    assert results.group_start_cycle.tolist() == [5, 100, 300]
    assert results.group_destinations.tolist() == [1, 3, 2]
    assert results.group_latency_cycles[2] == results.arrival_cycle[-1] - 300
    assert len(results.complete_latencies(multicast=False)) == 1
    assert len(results.complete_latencies(multicast=True)) == 2
    assert len(results.complete_latencies(multicast=True, warmup_cycles=101)) == 1
    assert len(build(model, records)) == 4
