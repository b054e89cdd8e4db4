"""The golden model of SPAM: cycles worked out by hand, closed form, deliveries, deadlocks."""

import numpy as np
import pytest

from hydranoc.studies.spam.analytical import closed_form_latency, uncontended_paths
from sim_model.messages.messages import Message
from tests.networks import figure_1, random_irregular, ring, with_own_lengths
from tests.sim_model.builders import build, pick, random_network, random_records, simulate, spam_model
from topology.common.graph import Network
from topology.common.part_headers import BIT_STRING, HEADER_KINDS

# Processor 0 on switch 0, processor 1 on switch 1.
TWO_SWITCHES = Network(2, [(0, 1)], [0, 1])


def moved_names(simulation, cycles):
    """Names of the channels that moved, by cycle."""
    trace = simulation.record(cycles)
    names = [channel.name for channel in simulation.model.network.channels]
    return [{name for name, moved in zip(names, row, strict=True) if moved} for row in trace.moved]


def test_a_unicast_of_three_flits_with_look_ahead():
    # Accepted in 0, flits on the injection link in 1, 2, 3. The header is decoded while it moves (1), granted and
    # copied in 2, on the link in 3; again two cycles later on the delivery link.
    simulation = simulate(spam_model(TWO_SWITCHES, routing_cycles=1), [Message(0, [1], 3)])
    assert moved_names(simulation, 9) == [
        set(),
        {"p0->s0"},
        {"p0->s0"},
        {"p0->s0", "s0->s1"},
        {"s0->s1"},
        {"s0->s1", "s1->p1"},
        {"s1->p1"},
        {"s1->p1"},
        set(),
    ]


def test_two_headers_for_one_output_go_in_turn():
    # One switch, processors 0, 1 and 2 on ports 0, 1, 2. Both headers arrive in 1; the route unit takes input 0 in
    # 1 and input 1 in 2. Message 0 (2 flits) copies its tail in 3 and releases; message 1 is granted in 4 and is on
    # the link in 5.
    network = Network(1, [], [0, 0, 0])
    simulation = simulate(spam_model(network), [Message(0, [2], 2), Message(1, [2], 2)])
    steps = [simulation.step() for _ in range(8)]
    assert [step.ejected for step in steps] == [[], [], [], [(2, 0, 0)], [(2, 0, 1)], [(2, 1, 0)], [(2, 1, 1)], []]
    assert steps[0].accepted == [(0, 0), (1, 1)]


# The closed form of docs/look_up/timing_spam.md against simulation of single messages.


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


# Every message arrives once, in order and unaltered, at any load.


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


# The negative controls deadlock, the same jobs under the paper's rules do not, and waiting is no deadlock.

# Two multicasts to the same four processors below one switch. The serial enqueuer begins at the port number of the
# input, so the first enters the queues of 1, 2, 4, 5, the second those of 4, 5, 1, 2.
STAR = Network(1, [], [0] * 6)
CONFLICTING = [Message(0, [1, 2, 4, 5], 20), Message(3, [1, 2, 4, 5], 20)]


def test_split_enqueue_deadlocks_and_atomic_does_not():
    split = simulate(spam_model(STAR, enqueue="split"), CONFLICTING)
    results = split.run()
    assert split.deadlocked
    assert not split.finished
    assert results.deadlocked
    assert results.lost > 0
    atomic = simulate(spam_model(STAR), CONFLICTING)
    assert atomic.run().lost == 0
    assert not atomic.deadlocked


def test_the_report_names_the_cycle_of_waiting():
    simulation = simulate(spam_model(STAR, enqueue="split"), CONFLICTING)
    simulation.run()
    report = simulation.deadlock_report()
    assert "deadlock in cycle" in report
    assert "p0->s0 (message 0) waits for" in report
    assert "s0->p4 queued for before by p3->s0" in report
    assert "s0->p1 queued for before by p0->s0" in report
    state = simulation.describe_router(0)
    assert "input 0 p0->s0 (up): [m0.0.head" in state
    assert "queued" in state
    assert "output 4 s0->p4: empty, free" in state


def test_up_after_down_deadlocks_on_a_ring_and_legal_routes_do_not():
    # Every node sends two hops clockwise at once.
    network = ring(5)
    records = [Message(node, [(node + 2) % 5], 60) for node in range(5)]
    illegal = simulate(spam_model(network, up_after_down=True), records)
    illegal.run()
    assert illegal.deadlocked
    report = illegal.deadlock_report()
    assert report.splitlines()[0].endswith("10 input channels wait for each other")  # injection and ring
    assert "owned by" in report or "for room in the buffer behind" in report
    legal = simulate(spam_model(network), records)
    assert legal.run().lost == 0


def test_waiting_for_hosts_and_routing_is_no_deadlock():
    # A long start-up, a long gap, and a header that waits 50 cycles to be routed.
    network = Network(2, [(0, 1)], [0, 1])
    model = spam_model(network, routing_cycles=50)
    records = [Message(0, [1], 3), Message(1, [0], 3, parents=(0,), delay_cycles=100_000)]
    simulation = simulate(model, records, startup_cycles=20_000)
    results = simulation.run()
    assert simulation.finished
    assert results.lost == 0


def test_a_partial_deadlock_does_not_stop_the_rest():
    network = Network(2, [(0, 1)], [0] * 6 + [1, 1])
    records = [*CONFLICTING, Message(6, [7], 20, start_cycle=5000)]
    simulation = simulate(spam_model(network, enqueue="split"), records)
    results = simulation.run()
    assert simulation.deadlocked
    assert results.arrival_cycle[-1] > 5000
    assert results.lost == len(results.arrival_cycle) - 1


def test_a_deadlocked_simulation_stays_as_it_is():
    simulation = simulate(spam_model(STAR, enqueue="split"), CONFLICTING)
    hops = simulation.run().flit_hops
    trace = simulation.record(50)
    assert not trace.moved.any()
    assert simulation.run().flit_hops == hops
