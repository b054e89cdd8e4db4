"""Number of failures that a k-reliable broadcast tolerates (Sec. 4), by enumeration."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

from topology.common.errors import TopologyError
from topology.harts.broadcast import COPIES
from topology.harts.faults import Faults
from topology.harts.graph import DIRECTIONS, HexMesh

RELIABLE = tuple(COPIES)[:6]
SAMPLES = 20_000


def link_number(mesh: HexMesh, node: int, direction: int) -> int:
    """A number for a link, whichever way it is used."""
    return 3 * node + direction if direction < 3 else 3 * mesh.neighbour(node, direction) + direction - 3


def between(mesh: HexMesh, algorithm: str) -> list[list[list[int]]]:
    """By node and copy from node 0: the nodes in between."""
    found: list[list[list[int]]] = [[] for _ in range(mesh.nodes)]
    for copy in Faults().surviving_copies(mesh, algorithm, 0):
        found[copy.node].append(list(copy.path[1:-1]))
    return found


def links(mesh: HexMesh, algorithm: str) -> list[list[list[int]]]:
    """By node and copy: the links on the way."""
    found: list[list[list[int]]] = [[] for _ in range(mesh.nodes)]
    for copy in Faults().surviving_copies(mesh, algorithm, 0):
        way = []
        for node, following in zip(copy.path, copy.path[1:], strict=False):
            direction = next(d for d in range(DIRECTIONS) if mesh.neighbour(node, d) == following)
            way.append(link_number(mesh, node, direction))
        found[copy.node].append(way)
    return found


def failed_sets(items: list[int], count: int, seed: int) -> np.ndarray:
    """All sets of ``count`` items, or a sample; int64[sets, count]."""
    sets = comb(len(items), count)
    if sets <= SAMPLES:
        return np.array(list(combinations(items, count)), dtype=np.int64).reshape(sets, count)
    random = np.random.default_rng(seed)
    return np.array([random.choice(items, count, replace=False) for _ in range(SAMPLES)])


def hits(ways: list[list[int]], failed: np.ndarray, items: int) -> np.ndarray:
    """Hits of each set of failures on each copy; bool[sets, copies]."""
    touched = np.zeros((len(ways), items), dtype=bool)
    for copy, way in enumerate(ways):
        touched[copy, way] = True
    return touched[:, failed].any(axis=2).T


@pytest.mark.parametrize("algorithm", RELIABLE)
@pytest.mark.parametrize("size", [3, 4, 5, 7])
def test_every_live_node_is_reached_with_up_to_k_minus_1_silent_nodes(size, algorithm):
    mesh, copies = HexMesh(size), COPIES[algorithm]
    failed = failed_sets(list(range(1, mesh.nodes)), copies - 1, seed=size)
    ways = between(mesh, algorithm)
    for node in range(1, mesh.nodes):
        alive = ~(failed == node).any(axis=1)
        lost = hits(ways[node], failed, mesh.nodes).all(axis=1)
        assert not (lost & alive).any()


@pytest.mark.parametrize("algorithm", RELIABLE)
@pytest.mark.parametrize("size", [3, 4, 5, 7])
def test_every_node_is_reached_with_up_to_k_minus_1_dead_links(size, algorithm):
    mesh, copies = HexMesh(size), COPIES[algorithm]
    failed = failed_sets(list(range(3 * mesh.nodes)), copies - 1, seed=size)
    for ways in links(mesh, algorithm)[1:]:
        assert not hits(ways, failed, 3 * mesh.nodes).all(axis=1).any()


@pytest.mark.parametrize("algorithm", RELIABLE[1:])
def test_the_bound_is_tight(algorithm):
    """k suitable nodes silence any node that is no neighbour of the source."""
    mesh, copies = HexMesh(3), COPIES[algorithm]
    neighbours = {mesh.neighbour(0, way) for way in range(DIRECTIONS)}
    for node, ways in enumerate(between(mesh, algorithm)):
        if node and node not in neighbours:
            silent = tuple(way[0] for way in ways)
            assert len(silent) == copies
            survivors = Faults(silent_nodes=silent).surviving_copies(mesh, algorithm, 0)
            assert all(copy.node != node for copy in survivors)


@pytest.mark.parametrize("algorithm", RELIABLE)
@pytest.mark.parametrize("size", [3, 4])
def test_the_majority_is_right_with_few_corrupting_nodes_and_one_more_breaks_it(size, algorithm):
    mesh, copies = HexMesh(size), COPIES[algorithm]
    most = (copies - 1) // 2
    ways = between(mesh, algorithm)
    broken = False
    for count in (most, most + 1):
        failed = failed_sets(list(range(1, mesh.nodes)), count, seed=size)
        for node in range(1, mesh.nodes):
            wrong = hits(ways[node], failed, mesh.nodes).sum(axis=1)
            sound = ~(failed == node).any(axis=1)
            majority = 2 * wrong < copies
            if count == most:
                assert majority[sound].all()
            else:
                broken |= bool((~majority & sound).any())
    assert broken


def test_spoilt_copies_are_those_that_a_corrupting_node_passed_on():
    mesh, faults = HexMesh(4), Faults(corrupting_nodes=(5, 9))
    for copy in faults.surviving_copies(mesh, "6-bcast", 9):
        assert faults.spoilt(copy) == (5 in copy.path[1:-1])


@pytest.mark.parametrize(
    ("faults", "text"),
    [
        (Faults(silent_nodes=(19,)), "Faulty node must be 0 to 18, not 19"),
        (Faults(corrupting_nodes=(-1,)), "Faulty node must be 0 to 18, not -1"),
        (Faults(dead_links=((0, 9),)), r"Dead link must join two neighbours, not \[0, 9\]"),
        (Faults(dead_links=((0, 40),)), r"Dead link must join two neighbours, not \[0, 40\]"),
    ],
)
def test_unknown_places_are_refused(faults, text):
    with pytest.raises(TopologyError, match=text):
        faults.check(HexMesh(3))
