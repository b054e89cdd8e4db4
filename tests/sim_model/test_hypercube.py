"""The golden model of hypercubes: timing, invariants, orders, and multicasts by software."""

import re
from collections import Counter

import numpy as np
import pytest

from sim_model.engines.simulation import Simulation
from sim_model.hypercube.model import HypercubeModel
from sim_model.hypercube.multicasts import OWN_SOFTWARE, doubling_sends, software_sends
from sim_model.messages.messages import Message, MessageError
from sim_model.messages.schedule import dependent_unicasts
from sim_model.messages.software import SEPARATE, software_multicasts, software_steps
from sim_model.messages.spread import spread_unicasts
from tests.sim_model.builders import simulate
from topology.common.errors import TopologyError
from topology.common.virtual_channels import ATOMIC, NON_ATOMIC
from topology.hypercube.binomial_tree import binomial_tree
from topology.hypercube.diagonals import code_bits, input_codes
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import ADAPTIVE_ONLY, DUATO, WRONG_ESCAPE, HypercubeRouting
from topology.hypercube.vc_reallocation import NON_ATOMIC_ESCAPE

MAX_FLITS = 24


def cube(
    dimensions: int, vcs: int, depth: int = 4, *, channels: int = 1, rule: str = DUATO, vc_reallocation: str = ATOMIC
) -> HypercubeModel:
    return HypercubeModel(
        HypercubeRouting(HypercubeNetwork(dimensions, vcs, channels), 32, rule), depth, vc_reallocation
    )


