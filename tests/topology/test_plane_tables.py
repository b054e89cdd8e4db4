"""Tree, groups, words and operators of the collective plane."""

import re
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest

from tests.each import each
from tests.networks import figure_1, random_irregular
from topology.collectives.operators import (
    OPERATORS,
    combine,
    combine_arrays,
    operator_number,
    to_signed,
)
from topology.collectives.tables import Group, PlaneTables, groups_of
from topology.collectives.tree import MAX_BRANCHES, Branch, PlaneTree, plane_tree
from topology.collectives.words import WordFormat
from topology.common.errors import TopologyError
from topology.common.graph import Network
from topology.common.regular import mesh_network
from topology.harts.graph import HexMesh
from topology.hypercube.graph import HypercubeNetwork
from topology.min.graph import KINDS, MinNetwork
from topology.spam.graph import SpamLabels
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid

NETWORKS = {
    "mesh": TorusNetwork(Grid(4, 5, wraps=False), 2),
    "torus": TorusNetwork(Grid(4, 4), 1),
    "hypercube": HypercubeNetwork(4, 2),
    "hexagonal mesh": HexMesh(3),
    "one switch": Network(1, [], [0, 0, 0]),
    "irregular": random_irregular(5),
    **{kind: MinNetwork(kind, 2, 3) for kind in KINDS},
    **{f"{kind}, private": MinNetwork(kind, 2, 3, 2) for kind in KINDS},
    "one private stage": MinNetwork("omega", 3, 1, 3),
}


def distances(network):
    return dict(nx.all_pairs_shortest_path_length(network.switch_graph))


@each("name", NETWORKS)
def test_trees_are_breadth_first_from_the_centre(name):
    network = NETWORKS[name]
    tree = plane_tree(network)
    hops = distances(network)
    homes = [network.channels[network.delivery_channel(p)].source for p in range(len(network.processors))]
    assert tree.processors == tuple(homes)
    reaching = [switch for switch in range(network.switches) if all(home in hops[switch] for home in homes)]

    def measure(switch):
        far = [hops[switch][home] for home in set(homes)]
        return max(far), sum(far), switch

    assert tree.root == min(reaching, key=measure)
    for switch in tree.switches:
        assert tree.depth[switch] == hops[tree.root][switch] == len(tree.path_up(switch)) - 1
        above = tree.parent[switch]
        if above is not None:
            nearer = [s for s in network.switch_graph[switch] if hops[tree.root][s] < hops[tree.root][switch]]
            assert above in nearer
            assert switch in homes or any(not branch.is_processor for branch in tree.branches_of(switch))
    assert tree.foreign_links == ()


def test_neighbours_come_in_ascending_order():
    tree = plane_tree(mesh_network([3, 3]))
    assert tree.root == 4
    assert tree.edges == ((0, 1), (1, 4), (2, 1), (3, 4), (5, 4), (6, 3), (7, 4), (8, 5))


def test_the_tree_of_labels_may_be_taken():
    network = figure_1()
    labels = SpamLabels(network)
    tree = plane_tree(network, parents=labels.parent[: network.switches].tolist())
    assert tree.root == labels.root
    assert all(labels.parent[child] == above for child, above in tree.edges)
    assert set(tree.processors) <= set(tree.switches)


@each("seed", range(20))
def test_branches_are_children_then_processors(seed):
    tree = plane_tree(random_irregular(seed))
    ends = [(branch.is_processor, branch.number) for branch in tree.branches]
    assert sorted(ends) == sorted(
        [(False, child) for child, _ in tree.edges] + [(True, processor) for processor in range(len(tree.processors))]
    )
    for switch in tree.switches:
        own = tree.branches_of(switch)
        assert [branch.port for branch in own] == list(range(len(own)))
        assert all(before[2:] < after[2:] for before, after in pairwise(own))
        assert all(tree.parent[b.number] == switch for b in own if not b.is_processor)
        assert all(tree.processors[b.number] == switch for b in own if b.is_processor)
    assert all(tree.parent[switch] in (None, *tree.top_down[:place]) for place, switch in enumerate(tree.top_down))


