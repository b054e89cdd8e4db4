"""Distribution and collection networks: the paper's properties P1 to P5 by brute force."""

from collections import Counter
from math import gcd

import networkx as nx
import pytest

from sim_model.torus.chains import NEGATIVE, POSITIVE
from sim_model.torus.subnetworks import KINDS, Subnetwork, collection_networks, dilations, distribution_networks
from topology.common.errors import TopologyError
from topology.torus.grid import DIRECTIONS, X_NEGATIVE, X_POSITIVE, Y_NEGATIVE, Y_POSITIVE, Grid

TORUS = Grid(16, 16)
CASES = [(h, kind) for h in (2, 4) for kind in KINDS]
NUMBERS = {(2, "I"): 2, (2, "II"): 4, (2, "III"): 4, (2, "IV"): 4}
NUMBERS |= {(4, "I"): 4, (4, "II"): 16, (4, "III"): 8, (4, "IV"): 16}
NODE_CONTENTION = {(2, "I"): {0, 1}, (2, "II"): {1}, (2, "III"): {1}, (2, "IV"): {1}}
NODE_CONTENTION |= {(4, "I"): {0, 1}, (4, "II"): {1}, (4, "III"): {0, 1}, (4, "IV"): {1}}
LINK_CONTENTION = {"I": lambda _: 1, "II": lambda h: h, "III": lambda _: 1, "IV": lambda h: h // 2}


def shape_of(subnetwork: Subnetwork) -> nx.MultiDiGraph:
    """A subnetwork as a graph, built only from its nodes and channels."""
    onwards: dict[tuple[int, int], int | None] = {
        channel: subnetwork.whole.neighbour(*channel) for channel in subnetwork.channels
    }
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(subnetwork.nodes)
    nodes = set(subnetwork.nodes)
    for node, direction in onwards:
        if node in nodes:
            end, length = onwards[node, direction], 1
            while end not in nodes:
                end, length = onwards[end, direction], length + 1
            graph.add_edge(node, end, length=length)
    return graph


def are_alike(first: nx.MultiDiGraph, second: nx.MultiDiGraph) -> bool:
    return nx.is_isomorphic(first, second, edge_match=lambda a, b: len(a) == len(b) and a[0] == b[0])


@pytest.mark.parametrize(("h", "kind"), CASES)
def test_numbers_and_sizes(h, kind):
    networks = distribution_networks(TORUS, h, kind)
    assert len(networks) == NUMBERS[h, kind]
    assert {len(set(network.nodes)) for network in networks} == {256 // h**2}
    assert {network.grid for network in networks} == {Grid(16 // h, 16 // h)}


@pytest.mark.parametrize(("h", "kind"), CASES)
def test_p1_nodes_and_channels_are_used_alike(h, kind):
    networks = distribution_networks(TORUS, h, kind)
    nodes = Counter(node for network in networks for node in network.nodes)
    assert {nodes[node] for node in range(256)} == NODE_CONTENTION[h, kind]
    channels = Counter(channel for network in networks for channel in set(network.channels))
    every = [(node, direction) for node in range(256) for direction in range(DIRECTIONS)]
    assert len(every) == 1024
    assert {channels[channel] for channel in every} == {LINK_CONTENTION[kind](h)}
    assert set(channels) == set(every)


@pytest.mark.parametrize("h", [2, 4, 8])
def test_p2_blocks_are_disjoint_and_cover_all(h):
    blocks = collection_networks(TORUS, h)
    assert len(blocks) == (16 // h) ** 2
    assert sorted(node for block in blocks for node in block.nodes) == list(range(256))
    channels = [channel for block in blocks for channel in block.channels]
    assert len(channels) == len(set(channels)) == len(blocks) * 4 * h * (h - 1)


@pytest.mark.parametrize(("h", "kind"), CASES)
def test_p3_a_network_and_a_block_share_one_node(h, kind):
    blocks = collection_networks(TORUS, h)
    for network in distribution_networks(TORUS, h, kind):
        for number, block in enumerate(blocks):
            assert set(network.nodes) & set(block.nodes) == {network.to_global(number)}


@pytest.mark.parametrize(("h", "kind"), CASES)
def test_p4_p5_all_have_one_shape(h, kind):
    own = Grid(16 // h, 16 // h)
    for network in distribution_networks(TORUS, h, kind):
        torus = nx.MultiDiGraph()
        for node in range(own.nodes):
            for direction in (Y_POSITIVE, X_POSITIVE) if network.direction else range(DIRECTIONS):
                torus.add_edge(node, own.neighbour(node, direction), length=h)
        assert are_alike(shape_of(network), torus)
    mesh = nx.MultiDiGraph()
    for block in collection_networks(TORUS, h):
        mesh = mesh or shape_of(block)
        assert are_alike(shape_of(block), mesh)


def test_type_i_worked_by_hand():
    # G_1 of Fig. 1: rows and columns 1, 5, 9, 13.
    network = distribution_networks(TORUS, 4, "I")[1]
    places = (1, 5, 9, 13)
    assert network.nodes == tuple(16 * row + column for row in places for column in places)
    assert set(network.channels) == {
        (node, direction)
        for node in range(256)
        for direction in range(DIRECTIONS)
        if (node // 16 if direction in (Y_POSITIVE, Y_NEGATIVE) else node % 16) in places
    }


def test_directed_types_worked_by_hand():
    networks = distribution_networks(Grid(4, 6), 2, "III")
    assert [(network.row, network.column, network.direction) for network in networks] == [
        (0, 0, POSITIVE),
        (1, 1, POSITIVE),
        (0, 1, NEGATIVE),
        (1, 0, NEGATIVE),
    ]
    assert networks[2].nodes == (1, 3, 5, 13, 15, 17)
    assert {direction for _, direction in networks[2].channels} == {Y_NEGATIVE, X_NEGATIVE}
    assert [network.direction for network in distribution_networks(Grid(4, 6), 2, "IV")] == [
        POSITIVE,
        NEGATIVE,
        NEGATIVE,
        POSITIVE,
    ]


def test_offset_of_type_iii():
    networks = distribution_networks(TORUS, 4, "III", offset=3)
    assert [(network.row, network.column) for network in networks[4:]] == [(0, 3), (1, 0), (2, 1), (3, 2)]


def test_numbers_there_and_back():
    for network in (*distribution_networks(Grid(6, 9), 3, "II"), *collection_networks(Grid(6, 9), 3)):
        inside = {network.to_global(own): own for own in range(network.grid.nodes)}
        assert [network.to_local(node) for node in range(54)] == [inside.get(node) for node in range(54)]


@pytest.mark.parametrize("sides", [(4, 6), (9, 6), (12, 12), (8, 4), (5, 7), (4, 4)])
def test_dilations(sides):
    grid = Grid(*sides)
    most = gcd(*sides)
    expected = [h for h in range(2, most + 1) if most % h == 0 and (h, h) != sides]
    assert list(dilations(grid)) == expected
    assert dilations(Grid(*sides, wraps=False)) == ()


@pytest.mark.parametrize(
    ("grid", "h", "kind", "offset", "message"),
    [
        (TORUS, 3, "I", 1, "Dilation must divide 16 and 16, be 2 or more and leave several blocks, not 3"),
        (Grid(8, 6), 4, "I", 1, "Dilation must divide 8 and 6"),
        (TORUS, 1, "I", 1, "Dilation .* not 1"),
        (TORUS, 0, "I", 1, "Dilation .* not 0"),
        (TORUS, 16, "I", 1, "Dilation .* not 16"),
        (TORUS, 4, "V", 1, "Type of distribution networks must be I, II, III, IV, not 'V'"),
        (TORUS, 4, "III", 4, "Offset must be 1 to 3, not 4"),
        (TORUS, 4, "III", 0, "Offset must be 1 to 3, not 0"),
        (Grid(16, 16, wraps=False), 4, "I", 1, "Network to be partitioned must be a torus, not a mesh"),
    ],
)
def test_bad_input(grid, h, kind, offset, message):
    with pytest.raises(TopologyError, match=message):
        distribution_networks(grid, h, kind, offset)


def test_blocks_refuse_what_does_not_divide():
    with pytest.raises(TopologyError, match="Dilation must divide 16 and 16"):
        collection_networks(TORUS, 5)
