"""Hexagonal meshes: nodes, broadcasts, static checks, and faults."""

from collections import Counter, deque

import pytest

from tests.each import each
from topology.harts.broadcast import COPIES, broadcast_copies, initial_legs, relayed_legs
from topology.harts.deadlock import check_harts_deadlock
from topology.harts.faults import NO_FAULTS, Faults
from topology.harts.graph import (
    ARRIVED,
    DIRECTIONS,
    HexMesh,
    Tags,
    after_step,
    directions_onward,
    distance,
    left,
    opposite,
    right,
    routing_tags,
)
from topology.harts.pages import least_pages
from topology.harts.reachability import unreached_pairs
from topology.harts.routing import HartsRouting, operation

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


@each("size", SIZES)
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


@each("size", SIZES)
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


@each("algorithm", COPIES)
@each("size", SIZES)
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


@each("algorithm", COPIES)
@each("size", range(3, 16))
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


@each("algorithm", COPIES)
@each("size", range(3, 16))
def test_slowest_copies(size, algorithm):
    costs = {(copy.stages, copy.hops - copy.stages) for copy in broadcast_copies(HexMesh(size), algorithm, 0)}
    front = {
        cost
        for cost in costs
        if not any(other != cost and other[0] >= cost[0] and other[1] >= cost[1] for other in costs)
    }
    assert front == FRONTS[algorithm](size)


def test_left_and_right():
    assert [left(way) for way in range(6)] == [1, 2, 3, 4, 5, 0]
    assert [right(way) for way in range(6)] == [5, 0, 1, 2, 3, 4]


FAULTY = Faults(silent_nodes=(5,), dead_links=((0, 1), (14, 15), (9, 17)))


def may_be_lost(mesh: HexMesh, faults: Faults, node: int, tags: Tags) -> bool:
    """True if a packet can reach a node where all its route candidates are dead, by following all of them."""
    if tags == ARRIVED:
        return False
    live = [way for way in directions_onward(tags) if not faults.is_dead(mesh, node, way)]
    return not live or any(may_be_lost(mesh, faults, mesh.neighbour(node, way), after_step(tags, way)) for way in live)


@each("size", [3, 4])
@each("faults", [NO_FAULTS, FAULTY])
def test_unreached_pairs_are_those_that_can_be_lost(size, faults):
    routing = HartsRouting(HexMesh(size), 64, faults if size == 3 else Faults(faults.silent_nodes))
    mesh, own = routing.mesh, routing.faults
    live = [node for node in range(mesh.nodes) if not own.is_silent(node)]
    expected = {
        (source, destination)
        for source in live
        for destination in live
        if source != destination and may_be_lost(mesh, own, source, routing_tags(mesh, source, destination))
    }
    assert set(unreached_pairs(routing)) == expected
    assert bool(expected) == bool(own.dead_links or own.silent_nodes)


def test_levels_make_a_mesh_free_from_deadlock():
    routing = HartsRouting(HexMesh(3), 64)
    least = least_pages(routing.levels)
    assert check_harts_deadlock(routing, least, classed=True).free
    few = check_harts_deadlock(routing, least - 1, classed=True)
    assert (few.free, few.reason) == (False, "12 pages are needed, and there are 11")
    verdict = check_harts_deadlock(routing, least, classed=False)
    assert not verdict.free
    ends = [name.split("->") for name in verdict.cycle]
    assert all(end == start for (_, end), (start, _) in zip(ends, ends[1:] + ends[:1], strict=True))


@each("algorithm", list(COPIES)[:7])
def test_wanted_copies(algorithm):
    mesh = HexMesh(3)
    sound = HartsRouting(mesh, 64).wanted_copies(operation(algorithm), 2)
    assert sound == {node: COPIES[algorithm] for node in range(19) if node != 2}
    faulty = HartsRouting(mesh, 64, FAULTY).wanted_copies(operation(algorithm), 2)
    assert faulty.keys() == set(range(19)) - {2, 5}
    assert sum(faulty.values()) < sum(sound.values())
    assert all(0 <= count <= COPIES[algorithm] for count in faulty.values())


def test_spoilt_copies_are_those_that_a_corrupting_node_passed_on():
    mesh, faults = HexMesh(4), Faults(corrupting_nodes=(5, 9))
    for copy in faults.surviving_copies(mesh, "6-bcast", 9):
        assert faults.spoilt(copy) == (5 in copy.path[1:-1])
