"""Wrapped hexagonal meshes: shortest paths, and every property of the broadcasts that the paper claims."""

from collections import Counter, deque

import pytest

from topology.common.errors import TopologyError
from topology.harts.broadcast import COPIES, broadcast_copies, initial_legs, relayed_legs
from topology.harts.graph import DIRECTIONS, HexMesh, left, opposite, right
from topology.harts.tags import ARRIVED, after_step, directions_onward, distance, routing_tags

SIZES = range(2, 16)


def breadth_first(mesh: HexMesh) -> tuple[list[int], list[int]]:
    """Distance from node 0, and number of shortest paths, by a search."""
    away, paths = [-1] * mesh.nodes, [0] * mesh.nodes
    away[0], paths[0], queue = 0, 1, deque([0])
    while queue:
        node = queue.popleft()
        for direction in range(DIRECTIONS):
            following = mesh.neighbour(node, direction)
            if away[following] < 0:
                away[following] = away[node] + 1
                queue.append(following)
            if away[following] == away[node] + 1:
                paths[following] += paths[node]
    return away, paths


@pytest.mark.parametrize("size", SIZES)
def test_mesh(size):
    mesh = HexMesh(size)
    assert mesh.nodes == 3 * size * (size - 1) + 1
    for direction in range(DIRECTIONS):
        assert mesh.neighbour(mesh.neighbour(5, direction), opposite(direction)) == 5
        # a step and the one after the next to the left are the one in between
        turned = mesh.neighbour(mesh.neighbour(5, direction), left(left(direction)))
        assert turned == mesh.neighbour(5, left(direction))
        # every direction is a cycle through all nodes
        assert len({mesh.neighbour(0, direction, steps) for steps in range(mesh.nodes)}) == mesh.nodes
    away, _ = breadth_first(mesh)
    assert Counter(away) == {0: 1, **{radius: 6 * radius for radius in range(1, size)}}


@pytest.mark.parametrize("size", [2, 5])
def test_ports_are_directions(size):
    mesh = HexMesh(size)
    for channel in mesh.channels:
        if mesh.is_switch(channel.source) and mesh.is_switch(channel.sink):
            assert channel.source_port == channel.sink_port < DIRECTIONS
            assert mesh.neighbour(channel.source, channel.source_port) == channel.sink
        else:
            assert {channel.source, channel.sink} == {
                channel.source % mesh.nodes,
                channel.source % mesh.nodes + mesh.nodes,
            }


@pytest.mark.parametrize("size", SIZES)
def test_tags_allow_exactly_all_shortest_paths(size):
    mesh = HexMesh(size)
    away, paths = breadth_first(mesh)

    def count(tags) -> int:
        return 1 if tags == ARRIVED else sum(count(after_step(tags, way)) for way in directions_onward(tags))

    for node in range(mesh.nodes):
        tags = routing_tags(mesh, 0, node)
        assert sum(map(abs, tags)) == distance(mesh, 0, node) == away[node]
        assert sum(1 for steps in tags if steps) <= 2
        if size <= 6:
            assert count(tags) == paths[node]
        at = 3 % mesh.nodes
        while tags != ARRIVED:
            way = directions_onward(tags)[-1]
            at, tags = mesh.neighbour(at, way), after_step(tags, way)
        assert at == (3 + node) % mesh.nodes


@pytest.mark.parametrize("algorithm", COPIES)
@pytest.mark.parametrize("size", SIZES)
def test_copies_come_over_disjoint_paths(size, algorithm):
    mesh, source = HexMesh(size), 4
    copies, by_node = list(broadcast_copies(mesh, algorithm, source)), {}
    for copy in copies:
        by_node.setdefault(copy.node, []).append(copy)
    assert len(copies) == COPIES[algorithm] * (mesh.nodes - 1)
    assert by_node.keys() == set(range(mesh.nodes)) - {source}
    for found in by_node.values():
        assert len({copy.direction for copy in found}) == len(found) == COPIES[algorithm]
        between = [node for copy in found for node in copy.path[1:-1]]
        assert len(set(between)) == len(between)  # no two paths share a node, and none meets itself
    links = [(copy.path[-2], copy.direction) for copy in copies]
    assert len(set(links)) == len(links)


SENDS = {"sbcast": (6, -6), "2-bcast": (12, -12), "3-bcast": (12, -6), "4-bcast": (24, -24), "5-bcast": (30, -30)}
SENDS |= {"6-bcast": (36, -36), "sfbcast": (6, -6), "algorithm-a": (0, 1)}


@pytest.mark.parametrize("algorithm", COPIES)
@pytest.mark.parametrize("size", range(3, 16))
def test_number_of_sends(size, algorithm):
    factor, constant = SENDS[algorithm]
    assert number_of_sends(HexMesh(size), algorithm) == factor * size + constant


def number_of_sends(mesh: HexMesh, algorithm: str) -> int:
    waiting, sends = list(initial_legs(algorithm, mesh.size)), 0
    while waiting:
        leg = waiting.pop()
        sends += 1
        for steps_left in range(leg.distance):
            waiting += relayed_legs(algorithm, mesh.size, leg, steps_left)
    return sends


# (stages, hops cut through) of the slowest copies, whatever the ratio of the two times; Sec. 7 of the specification
FRONTS = {
    "sbcast": lambda n: {(2, n - 3), (1, n - 2)},
    "2-bcast": lambda n: {(2, 2 * n - 4)},
    "3-bcast": lambda n: {(2, 2 * n - 4)},
    "4-bcast": lambda n: {(3, n - 3), (2, 2 * n - 4)},
    "5-bcast": lambda n: {(3, 2 * n - 5), (2, 2 * n - 4)},
    "6-bcast": lambda n: {(3, 2 * n - 5), (2, 2 * n - 4)},
    "sfbcast": lambda n: {(2, n - 3), (1, n - 2)},
    "algorithm-a": lambda n: {(1, 3 * n * (n - 1) - 1)},
}


@pytest.mark.parametrize("algorithm", COPIES)
@pytest.mark.parametrize("size", range(3, 16))
def test_slowest_copies(size, algorithm):
    costs = {(copy.stages, copy.hops - copy.stages) for copy in broadcast_copies(HexMesh(size), algorithm, 0)}
    front = {
        cost
        for cost in costs
        if not any(other != cost and other[0] >= cost[0] and other[1] >= cost[1] for other in costs)
    }
    assert front == FRONTS[algorithm](size)


@pytest.mark.parametrize("size", range(3, 8))
def test_six_broadcast_uses_all_links_but_those_into_the_source(size):
    mesh = HexMesh(size)
    used = {(copy.path[-2], copy.direction) for copy in broadcast_copies(mesh, "6-bcast", 0)}
    into_source = {(mesh.neighbour(0, opposite(way)), way) for way in range(DIRECTIONS)}
    assert used == {(node, way) for node in range(mesh.nodes) for way in range(DIRECTIONS)} - into_source


@pytest.mark.parametrize("size", [1, 149])
def test_size_is_checked(size):
    with pytest.raises(TopologyError, match=f"Size must be 2 to 148, not {size}"):
        HexMesh(size)


def test_left_and_right():
    assert [left(way) for way in range(6)] == [1, 2, 3, 4, 5, 0]
    assert [right(way) for way in range(6)] == [5, 0, 1, 2, 3, 4]
