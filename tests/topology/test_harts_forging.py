"""Nodes that forge headers: without a guard they outvote honest copies, with it they reach a victim over one link.

RELAY passes on whatever is marked as a broadcast, so that one faulty node reaches a victim over several links. When
every node lets in only what an honest packet could be, a copy that a faulty node has made or changed comes over a link
on whose path it lies; of these there is one at most, because the paths share no node.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from itertools import product

from tests.each import each
from topology.harts.broadcast import COPIES, STAGES, TAGS, Leg, initial_legs, relayed_legs
from topology.harts.graph import DIRECTIONS, HexMesh
from topology.harts.guard import Arrival, expected_arrivals
from topology.harts.reception import VOTE, threshold

VOTING = ("3-bcast", "4-bcast", "5-bcast", "6-bcast")


def arrivals(
    mesh: HexMesh, algorithm: str, sender: int, legs: Iterable[Leg], *, guarded: bool = True
) -> dict[int, set[int]]:
    """Directions from which packets of a node reach each other one; relays send them on, and so do processors."""
    expected, found = expected_arrivals(mesh, algorithm), defaultdict(set)
    work = [(mesh.neighbour(sender, leg.direction), leg) for leg in legs]
    seen = set(work)
    for node, leg in work:
        if guarded and expected.get((node, leg.direction)) != Arrival(leg.distance, leg.stage, leg.tag):
            continue
        found[node].add(leg.direction)
        left = leg.distance - 1
        onward = [*relayed_legs(algorithm, mesh.size, leg, left), *([replace(leg, distance=left)] if left else [])]
        fresh = {(mesh.neighbour(node, following.direction), following) for following in onward} - seen
        seen |= fresh
        work += fresh
    return found


def every_leg(mesh: HexMesh) -> list[Leg]:
    """All headers that a faulty node can send."""
    ranges = range(DIRECTIONS), range(1, mesh.size + 1), range(1, STAGES + 1), range(TAGS)
    return [Leg(way, distance, stage, tag) for way, distance, stage, tag in product(*ranges)]


@each("algorithm", VOTING)
@each("size", [2, 3, 4, 5])
def test_all_forgeries_together_reach_a_victim_over_one_link(size, algorithm):
    """Every header from every node, exhaustively: nodes judge each packet by itself, so more cannot be done."""
    mesh = HexMesh(size)
    for faulty in range(1, mesh.nodes):
        assert all(len(ways) == 1 for ways in arrivals(mesh, algorithm, faulty, every_leg(mesh)).values())


@each("algorithm", VOTING)
@each("size", [3, 4])
def test_without_a_guard_forged_copies_win_the_vote(size, algorithm):
    mesh = HexMesh(size)
    found = arrivals(mesh, algorithm, 1, every_leg(mesh), guarded=False)
    assert max(map(len, found.values())) >= threshold(COPIES[algorithm], VOTE)


@each("algorithm", VOTING)
def test_without_forging_the_guard_changes_nothing(algorithm):
    mesh = HexMesh(4)
    found = arrivals(mesh, algorithm, 0, initial_legs(algorithm, mesh.size))
    assert {(node, way) for node, ways in found.items() for way in ways} == set(expected_arrivals(mesh, algorithm))