def test_edges_may_be_given():
    network = mesh_network([2, 2])
    tree = plane_tree(network, edges=[[0, 3], [1, 3], [2, 3]])
    assert tree.root == 3
    assert tree.foreign_links == ((0, 3),)
    assert tree.branches_of(3) == (
        Branch(3, 0, False, 0),
        Branch(3, 1, False, 1),
        Branch(3, 2, False, 2),
        Branch(3, 3, True, 3),
    )
    alone = Network(3, [(0, 1), (1, 2)], [1, 1])
    assert plane_tree(alone, edges=[]).switches == (1,)
    assert plane_tree(alone, edges=[[0, 1], [1, 2]]).switches == (1, 2)


@each(
    "edges, root, message",
    [
        ([[0, 1, 2]], None, "Edge [0, 1, 2] of the tree must be [child, parent]"),
        ([[0, 4]], None, "Edge [0, 4] of the tree names unknown switch 4; switches are 0 to 3"),
        ([[0, "a"]], None, "Edge [0, 'a'] of the tree names unknown switch 'a'; switches are 0 to 3"),
        ([[0, 0]], None, "Edge [0, 0] of the tree is a loop; it must join two different switches"),
        ([[0, 1], [0, 2]], None, "Switch 0 of the tree has parents 1 and 2; it must have one"),
        ([[0, 1], [2, 3]], None, "Switches without a parent are [1, 3]; a tree must have exactly 1"),
        ([[0, 1], [1, 0]], None, "Switches without a parent are []; a tree must have exactly 1"),
        (
            [[0, 1], [1, 0], [2, 3]],
            None,
            "Tree parents of switch 0 run in a circle; they must lead to the root",
        ),
        ([[0, 1], [2, 1]], None, "Switch 3 has processors and is not in the tree; the tree must reach all processors"),
        ([], None, "Switch 1 has processors and is not in the tree; the tree must reach all processors"),
        ([[0, 1], [2, 1], [3, 1]], 2, "Root is 2; the tree has another one"),
        (None, 4, "Root 4 is no switch; switches are 0 to 3"),
    ],
)
def test_wrong_trees_are_refused(edges, root, message):
    with pytest.raises(TopologyError) as caught:
        plane_tree(mesh_network([2, 2]), root, edges)
    assert str(caught.value) == message


def test_trees_have_limits():
    with pytest.raises(TopologyError, match="A plane has 0 processors; it must have at least 1"):
        PlaneTree({0: None}, ())
    with pytest.raises(TopologyError, match="Parent 2 of switch 1 is not in the tree"):
        PlaneTree({0: None, 1: 2}, (0,))
    with pytest.raises(TopologyError, match="Switch 1 of processor 0 is not in the tree"):
        PlaneTree({0: None}, (1,))
    assert len(PlaneTree({0: None}, (0,) * MAX_BRANCHES).branches) == MAX_BRANCHES
    with pytest.raises(TopologyError, match="Switch 0 has 33 branches; a switch of the plane must have at most 32"):
        PlaneTree({0: None}, (0,) * 33)
    two = Network(2, [(0, 1)], [0, 1])
    two.edges = ()
    with pytest.raises(TopologyError, match="No switch reaches all processors"):
        plane_tree(two)


def test_parts_without_processors_are_left_out():
    network = Network(6, [(0, 1), (1, 2), (2, 3), (2, 4), (4, 5)], [1, 3])
    assert plane_tree(network, root=4).parent == {4: None, 2: 4, 1: 2, 3: 2}
    assert plane_tree(network).root == 2


@each("seed", range(30))
def test_tables_follow_the_paths_of_members(seed):
    random = np.random.default_rng(seed)
    tree = plane_tree(random_irregular(seed))
    processors = len(tree.processors)
    members = [
        tuple(random.choice(processors, int(random.integers(1, processors + 1)), replace=False).tolist())
        for _ in range(int(random.integers(1, 9)))
    ]
    tables = PlaneTables(tree, groups_of(members))
    for group, own in enumerate(members):
        paths = [set(tree.path_up(tree.processors[member])) for member in own]
        common = set.intersection(*paths)
        top = max(common, key=tree.depth.__getitem__)
        assert tables.top_switch[group] == top
        assert [tree.switches[row] for row in np.flatnonzero(tables.top[:, group])] == [top]
        assert tables.depth_of(group) == max(tree.depth[tree.processors[member]] for member in own) - tree.depth[top]
        below = set.union(*paths) - common | {top}
        for branch in tree.branches:
            behind = branch.number in own if branch.is_processor else branch.number in below - {top}
            bit = tables.taking_part[tree.position[branch.switch], group] >> branch.port & 1
            assert bit == (behind and branch.switch in below)


