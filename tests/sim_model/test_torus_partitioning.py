"""Multicasts by partitioning: the networks' properties P1 and P2, receivers and channels of each phase, choices."""

from collections import Counter
from math import gcd

import pytest

from sim_model.torus.chains import NEGATIVE, POSITIVE
from sim_model.torus.partitioning import Partitioning, Scheme
from sim_model.torus.subnetworks import KINDS, collection_networks, dilations, distribution_networks
from tests.sim_model.torus_traffic import conflicts, links, random_multicasts, vcs
from topology.common.errors import TopologyError
from topology.torus.grid import DIRECTIONS, X_NEGATIVE, Y_NEGATIVE, Y_POSITIVE, Grid

TORUS = Grid(16, 16)
CASES = [(h, kind) for h in (2, 4) for kind in KINDS]
NUMBERS = {(2, "I"): 2, (2, "II"): 4, (2, "III"): 4, (2, "IV"): 4}
NUMBERS |= {(4, "I"): 4, (4, "II"): 16, (4, "III"): 8, (4, "IV"): 16}
NODE_CONTENTION = {(2, "I"): {0, 1}, (2, "II"): {1}, (2, "III"): {1}, (2, "IV"): {1}}
NODE_CONTENTION |= {(4, "I"): {0, 1}, (4, "II"): {1}, (4, "III"): {0, 1}, (4, "IV"): {1}}
LINK_CONTENTION = {"I": lambda _: 1, "II": lambda h: h, "III": lambda _: 1, "IV": lambda h: h // 2}


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
        (TORUS, 4, "V", 1, "Type of distribution networks is 'V'; it must be I, II, III, IV"),
        (TORUS, 4, "III", 4, "Offset is 4; it must be 1 to 3"),
        (TORUS, 4, "III", 0, "Offset is 0; it must be 1 to 3"),
        (Grid(16, 16, wraps=False), 4, "I", 1, "Network to be partitioned must be a torus, not a mesh"),
    ],
)
def test_bad_networks(grid, h, kind, offset, message):
    with pytest.raises(TopologyError, match=message):
        distribution_networks(grid, h, kind, offset)


# Multicasts by partitioning: receivers and channels of each phase, and the choice of schemes.

SCHEMES = [f"{h}{kind}{balance}" for h in (2, 4) for kind in KINDS for balance in ("", "B")]


def partitioning(name: str, grid: Grid = TORUS, seed: int = 0) -> Partitioning:
    return Partitioning(grid, Scheme.named(name), seed)


def places(grid, phase):
    return [(grid.position(send.sender), grid.position(send.receiver)) for send in phase]


@pytest.mark.parametrize(("grid", "name"), [(TORUS, name) for name in SCHEMES] + [(Grid(6, 9), "3IIIB")], ids=str)
def test_everyone_gets_the_message_once_and_nobody_in_vain(grid, name):
    parts = partitioning(name, grid)
    for source, destinations in random_multicasts(grid, 60, seed=1):
        sends = parts.multicast(source, [*destinations, source]).sends
        receivers = [send.receiver for send in sends]
        assert len(set(receivers)) == len(receivers)
        assert set(destinations) <= set(receivers)
        assert source not in receivers
        assert set(receivers) - set(destinations) <= {send.sender for send in sends}
        has_it = {source}
        for send in sends:
            assert send.sender in has_it
            has_it.add(send.receiver)


@pytest.mark.parametrize("name", SCHEMES)
def test_each_phase_keeps_to_its_channels_without_contention(name):
    parts = partitioning(name)
    inside = [set(network.channels) for network in parts.networks]
    in_blocks = {channel for block in parts.blocks for channel in block.channels}
    for source, destinations in random_multicasts(TORUS, 40, seed=2):
        multicast = parts.multicast(source, destinations)
        network = parts.networks[multicast.network]
        first, second, third = multicast.phases
        assert {send[1:] for send in first} <= {
            (source, multicast.representative, TORUS.shortest(source, multicast.representative))
        }
        assert {channel for send in second for channel in links(TORUS, send)} <= inside[multicast.network]
        assert network.direction is None or {send.turns for send in second} <= {network.direction}
        assert conflicts(TORUS, second, vcs) == 0
        assert {channel for send in third for channel in links(TORUS, send)} <= in_blocks
        assert conflicts(TORUS, third, links) == 0


