"""Broadcasts and multicasts of hypercubes by software."""

from collections import Counter

import numpy as np
import pytest

from sim_model.hypercube.multicasts import OWN_SOFTWARE, doubling_sends, software_sends
from sim_model.messages.messages import Message, MessageError, Messages
from sim_model.messages.software import SEPARATE, software_multicasts, software_steps
from sim_model.messages.spread import spread_unicasts
from topology.common.errors import TopologyError
from topology.hypercube.binomial_tree import binomial_tree
from topology.hypercube.graph import HypercubeNetwork

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


def test_dimensions_carry_the_same_if_the_base_goes_round():
    balanced = Counter(map(dimension, software_sends(CUBE, broadcasts([3] * 4), DOUBLING)))
    assert balanced == {0: 15, 1: 15, 2: 15, 3: 15}
    single = Counter(map(dimension, software_sends(CUBE, broadcasts([3] * 4), ONE_BASE)))
    assert single == {0: 4, 1: 8, 2: 16, 3: 32}


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_a_copy_leaves_over_the_channel_of_its_dimension(channels):
    network = HypercubeNetwork(4, 2, channels)
    for message in software_sends(network, broadcasts([5, 5, 5]), DOUBLING):
        assert message.injection == (dimension(message) % channels if channels > 1 else 0)


@pytest.mark.parametrize("software", OWN_SOFTWARE)
def test_relays_start_when_they_have_the_tail_and_sources_at_the_start(software):
    sends = software_sends(CUBE, broadcasts([5, 0, 5]), software)
    messages = Messages.build(sends, processors=NODES, header_flits=lambda _: 1, injection_channels=4)
    for group, source in enumerate([5, 0, 5]):
        own = np.flatnonzero(messages.group == group)
        assert sorted(messages.destinations[own].tolist()) == sorted(set(range(NODES)) - {source})
        for number in own:
            parents = messages.parents_of(number)
            if messages.source[number] == source:
                assert (len(parents), messages.start_cycle[number]) == (0, group)
            else:
                (parent,) = parents
                assert messages.group[parent] == group
                assert messages.destinations_of(parent).tolist() == [messages.source[number]]


def test_separate_unicasts_all_come_from_the_source():
    sends = spread_unicasts(software_multicasts(broadcasts([14]), SEPARATE), 4, seed=0)
    assert {message.source for message in sends} == {14}
    # from the source's own address on, so that many sources do not all begin with one destination
    assert [message.destinations[0] for message in sends] == [15, *range(14)]
    # and over all channels alike
    assert sorted(Counter(message.injection for message in sends).values()) == [3, 4, 4, 4]


def test_names():
    text = "Software must be recursive-doubling or recursive-doubling-one-base, not 'doubling'"
    with pytest.raises(ValueError, match=text):
        software_sends(CUBE, [], "doubling")


def test_a_base_that_is_not_there():
    with pytest.raises(TopologyError, match="Base must be 0 to 3, not 4"):
        doubling_sends(CUBE, 0, [1], 4)


@pytest.mark.parametrize("software", OWN_SOFTWARE)
def test_a_multicast_that_waits_for_another_waits_for_the_unicast_that_brings_it(software):
    sends = software_sends(CUBE, [Message(0, [1, 2], 5), Message(2, [4, 5], 5, parents=(0,))], software)
    first = [send for send in sends if send.source == 2 and send.group == 1]
    assert first
    for send in first:
        assert [sends[parent].destinations for parent in send.parents] == [(2,)]
    with pytest.raises(MessageError, match="Message 1: Parent must be a message that processor 7 gets or sends, not 0"):
        software_sends(CUBE, [Message(0, [1, 2], 5), Message(7, [4, 5], 5, parents=(0,))], software)


def test_nodes_that_are_not_there():
    with pytest.raises(MessageError, match="Message 0: Destination must be a processor, 0 to 15, not 16"):
        software_sends(CUBE, [Message(0, [1, 16], 5)], DOUBLING)
