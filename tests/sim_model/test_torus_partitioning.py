"""Multicasts by partitioning: receivers and channels of each phase, and the choice of schemes."""

from collections import Counter

import pytest

from sim_model.torus.chains import NEGATIVE, POSITIVE
from sim_model.torus.partitioning import Partitioning, Scheme
from sim_model.torus.subnetworks import KINDS, collection_networks
from tests.sim_model.torus_paths import conflicts, links, random_multicasts, vcs
from topology.common.errors import TopologyError
from topology.torus.grid import Grid

TORUS = Grid(16, 16)
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


def test_no_message_to_a_representative_that_has_nothing_to_do():
    grid = Grid(8, 8)
    parts = partitioning("4IB", grid)
    rounds = [parts.multicast(grid.node(0, 0), [grid.node(0, 1), grid.node(1, 1)]) for _ in range(8)]
    second = [multicast for multicast in rounds if multicast.network == 0][1]
    assert second.representative == grid.node(0, 4)
    assert second.phases[:2] == ((), ())
    assert places(grid, second.phases[2]) == [((0, 0), (0, 1)), ((0, 1), (1, 1))]


def test_representative_that_is_a_destination_gets_its_message():
    grid = Grid(8, 8)
    parts = partitioning("4IB", grid)
    rounds = [parts.multicast(grid.node(0, 0), [grid.node(0, 4), grid.node(1, 1)]) for _ in range(8)]
    second = [multicast for multicast in rounds if multicast.network == 0][1]
    assert [places(grid, phase) for phase in second.phases] == [[((0, 0), (0, 4))], [], [((0, 0), (1, 1))]]


def test_directed_networks_go_their_way_only():
    grid = Grid(16, 16)
    parts = partitioning("4IV")
    positive = parts.multicast(grid.node(0, 0), [grid.node(4, 12), grid.node(12, 0)])
    negative = parts.multicast(grid.node(0, 1), [grid.node(4, 13), grid.node(12, 1)])
    assert {send.turns for send in positive.phases[1]} == {POSITIVE}
    assert {send.turns for send in negative.phases[1]} == {NEGATIVE}


@pytest.mark.parametrize("kind", ["II", "IV"])
def test_unbalanced_source_is_its_own_representative_if_it_can(kind):
    parts = partitioning(f"4{kind}")
    for source in range(256):
        multicast = parts.multicast(source, [(source + 1) % 256])
        assert multicast.representative == source
        assert multicast.phases[0] == ()


@pytest.mark.parametrize("kind", ["I", "III"])
def test_unbalanced_source_takes_any_network_in_its_own_block(kind):
    parts = partitioning(f"4{kind}")
    blocks = collection_networks(TORUS, 4)
    chosen = Counter()
    for source in range(256):
        multicast = parts.multicast(source, [(source + 100) % 256])
        chosen[multicast.network] += 1
        assert any({source, multicast.representative} <= set(block.nodes) for block in blocks)
    assert set(chosen) == set(range(len(parts.networks)))
    assert max(chosen.values()) < 3 * min(chosen.values())


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


@pytest.mark.parametrize("name", ["4I", "4IIIB"])
def test_seeds(name):
    instance = list(random_multicasts(TORUS, 30, seed=8))

    def run(seed: int):
        parts = partitioning(name, seed=seed)
        return [parts.multicast(*multicast) for multicast in instance]

    assert run(1) == run(1) != run(2)


def test_choices_of_a_seed_are_the_same_on_any_machine():
    parts = partitioning("4III", seed=1)
    assert [parts.multicast(0, [17]).network for _ in range(12)] == [3, 4, 6, 7, 0, 1, 6, 7, 1, 2, 6, 3]


def test_names():
    for name in SCHEMES:
        assert Scheme.named(name).name == name
    assert Scheme.named("16IVB") == Scheme(16, "IV", True)


@pytest.mark.parametrize("name", ["", "4", "IIIB", "4V", "4IIII", "4IIIb", "0I", "4IB ", "u-torus"])
def test_other_names_are_refused(name):
    with pytest.raises(ValueError, match="Scheme must be a dilation, I to IV, and B or nothing, such as 4IIIB, not"):
        Scheme.named(name)


def test_bad_input():
    with pytest.raises(TopologyError, match="Dilation must divide 16 and 16"):
        partitioning("3I")
    with pytest.raises(ValueError, match="Node must be 0 to 255, not 256"):
        partitioning("4I").multicast(0, [256])
    with pytest.raises(ValueError, match="Node must be 0 to 255, not -1"):
        partitioning("4I").multicast(-1, [2])
