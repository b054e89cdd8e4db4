"""Tori and meshes: ports and VCs by hand, the routing against its rules, directions as operations."""

import numpy as np
import pytest

from tests.each import each
from topology.common.errors import TopologyError
from topology.torus.graph import TorusNetwork
from topology.torus.grid import DIRECTIONS, X_NEGATIVE, X_POSITIVE, Y_NEGATIVE, Y_POSITIVE, Grid, Turns, opposite
from topology.torus.header import KeyFormat, RoutingKey, torus_header
from topology.torus.operations import SHORTEST, operation, turns_of
from topology.torus.routing import BALANCED, DALLY_SEITZ, DATELINE, VC_RULES, TorusRouting

TORI = [Grid(2, 2), Grid(1, 5), Grid(3, 5), Grid(4, 4), Grid(2, 7)]
MESHES = [Grid(1, 8, wraps=False), Grid(4, 6, wraps=False), Grid(2, 2, wraps=False), Grid(3, 1, wraps=False)]
GRIDS = [*TORI, *MESHES]


def all_turns(grid: Grid, source: int, destination: int) -> list[Turns]:
    """Directions in which a message can be sent: in a mesh those that lead there."""
    if not grid.wraps:
        return [grid.shortest(source, destination)]
    return [Turns(y_negative, x_negative) for y_negative in (False, True) for x_negative in (False, True)]


def outputs(network: TorusNetwork, switch: int, mask: int) -> list[int]:
    """VCs of a mask of VC ports."""
    vcs = network.output_channel[switch]
    assert mask < 1 << len(vcs)
    return [vc for port, vc in enumerate(vcs) if mask >> port & 1]


def test_ports_of_a_torus():
    network = TorusNetwork(Grid(3, 4), 2)
    links = network.links
    for node in range(12):
        assert links.successors(node) == [*(network.grid.neighbour(node, way) for way in range(DIRECTIONS)), 12 + node]
        assert links.channels[links.injection_channel(node)].sink_port == 4
        assert len(network.output_channel[node]) == len(network.input_channel[node]) == 9
    names = [network.channels[vc].name for vc in network.output_channel[3]]  # row 0, column 3
    assert names == ["s3->s0.0", "s3->s0.1", "s3->s2.0", "s3->s2.1", "s3->s7.0", "s3->s7.1", "s3->s11.0", "s3->s11.1",
                     "s3->p3"]  # fmt: skip
    arriving = [network.channels[vc].name for vc in network.input_channel[3]]  # worms in +y come from column 2
    assert arriving == ["s2->s3.0", "s2->s3.1", "s0->s3.0", "s0->s3.1", "s11->s3.0", "s11->s3.1", "s7->s3.0",
                        "s7->s3.1", "p3->s3"]  # fmt: skip
    closing = {network.links.channels[network.link_of[vc]].name for vc, yes in enumerate(network.closes_ring) if yes}
    assert closing == {"s3->s0", "s0->s3", "s7->s4", "s4->s7", "s11->s8", "s8->s11", "s8->s0", "s0->s8", "s9->s1",
                       "s1->s9", "s10->s2", "s2->s10", "s11->s3", "s3->s11"}  # fmt: skip


def test_rows_are_drawn_from_the_top():
    positions = TorusNetwork(Grid(2, 3), 2).positions
    assert positions is not None
    assert positions.tolist() == [[0, 0], [1, 0], [2, 0], [0, -1], [1, -1], [2, -1]]


def test_ports_at_the_rim_of_a_mesh():
    links = TorusNetwork(Grid(2, 3, wraps=False), 3).links
    # node 0 has +y and +x; worms that arrive there travel -y (from 1) and -x (from 3)
    assert links.successors(0) == [1, 3, 6]
    assert [links.channels[channel].source for channel in links.input_channel[0]] == [1, 3, 6]
    # node 4, in the middle of the second row, lacks +x
    assert links.successors(4) == [5, 3, 1, 10]
    assert [links.channels[channel].source for channel in links.input_channel[4]] == [3, 5, 1, 10]