@pytest.mark.parametrize("name", SCHEMES)
def test_representatives_of_blocks_are_nodes_of_the_network(name):
    parts = partitioning(name)
    blocks = collection_networks(TORUS, parts.scheme.dilation)
    for source, destinations in random_multicasts(TORUS, 40, seed=3, most=40):
        multicast = parts.multicast(source, destinations)
        nodes = parts.networks[multicast.network].nodes
        assert multicast.representative in nodes
        _, second, third = multicast.phases
        wanted = set(destinations) - {multicast.representative}
        needed = {nodes[number] for number, block in enumerate(blocks) if wanted & set(block.nodes)}
        assert {send.receiver for send in second} == needed - {multicast.representative, source}
        assert {send.receiver for send in third} == wanted - needed


def test_4i_worked_by_hand():
    # Network 1 has rows and columns 1 and 5; the source (0,2) is in the block of (1,1).
    grid = Grid(8, 8)
    parts = partitioning("4I", grid)
    destinations = [grid.node(*place) for place in ((0, 0), (1, 1), (5, 5), (6, 5), (7, 7))]
    rounds = [parts.multicast(grid.node(0, 2), destinations) for _ in range(50)]
    multicast = next(multicast for multicast in rounds if multicast.network == 1)
    first, second, third = multicast.phases
    assert places(grid, first) == [((0, 2), (1, 1))]
    assert places(grid, second) == [((1, 1), (5, 5))]
    # by columns (5,5) (6,5) (7,7): the first keeps itself and sends to the second, which has the third
    assert places(grid, third) == [((1, 1), (0, 0)), ((5, 5), (6, 5)), ((6, 5), (7, 7))]


def test_source_serves_its_own_block_if_it_is_the_node_there():
    # The second multicast of (0,0) by network 0 goes to its next node, (0,4); (0,0) need not get it back.
    grid = Grid(8, 8)
    parts = partitioning("4IB", grid)
    source, destinations = grid.node(0, 0), [grid.node(1, 1), grid.node(5, 5)]
    rounds = [parts.multicast(source, destinations) for _ in range(8)]
    second = [multicast for multicast in rounds if multicast.network == 0][1]
    assert second.representative == grid.node(0, 4)
    assert [places(grid, phase) for phase in second.phases] == [
        [((0, 0), (0, 4))],
        [((0, 4), (4, 4))],
        [((0, 0), (1, 1)), ((4, 4), (5, 5))],
    ]


@pytest.mark.parametrize("kind", ["II", "IV"])
def test_unbalanced_source_is_its_own_representative_if_it_can(kind):
    parts = partitioning(f"4{kind}")
    for source in range(256):
        multicast = parts.multicast(source, [(source + 1) % 256])
        assert multicast.representative == source
        assert multicast.phases[0] == ()


@pytest.mark.parametrize("kind", KINDS)
def test_balanced_networks_and_nodes_differ_by_one_at_most(kind):
    parts = partitioning(f"4{kind}B")
    networks, nodes = Counter(), Counter()
    for source, destinations in random_multicasts(TORUS, 150, seed=7, most=10):
        multicast = parts.multicast(source, destinations)
        networks[multicast.network] += 1
        nodes[multicast.network, multicast.representative] += 1
        loads = [networks[number] for number in range(len(parts.networks))]
        assert max(loads) - min(loads) <= 1
        for number, network in enumerate(parts.networks):
            loads = [nodes[number, node] for node in network.nodes]
            assert max(loads) - min(loads) <= 1


@pytest.mark.parametrize(
    ("source", "order"),
    [
        ((7, 7), [(0, 0), (0, 4), (4, 0), (4, 4)]),  # the nearest is round both corners
        ((5, 5), [(4, 4), (0, 4), (4, 0), (0, 0)]),
    ],
)
def test_balanced_takes_the_nearest_then_the_lowest_of_the_idle_nodes(source, order):
    grid = Grid(8, 8)
    parts = partitioning("4IB", grid)
    rounds = [parts.multicast(grid.node(*source), [2, 57]) for _ in range(16)]
    assert [grid.position(multicast.representative) for multicast in rounds if multicast.network == 0] == order


def test_choices_of_a_seed_are_the_same_on_any_machine():
    parts = partitioning("4III", seed=1)
    assert [parts.multicast(0, [17]).network for _ in range(12)] == [3, 4, 6, 7, 0, 1, 6, 7, 1, 2, 6, 3]


def test_names():
    for name in SCHEMES:
        assert Scheme.named(name).name == name
    assert Scheme.named("16IVB") == Scheme(16, "IV", True)


@pytest.mark.parametrize("name", ["", "4", "IIIB", "4V", "4IIII", "4IIIb", "0I", "4IB ", "u-torus"])
def test_other_names_are_refused(name):
    with pytest.raises(
        ValueError, match=r"Scheme is .*; it must be a dilation, I to IV, and B or nothing, such as 4IIIB"
    ):
        Scheme.named(name)
