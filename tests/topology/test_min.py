"""Multistage networks: wiring, reach, groups and tables against the closed forms of the spec and worked cases."""

import itertools

import numpy as np

from tests.each import each
from topology.min.deadlock import check_min_deadlock
from topology.min.graph import BACKWARD, BIDIRECTIONAL, FORWARD, KINDS, UNIDIRECTIONAL, MinNetwork
from topology.min.groups import AS_PUBLISHED, NO_TOKEN, TokenGroups
from topology.min.reachability import unreached_pairs
from topology.min.routing import MinRouting

SIZES = ((2, 3), (2, 6), (3, 3), (4, 2), (4, 3), (8, 2))


def rows_of(network, group):
    return [network.switch_positions[switch].row for switch in group.switches]


@each("radix, stages", SIZES)
@each("kind", UNIDIRECTIONAL)
def test_every_unicast_takes_one_way_of_n_switches(kind, radix, stages):
    routing = MinRouting(MinNetwork(kind, radix, stages), 32)
    network, nodes = routing.network, radix**stages
    for source, destination in itertools.product(range(0, nodes, max(1, nodes // 16)), range(nodes)):
        channel, switches = network.injection_channel(source), 0
        while network.is_switch(network.channels[channel].sink):
            switch = network.channels[channel].sink
            mask = int(routing.routes[switch, destination, 0])
            assert mask.bit_count() == 1
            channel = network.output_channel[switch][mask.bit_length() - 1]
            switches += 1
        assert network.channels[channel].sink == network.processor_vertex(destination)
        assert switches == stages


@each("radix, stages", SIZES)
def test_baseline_follows_the_destination_tag(radix, stages):
    """Stage j takes output d_{n-1-j}, the digits from the highest down."""
    routing = MinRouting(MinNetwork("baseline", radix, stages), 32)
    for switch, position in enumerate(routing.network.switch_positions):
        for destination in np.flatnonzero(routing.reach[switch].any(axis=0)).tolist():
            digit = destination // radix ** (stages - 1 - position.stage) % radix
            assert routing.routes[switch, destination, 0] == 1 << digit


@each("radix, stages", SIZES)
def test_groups_of_the_baseline_network(radix, stages):
    """N_g(j) = b^(n-1-j) rows side by side, and b^(n-2-j) with b consumption channels."""
    for channels, last in ((1, stages - 1), (radix, stages - 2)):
        network = MinNetwork("baseline", radix, stages, channels)
        for group in TokenGroups(network).groups:
            stage = network.switch_positions[group.switches[0]].stage
            rows = rows_of(network, group)
            size = radix ** (last - stage)
            assert rows == list(range(rows[0] // size * size, rows[0] // size * size + size))
            assert group.levels == last - stage


@each("radix, stages", SIZES)
def test_groups_and_reach_of_the_bidirectional_network(radix, stages):
    routing = MinRouting(MinNetwork(BIDIRECTIONAL, radix, stages), 32)
    network = routing.network
    for group in routing.groups.groups:
        stage = network.switch_positions[group.switches[0]].stage
        size, rows = radix**stage, rows_of(network, group)
        assert rows == list(range(rows[0] // size * size, rows[0] // size * size + size))
        assert group.levels == stage
    for switch, position in enumerate(network.switch_positions):
        size = radix**position.stage
        for port in range(radix):
            first = (position.row // size * radix + port) * size
            assert np.flatnonzero(routing.reach[switch, port]).tolist() == list(range(first, first + size))
    private = MinNetwork(BIDIRECTIONAL, radix, stages, radix)
    for group in TokenGroups(private).groups:
        stage, rows = private.switch_positions[group.switches[0]].stage, rows_of(private, group)
        assert stage >= 1
        assert len(rows) == radix ** (stage - 1)
        assert len({(row // radix**stage, row % radix) for row in rows}) == 1


def test_groups_of_eight_nodes():
    groups = TokenGroups(MinNetwork(BIDIRECTIONAL, 2, 3, 2))
    rows = [rows_of(groups.network, group) for group in groups.groups if group.levels == 1]
    assert rows == [[0, 2], [1, 3]]  # not side by side
    assert [groups.release_flits(switch, 1) for switch in (0, 8)] == [1, 3]


@each("channels", [1, 2])
@each("kind", KINDS)
def test_proofs_of_small_networks(kind, channels):
    routing = MinRouting(MinNetwork(kind, 2, 3, channels), 16)
    assert unreached_pairs(routing) == []
    assert check_min_deadlock(routing, 2).free
    without = check_min_deadlock(routing, 2, NO_TOKEN)
    assert not without.free
    assert len(without.cycle) == 2
    printed = check_min_deadlock(routing, 1, AS_PUBLISHED)
    assert printed.free == (channels == 2)
    assert check_min_deadlock(routing, 2, AS_PUBLISHED).free


def test_a_wrong_table_is_seen():
    routing = MinRouting(MinNetwork("omega", 2, 3), 16)
    routing.reach[5, 0, :] = routing.reach[5, 1, :]
    assert unreached_pairs(routing)


@each("kind", KINDS)
def test_channels_depend_on_all_that_the_tables_lead_to(kind):
    """A sound network has a dependency for every way through a switch that leads on to a processor, and no other."""
    network = MinNetwork(kind, 2, 3)
    verdict = check_min_deadlock(MinRouting(network, 16), 2)
    last = 2 if kind == BIDIRECTIONAL else -1  # where no way leads up
    ways = 0
    for channel in network.channels:
        if not network.is_switch(channel.sink):
            continue
        stage = network.switch_positions[channel.sink].stage
        up = kind == BIDIRECTIONAL and network.input_class(channel.index) == FORWARD and stage != last
        ways += 4 if up else 2
    assert verdict.dependencies == ways


def test_a_header_without_an_output_is_seen():
    routing = MinRouting(MinNetwork("omega", 2, 3), 16)
    switch = next(s for s in range(4, 8) if routing.routes[s, 0, 0])  # of the second stage, on the way to processor 0
    routing.routes[switch, 0, :] = 0  # the key of a unicast: no bit string may decide
    verdict = check_min_deadlock(routing, 2)
    assert not verdict.free
    assert verdict.reason.startswith("a header with key 0 that arrives on ")
    assert verdict.reason.endswith(f"->{routing.network.switch_names[switch]} has no output (2 such cases)")


def test_headers_that_turn_back_to_the_ways_up_are_seen():
    routing = MinRouting(MinNetwork(BIDIRECTIONAL, 2, 3), 16)
    up = int(routing.routes[4, 0, FORWARD]) | int(routing.routes[4, 7, FORWARD])
    routing.routes[4, :, BACKWARD] |= up & 0b1100
    verdict = check_min_deadlock(routing, 2)
    assert verdict.reason == "the path dependencies have a cycle"
    assert len(verdict.cycle) > 1


def test_turn_stage_and_key():
    routing = MinRouting(MinNetwork(BIDIRECTIONAL, 2, 3), 16)
    assert [routing.turn_stage(0, (d,)) for d in range(1, 8)] == [0, 1, 1, 2, 2, 2, 2]
    assert routing.routing_key(5, (4,)) == 4
    assert routing.routing_key(5, (4, 6)) == 8 + 1
    assert routing.header.unpack(routing.header_value(5, (4, 6))) == ((9, 5), 0b1010000)