@each("grid", GRIDS)
@each("vcs", [1, 2, 3, 4])
def test_vcs_and_names(grid, vcs):
    network = TorusNetwork(grid, vcs)
    assert len({channel.name for channel in network.channels}) == len(network.channels)
    for vc, channel in enumerate(network.channels):
        way = network.direction_of[vc]
        assert (way is None) == (not (network.is_switch(channel.source) and network.is_switch(channel.sink)))
        if way is not None:
            assert grid.neighbour(channel.source, way) == channel.sink
            assert network.output_link(channel.source, way) == network.link_of[vc]
            assert network.vc_of[vc] in range(vcs)


def test_rings_of_two_nodes_have_a_name_for_each_direction():
    network = TorusNetwork(Grid(2, 2), 1)
    names = [network.channels[vc].name for vc in network.output_channel[1]]
    assert names == ["s1+y->s0", "s1-y->s0", "s1+x->s3", "s1-x->s3", "s1->p1"]


def test_key_by_hand():
    layout = KeyFormat(Grid(3, 5))  # 3 bits for the column, 2 for the row
    assert layout.fields == (("column", 3), ("row", 2), ("y_negative", 1), ("x_negative", 1))
    key = RoutingKey.of(Grid(3, 5), 13, Turns(True, False))  # row 2, column 3
    assert layout.pack(key) == 0b01_10_011
    assert layout.unpack(0b10_01_100) == RoutingKey(4, 1, 0, 1)


def test_header_by_hand():
    header = torus_header(Grid(3, 5), 32)
    assert header.fields == (("key", 7), ("source", 4))
    assert (header.destinations, header.unicast_flits, header.multicast_flits) == (0, 1, 1)
    routing = TorusRouting(TorusNetwork(Grid(3, 5), 2), 8)
    # from row 0, column 0 to row 2, column 3: both ways back are the shorter ones
    assert routing.header_value(0, [13]) == 0b0000_11_10_011
    assert routing.header_value(9, [13], Turns(False, False)) == 0b1001_00_10_011
    assert routing.header_flits([13]) == 2


def test_dally_seitz_by_hand():
    """A ring of five, two VCs: from column 3 to column 1 the way forward takes the channel that closes the ring."""
    routing = TorusRouting(TorusNetwork(Grid(1, 5), 2), 32)
    key, network = routing.routing_key(3, [1], Turns(False, False)), routing.network
    vc, names = network.injection_channel(3), []
    while network.is_switch(switch := network.channels[vc].sink):
        (vc,) = outputs(network, switch, routing.candidates(vc, key))
        names.append(network.channels[vc].name)
    assert names == ["s3->s4.0", "s4->s0.0", "s0->s1.1", "s1->p1"]


@each("rule", VC_RULES)
@each("vcs", [1, 2, 3])
@each("grid", GRIDS)
def test_candidates_follow_the_path(grid, vcs, rule):
    """All candidates at every step are the VCs of the path's channel that are of the right class."""
    network = TorusNetwork(grid, vcs)
    routing = TorusRouting(network, 32, rule)
    for source in range(grid.nodes):
        for destination in range(grid.nodes):
            for turns in all_turns(grid, source, destination):
                follow(routing, source, destination, turns)


def follow(routing: TorusRouting, source: int, destination: int, turns: Turns) -> None:
    network, grid = routing.network, routing.network.grid
    key = routing.routing_key(source, [destination], turns)
    at, closed = {network.injection_channel(source)}, {"y": False, "x": False}
    for hop in grid.path(source, destination, turns):
        dimension = "y" if hop.direction in (Y_POSITIVE, Y_NEGATIVE) else "x"
        link = network.output_link(hop.node, hop.direction)
        every, half, reached = network.vcs_of[link], network.vcs // 2, set()
        for vc in at:
            if not grid.wraps or network.vcs == 1:
                good = every
            elif routing.vc_rule == BALANCED:
                turned = network.direction_of[vc] != hop.direction
                settled = closed[dimension] or (not turned and network.vc_of[vc] >= half)
                good = every[:half] if hop.wrap_ahead else every[half:] if settled else every
            else:
                upper = not hop.wrap_ahead if routing.vc_rule == DALLY_SEITZ else closed[dimension]
                good = every[half:] if upper else every[:half]
            assert outputs(network, hop.node, routing.candidates(vc, key)) == list(good)
            reached |= set(good)
        at = reached
        closed[dimension] |= hop.wrap_ahead and grid.closes_ring(hop.node, hop.direction)
    delivery = [network.delivery_channel(destination)] if destination != source else []  # no worm turns straight back
    for vc in at:
        assert outputs(network, destination, routing.candidates(vc, key)) == delivery