def heavy(model: HypercubeModel, count: int, seed: int) -> Simulation:
    """Far more messages than the network can carry, over all injection channels."""
    random, network = np.random.default_rng(seed), model.network
    records = []
    for number in range(count):
        source, destination = map(int, random.choice(network.switches, 2, replace=False))
        injection = int(random.integers(network.injection_channels_per_processor))
        flits = int(random.integers(1, MAX_FLITS))
        records.append(Message(source, [destination], flits, start_cycle=number // 8, injection=injection))
    return simulate(model, records)


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5, 16])
@pytest.mark.parametrize(("dimensions", "vcs"), [(1, 1), (2, 3), (4, 2)])
def test_a_lone_message_takes_what_the_formula_says(dimensions, vcs, depth):
    model = cube(dimensions, vcs, depth)
    for flits in (1, 2, 3, 4, 5, 9, 30):
        for destination in range(1, model.network.switches):
            results = simulate(model, [Message(0, [destination], flits)]).run()
            behind = flits - 1
            expected = 5 * destination.bit_count() + 8 + behind + max(0, 4 - depth) * (behind // depth)
            assert results.latency_cycles.tolist() == [expected]


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize(("vcs", "depth"), [(1, 2), (2, 4), (3, 1), (4, 3)])
def test_every_message_arrives_once_under_heavy_load(vcs, depth, channels):
    results = heavy(cube(3, vcs, depth, channels=channels), 3_000, seed=vcs).run()
    assert not results.deadlocked
    assert (results.lost, results.duplicated, results.disordered, results.stray) == (0, 0, 0, 0)


@pytest.mark.parametrize("vc_reallocation", [NON_ATOMIC_ESCAPE, NON_ATOMIC])
def test_every_message_arrives_once_behind_tails(vc_reallocation):
    """With one flit in a buffer in the same cycles; sooner with several flits, where only the VC is scarce."""
    for vcs, depth in ((1, 1), (2, 1), (1, 4), (2, 4)):
        usual, reused = (heavy(cube(3, vcs, depth, vc_reallocation=rule), 800, 3) for rule in (ATOMIC, vc_reallocation))
        expected, results = usual.run(), reused.run()
        assert (results.lost, results.duplicated, results.disordered, results.stray) == (0, 0, 0, 0)
        if depth == 1:
            assert (results.arrival_cycle == expected.arrival_cycle).all()
        elif vcs == 1:
            assert results.cycles < expected.cycles


@pytest.mark.slow
@pytest.mark.parametrize("vc_reallocation", [ATOMIC, NON_ATOMIC_ESCAPE])
@pytest.mark.parametrize("vcs", [1, 2, 3, 4])
@pytest.mark.parametrize("dimensions", [2, 3, 4, 5, 6])
def test_no_deadlock_in_a_thousand_heavy_runs(dimensions, vcs, vc_reallocation):
    for seed in range(1_000):
        model = cube(dimensions, vcs, 1 + seed % 5, channels=(1, dimensions)[seed % 2], vc_reallocation=vc_reallocation)
        results = heavy(model, 60 << dimensions, seed).run()
        assert not results.deadlocked, seed
        assert (results.lost, results.duplicated, results.disordered) == (0, 0, 0)


@pytest.mark.parametrize(("rule", "vcs"), [(ADAPTIVE_ONLY, 1), (WRONG_ESCAPE, 1)])
def test_without_an_order_of_escapes_there_are_deadlocks(rule, vcs):
    run = heavy(cube(3, vcs, 2, channels=3, rule=rule), 4_000, seed=1)
    assert run.run().deadlocked
    first, *waits = run.deadlock_report().splitlines()
    assert re.fullmatch(rf"deadlock in cycle \d+: {len(waits)} input channels wait for each other", first)
    assert all(re.fullmatch(r"  \S+->\S+( \(message \d+\))? waits for .+", wait) for wait in waits)
    assert len(waits) >= 4
    assert any(" had by " in wait for wait in waits)


# Lone broadcasts in the golden model of hypercubes: n (M + 1) cycles, as with ideal routers, and 11 n of pipelines.

PIPELINE_CYCLES = 11
"""Of a step: 5 for the dimension and 8 at the ends, less the flit that is counted with the message and the one link
that a step takes with ideal routers."""
STARTS = (0, 1, 2, 3, 5, 8, 13)


def lone_latency(dimensions: int, vcs: int, flits: int, *, base=0, start=0, depth=4, channels=None) -> int:
    network = HypercubeNetwork(dimensions, vcs, channels or dimensions)
    nodes = range(network.switches)
    record = Message(0, nodes[1:], flits, start_cycle=start, group=0)
    sends = dependent_unicasts(record, doubling_sends(network, 0, nodes, base), 0)
    results = simulate(HypercubeModel(HypercubeRouting(network, 32), depth), sends).run()
    (latency,) = results.group_latency_cycles.tolist()
    return latency


@pytest.mark.parametrize("dimensions", [1, 2, 3, 5, 8])
def test_every_step_takes_its_message_and_the_pipeline(dimensions):
    for flits in (1, 2, 5, 32):
        found = lone_latency(dimensions, 2, flits, base=dimensions - 1)
        assert found == dimensions * (flits + 1) + PIPELINE_CYCLES * dimensions


@pytest.mark.parametrize("vcs", [2, 4])
@pytest.mark.parametrize("dimensions", [3, 5])
def test_whatever_the_base_the_start_and_the_vcs(dimensions, vcs):
    expected = dimensions * (7 + 1 + PIPELINE_CYCLES)
    for base in range(dimensions):
        for start in STARTS:
            assert lone_latency(dimensions, vcs, 7, base=base, start=start) == expected


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
def test_with_few_flits_in_a_buffer_a_vc_does_not_keep_the_rate(depth):
    for flits in (1, 2, 4, 9):
        slower = max(0, 4 - depth) * ((flits - 1) // depth)
        assert lone_latency(3, 2, flits, depth=depth) == 3 * (flits + 1 + PIPELINE_CYCLES + slower)


def test_one_injection_channel_keeps_the_latency():
    # Copies that leave later have fewer steps to go.
    assert lone_latency(4, 2, 16, channels=1) == 4 * (16 + 1 + PIPELINE_CYCLES)


def test_without_a_vc_for_any_head_copies_go_one_after_the_other():
    assert lone_latency(6, 1, 16) > 6 * (16 + 1 + PIPELINE_CYCLES)


@pytest.mark.parametrize("dimensions", range(1, 13))
def test_copies_leave_a_node_on_one_diagonal(dimensions):
    for channels in range(1, dimensions + 1):
        codes = input_codes(dimensions, channels)
        assert len(set(codes)) == dimensions + channels
        assert max(codes).bit_length() <= code_bits(dimensions, channels)
        hosts = codes[dimensions:]
        if channels > 1:
            assert {code ^ number for number, code in enumerate(hosts)} == {hosts[0]}
        # no two inputs request one output
        for diagonal in range(1 << code_bits(dimensions, channels)):
            looks = [code ^ diagonal for code in codes]
            assert len(set(looks)) == len(looks)


# The golden model's table of the orders of the cycle, against the rule that hardware and model share.

# Broadcasts and multicasts of hypercubes by software.

DOUBLING, ONE_BASE = OWN_SOFTWARE
CUBE = HypercubeNetwork(4, 2, 4)
NODES = 16


def broadcasts(sources, flits: int = 5) -> list[Message]:
    return [Message(source, range(NODES), flits, start_cycle=start) for start, source in enumerate(sources)]


def dimension(message: Message) -> int:
    return (message.source ^ message.destinations[0]).bit_length() - 1


@pytest.mark.parametrize("dimensions", range(1, 7))
def test_a_broadcast_is_the_binomial_tree(dimensions):
    network = HypercubeNetwork(dimensions, 2, dimensions)
    nodes = range(1 << dimensions)
    for source in nodes:
        for base in range(dimensions):
            sends = doubling_sends(network, source, nodes, base)
            tree = binomial_tree(dimensions, source, base)
            for node in nodes:
                own = [(send.receiver, send.injection) for send in sends if send.sender == node]
                assert own == [(edge.receiver, edge.dimension) for edge in tree if edge.sender == node]


def test_a_multicast_worked_by_hand():
    # Base 1 reads an address as bits 1, 2, 0: from node 5 the nodes 4 1 0 7 are 001 010 011 100 away.
    sends = doubling_sends(HypercubeNetwork(3, 1, 3), 5, [0, 1, 4, 7], base=1)
    assert [(send.sender, send.receiver, send.injection) for send in sends] == [
        (5, 1, 2),  # the middle one of five, with 0 and 7 behind it
        (5, 4, 0),
        (1, 0, 0),
        (0, 7, 1),  # three links, the first in dimension 1
    ]


@pytest.mark.parametrize("base", range(4))
def test_multicasts_reach_each_destination_once_in_the_least_number_of_steps(base):
    random = np.random.default_rng(base)
    for count in range(1, NODES):
        source, *destinations = map(int, random.permutation(NODES)[: count + 1])
        arrival, sent = {source: 0}, Counter()
        for send in doubling_sends(CUBE, source, destinations, base):
            assert send.receiver not in arrival
            sent[send.sender] += 1
            arrival[send.receiver] = arrival[send.sender] + sent[send.sender]
        assert set(arrival) == {source, *destinations}
        assert max(arrival.values()) == software_steps(count)


def test_steps_of_a_multicast_share_no_channel_in_dimension_order():
    # U-cube is made for that: ways that take the dimensions from the highest bit of the chain's order down.
    random = np.random.default_rng(7)
    for base in range(4):
        order = [(base + k) % 4 for k in range(4)]
        source, *destinations = map(int, random.permutation(NODES)[: int(random.integers(3, NODES))])
        busy, arrival, sent = set(), {source: 0}, Counter()
        for send in doubling_sends(CUBE, source, destinations, base):
            sent[send.sender] += 1
            step = arrival[send.receiver] = arrival[send.sender] + sent[send.sender]
            node = send.sender
            for bit in order:
                if (node ^ send.receiver) >> bit & 1:
                    assert (step, node, bit) not in busy
                    busy.add((step, node, bit))
                    node ^= 1 << bit


def test_bases_of_a_source_go_round_whatever_the_others_send():
    messages = software_sends(CUBE, broadcasts([3, 3, 9, 3, 3, 3, 9]), DOUBLING)
    firsts = [next(m for m in messages if m.group == group) for group in range(7)]
    assert [dimension(message) for message in firsts] == [0, 1, 0, 2, 3, 0, 1]
    single = software_sends(CUBE, broadcasts([3, 3, 9]), ONE_BASE)
    assert [dimension(next(m for m in single if m.group == group)) for group in range(3)] == [0, 0, 0]


def test_unicasts_between_them_leave_the_bases_alone():
    records = [*broadcasts([3]), Message(3, [4], 5), Message(3, [3, 5], 5), *broadcasts([3])]
    messages = software_sends(CUBE, records, DOUBLING)
    assert dimension(next(message for message in messages if message.group == 3)) == 1


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_a_copy_leaves_over_the_channel_of_its_dimension(channels):
    network = HypercubeNetwork(4, 2, channels)
    for message in software_sends(network, broadcasts([5, 5, 5]), DOUBLING):
        assert message.injection == (dimension(message) % channels if channels > 1 else 0)


def test_separate_unicasts_all_come_from_the_source():
    sends = spread_unicasts(software_multicasts(broadcasts([14]), SEPARATE), 4, seed=0)
    assert {message.source for message in sends} == {14}
    # from the source's own address on, so that many sources do not all begin with one destination
    assert [message.destinations[0] for message in sends] == [15, *range(14)]
    # and over all channels alike
    assert sorted(Counter(message.injection for message in sends).values()) == [3, 4, 4, 4]


def test_a_base_that_is_not_there():
    with pytest.raises(TopologyError, match="Base is 4; it must be 0 to 3"):
        doubling_sends(CUBE, 0, [1], 4)


@pytest.mark.parametrize("software", OWN_SOFTWARE)
def test_a_multicast_that_waits_for_another_waits_for_the_unicast_that_brings_it(software):
    sends = software_sends(CUBE, [Message(0, [1, 2], 5), Message(2, [4, 5], 5, parents=(0,))], software)
    first = [send for send in sends if send.source == 2 and send.group == 1]
    assert first
    for send in first:
        assert [sends[parent].destinations for parent in send.parents] == [(2,)]
    with pytest.raises(
        MessageError, match="Message 1: Parent is 0; it must be a message that processor 7 gets or sends"
    ):
        software_sends(CUBE, [Message(0, [1, 2], 5), Message(7, [4, 5], 5, parents=(0,))], software)
