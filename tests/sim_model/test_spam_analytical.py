"""The closed form of docs/look_up/timing_spam.md against simulation of single messages."""

import numpy as np
import pytest

from hydranoc.studies.spam.analytical import closed_form_latency, uncontended_paths
from sim_model.messages.messages import Message
from tests.networks import figure_1, with_own_lengths
from tests.sim_model.builders import pick, random_network, simulate, spam_model
from topology.common.part_headers import BIT_STRING, HEADER_KINDS


def latencies(model, source, destinations, flits, startup_cycles):
    """Closed form and simulation, by destination."""
    closed = closed_form_latency(
        model.routing,
        source,
        destinations,
        flits,
        buffer_flits=model.buffer_flits,
        routing_cycles=model.routing_cycles,
        startup_cycles=startup_cycles,
        link_cycles=model.link_cycles,
    )
    simulation = simulate(model, [Message(source, destinations, flits, start_cycle=3)], startup_cycles)
    results = simulation.run()
    return closed, dict(zip(results.messages.destinations.tolist(), (results.arrival_cycle - 3).tolist(), strict=True))


@pytest.mark.parametrize("seed", range(120))
def test_closed_form_equals_simulation(seed):
    random = np.random.default_rng(seed)
    network = random_network(random, 290 if seed % 12 == 0 else None)
    model = spam_model(
        network,
        flit_bits=8 if seed % 12 == 0 else pick(random, 8, 16, 32, 64, 512),
        root=int(random.integers(network.switches)),
        buffer_flits=pick(random, 1, 2, 4),
        routing_cycles=pick(random, 1, 2, 3, 4, 7),
        link_cycles=pick(random, 1, 1, 2, 3, 5, 16),
        header_kind=BIT_STRING if seed % 12 == 0 else pick(random, *HEADER_KINDS),
    )
    processors = len(network.processors)
    source, *others = random.permutation(processors).tolist()
    for destinations in (others[:1], others[:3], others):
        flits = model.header_flits(destinations) + pick(random, 0, 1, 5, 60)
        closed, simulated = latencies(model, source, destinations, flits, pick(random, 0, 9))
        assert max(simulated.values()) == max(closed.values())
        assert all(closed[destination] <= simulated[destination] for destination in closed)
        if len(destinations) == 1:
            assert simulated == closed


@pytest.mark.parametrize("seed", range(20))
def test_closed_form_knows_the_length_of_each_link(seed):
    random = np.random.default_rng(seed)
    model = spam_model(with_own_lengths(random_network(random), random), link_cycles=pick(random, 1, 2))
    source, destination = random.permutation(len(model.network.processors)).tolist()[:2]
    closed, simulated = latencies(model, source, [destination], model.header_flits([destination]) + 5, 0)
    assert simulated == closed


def test_paper_example_takes_the_ways_of_figure_1():
    # SPAM Sec. 3.2: processor 5 to 8, 9, 10 and 11; the LCA is switch 4, over 1 here (lowest among equals).
    model = spam_model(figure_1(), root=0)
    paths = uncontended_paths(model.routing, 0, [1, 2, 3, 4])
    names = {d: [model.network.channels[c].name for c in path.channels] for d, path in paths.items()}
    assert names[1] == ["p0->s1", "s1->s0", "s0->s3", "s3->s4", "s4->p1"]
    assert names[4] == ["p0->s1", "s1->s0", "s0->s3", "s3->s5", "s5->p4"]
    assert (paths[1].search_switches, paths[1].split_switches) == (2, 2)


def test_paper_timing():
    # 10 us + 40 ns per switch + 10 ns per channel + 127 flits of 10 ns, cycles of 10 ns (SPAM Sec. 4).
    model = spam_model(figure_1(), root=0, flit_bits=512, routing_cycles=4)
    closed, simulated = latencies(model, 0, [1, 2, 3, 4], 128, 1000)
    assert simulated == closed == dict.fromkeys([1, 2, 3, 4], 1000 + 4 * 4 + 5 + 127)