def test_wrong_groups_are_refused():
    tree = plane_tree(figure_1())
    with pytest.raises(TopologyError, match="Group 0 has 0 members; it must have at least 1"):
        groups_of([[]])
    with pytest.raises(TopologyError, match="Member 3 of group 1 is there twice"):
        groups_of([[3], [3, 1, 3]])
    with pytest.raises(TopologyError, match="Member 5 of group 0 is no processor; they are 0 to 4"):
        PlaneTables(tree, groups_of([[0, 5]]))
    with pytest.raises(TopologyError, match="Group 1 is at position 0; groups must be numbered from 0"):
        PlaneTables(tree, (Group(1, (0,)),))
    with pytest.raises(ValueError, match="groups is 0; it must be 1 to 8"):
        PlaneTables(tree, ())
    with pytest.raises(ValueError, match="groups is 9; it must be 1 to 8"):
        PlaneTables(tree, groups_of([[0]] * 9))


@each("word_bits", [8, 9, 31, 32, 33, 63, 64])
def test_operators_are_those_of_integers(word_bits):
    random = np.random.default_rng(word_bits)
    edges = [0, 1, (1 << word_bits) - 1, 1 << word_bits - 1, (1 << word_bits - 1) - 1]
    for operator, name in enumerate(OPERATORS):
        assert operator_number(name) == operator
        for count in (1, 2, 5):
            rows = [
                edges[:],
                *(random.integers(0, 1 << word_bits, 5, dtype=np.uint64).tolist() for _ in range(count - 1)),
            ]
            columns = list(zip(*rows, strict=True))
            signed = [[to_signed(word, word_bits) for word in column] for column in columns]
            expected = {
                "sum": [sum(column) % (1 << word_bits) for column in columns],
                "min": [min(column) for column in columns],
                "max": [max(column) for column in columns],
                "signed-min": [min(column) % (1 << word_bits) for column in signed],
                "signed-max": [max(column) % (1 << word_bits) for column in signed],
                "and": [int(np.bitwise_and.reduce(np.array(column, dtype=np.uint64))) for column in columns],
                "or": [int(np.bitwise_or.reduce(np.array(column, dtype=np.uint64))) for column in columns],
                "xor": [int(np.bitwise_xor.reduce(np.array(column, dtype=np.uint64))) for column in columns],
            }[name]
            assert [combine(operator, column, word_bits) for column in columns] == expected
            found = combine_arrays(operator, np.array(rows, dtype=np.uint64), word_bits)
            assert found.dtype == np.uint64
            assert found.tolist() == expected


@pytest.mark.parametrize(("word_bits", "groups", "width"), [(8, 1, 11), (32, 4, 37), (64, 5, 70), (32, 8, 38)])
def test_words_are_packed_as_laid_out(word_bits, groups, width):
    layout = WordFormat(word_bits, groups)
    assert layout.width == width
    assert list(layout.positions) == [name for name, _ in layout.fields]
    word = layout.pack(word=layout.mask, last=True, group=groups - 1)
    assert layout.unpack(word) == {"word": layout.mask, "last": 1, "error": 0, "group": groups - 1, "valid": 1}
    assert layout.pack(word=5, error=True, valid=False) == 5 | 1 << word_bits + 1
    assert layout.operator_of(layout.header(6)) == 6


@each(
    "make, message",
    [
        (lambda: WordFormat(7, 1), "word_bits is 7; it must be 8 to 64"),
        (lambda: WordFormat(65, 1), "word_bits is 65; it must be 8 to 64"),
        (lambda: WordFormat(8, 9), "groups is 9; it must be 1 to 8"),
        (lambda: WordFormat(8, 2).pack(word=256), "word is 256; it must fit in 8 bits"),
        (lambda: WordFormat(8, 2).pack(word=0, group=2), "group is 2; it must be 0 to 1"),
        (lambda: WordFormat(8, 2).header(8), "Operator is 8; it must be 0 to 7"),
        (lambda: operator_number("mean"), f"Operator is 'mean'; it must be one of {', '.join(OPERATORS)}"),
    ],
)
def test_wrong_words_are_refused(make, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        make()