def test_headers_without_a_way():
    torus = TorusRouting(TorusNetwork(Grid(3, 5), 2), 32)
    for vc, channel in enumerate(torus.network.channels):
        if torus.network.is_switch(channel.sink):
            for key in (RoutingKey(5, 0, 0, 0), RoutingKey(7, 2, 1, 0), RoutingKey(0, 3, 0, 1)):
                assert torus.candidates(vc, torus.key_format.pack(key)) == 0
    mesh = TorusRouting(TorusNetwork(Grid(3, 4, wraps=False), 2), 32)
    to_the_left = mesh.key_format.pack(RoutingKey(2, 1, 1, 0))  # from column 0
    assert mesh.candidates(mesh.network.injection_channel(4), to_the_left) == 0
    upward = mesh.key_format.pack(RoutingKey(1, 2, 0, 1))  # from row 0
    assert mesh.candidates(mesh.network.injection_channel(1), upward) == 0


@each(
    "travel, allowed",
    [
        (Y_POSITIVE, {Y_POSITIVE, X_POSITIVE, X_NEGATIVE}),
        (Y_NEGATIVE, {Y_NEGATIVE, X_POSITIVE, X_NEGATIVE}),
        (X_POSITIVE, {X_POSITIVE}),
        (X_NEGATIVE, {X_NEGATIVE}),
    ],
)
@each("rule", VC_RULES)
def test_turns_of_dimension_order(rule, travel, allowed):
    network = TorusNetwork(Grid(5, 5), 2)
    routing = TorusRouting(network, 32, rule)
    vc = network.vcs_of[network.output_link(network.grid.neighbour(12, opposite(travel)), travel)][0]
    assert network.channels[vc].sink == 12
    found = set()
    for key in range(1 << routing.key_format.bits):
        for output in outputs(network, 12, routing.candidates(vc, key)):
            found.add(network.direction_of[output])
    assert found == allowed | {None}


@each(
    "make, message",
    [
        (lambda: TorusNetwork(Grid(2, 2), 0), "vcs is 0; it must be 1 to 8"),
        (lambda: TorusNetwork(Grid(2, 2), 9), "vcs is 9; it must be 1 to 8"),
        (lambda: TorusNetwork(Grid(2, 2), True), "vcs is True; it must be 1 to 8"),
        (lambda: torus_header(Grid(64, 64), 8), "Flit must have room for the routing key's 14 bits, not 8 bits"),
        (lambda: TorusRouting(TorusNetwork(Grid(8, 16), 2), 8), "the routing key's 9 bits, not 8 bits"),
        (
            lambda: TorusRouting(TorusNetwork(Grid(2, 2), 2), 32, "odd-even"),
            "vc_rule is 'odd-even'; it must be dally-seitz, dateline or balanced",
        ),
    ],
)
def test_broken_rules(make, message):
    with pytest.raises(TopologyError, match=message):
        make()


def test_only_single_destinations_have_a_key():
    routing = TorusRouting(TorusNetwork(Grid(2, 2), 2), 32, DATELINE)
    with pytest.raises(ValueError, match="A message must have 1 destination, not 2"):
        routing.routing_key(0, [1, 2])


@pytest.mark.parametrize("grid", [Grid(4, 5), Grid(3, 4, wraps=False)], ids=str)
def test_shorter_ways_of_many_messages_are_those_of_each(grid):
    source, destination = (each.reshape(-1) for each in np.indices((grid.nodes, grid.nodes)))
    ways = zip(*(way.tolist() for way in grid.shortest_directions(source, destination)), strict=True)
    pairs = zip(source.tolist(), destination.tolist(), strict=True)
    assert list(ways) == [tuple(grid.shortest(*pair)) for pair in pairs]


def test_operations_are_one_more_than_the_turns():
    assert operation(None) == SHORTEST == 0
    assert [operation(Turns(y, x)) for x in (False, True) for y in (False, True)] == [1, 2, 3, 4]
    assert turns_of(SHORTEST) is None
    for turns in (Turns(y, x) for y in (False, True) for x in (False, True)):
        assert turns_of(operation(turns)) == turns
    for number in (-1, 5):
        with pytest.raises(ValueError, match=f"Operation is {number}; it must be 0 to 4"):
            turns_of(number)
