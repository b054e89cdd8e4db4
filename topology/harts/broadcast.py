"""Broadcast procedures (Sec. 4) at the source and at every node with a copy.

A packet goes straight on for ``distance`` steps and leaves a copy at every node on its way (RELAY). Nodes make the
turns: the sends of a node depend on the copy's direction of travel, the steps still to go, the stage and a tag. So its
source and the name of the algorithm determine the whole broadcast.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from topology.harts.graph import DIRECTIONS, HexMesh, left, right

NO_TAG, TAG_A, TAG_B, TAG_C, TAG_D = range(5)
SFBCAST, ALGORITHM_A = "sfbcast", "algorithm-a"
COPIES = {"sbcast": 1, "2-bcast": 2, "3-bcast": 3, "4-bcast": 4, "5-bcast": 5, "6-bcast": 6, SFBCAST: 1, ALGORITHM_A: 1}
"""Copies for every node, over as many node-disjoint paths, by algorithm.

The last two are what the paper compares with: SBCAST without cut-through, where every node stores a packet before it
sends it on, and one packet that goes round the whole mesh in one direction (Algorithm A).
"""
ALGORITHMS = (ALGORITHM_A, "sbcast", "2-bcast", "3-bcast", "4-bcast", "5-bcast", "6-bcast", SFBCAST)
"""Algorithms by their number in headers."""
STAGES = 3
TAGS = 5


def algorithm_number(name: str) -> int:
    """Return an algorithm's number in headers."""
    return ALGORITHMS.index(name)


@dataclass(frozen=True)
class Leg:
    """A send of a node.

    Members:
        direction
        distance: Steps, at least 1.
        stage: 1 for the source's packets, 2 and 3 after the first and the second turn.
        tag: Tells nodes on the second stage whether to turn again, and where.
    """

    direction: int
    distance: int
    stage: int
    tag: int = NO_TAG


def initial_legs(algorithm: str, size: int) -> tuple[Leg, ...]:
    """Return the sends of the source: straight on in all six directions (BCAST_INIT), or round the mesh in one."""
    if algorithm == ALGORITHM_A:
        return (Leg(0, 3 * size * (size - 1), 1),)
    return tuple(Leg(direction, size - 1, 1) for direction in range(DIRECTIONS))


def relayed_legs(algorithm: str, size: int, leg: Leg, steps_left: int) -> tuple[Leg, ...]:
    """Return the sends of a node after a copy is delivered to it.

    Parameters:
        algorithm: One of ``COPIES``.
        size: n.
        leg: The leg that brought the copy.
        steps_left: Steps that its packet still has to go from here.
    """
    copies, ahead = COPIES[algorithm], leg.direction
    if algorithm == ALGORITHM_A:
        return ()
    if leg.stage == 1:
        if copies <= 3:
            return _simple(copies, size, ahead, steps_left)
        return tuple(_spreading(copies, size, ahead, steps_left))
    if leg.stage == 2 and steps_left:
        return _second_turn(ahead, steps_left, leg.tag)
    return ()


def _simple(copies: int, size: int, ahead: int, steps_left: int) -> tuple[Leg, ...]:
    """Return the legs of SBCAST, 2-BCAST and 3-BCAST: one turn."""
    to_left, to_right = Leg(left(ahead), steps_left, 2), Leg(right(ahead), steps_left, 2)
    round_right = Leg(right(ahead), size - 1, 2)
    if copies == 1:
        return (to_left,) if steps_left else ()
    if copies == 2:
        return (to_left, to_right) if steps_left else (round_right,)
    return Leg(left(ahead), size - 1, 2), to_right if steps_left else round_right


def _spreading(copies: int, size: int, ahead: int, steps_left: int) -> Iterator[Leg]:
    """Yield the legs of 4-, 5- and 6-BCAST: up to two turns. In a mesh of size 2, corner and predecessor coincide."""
    whole = size - 1
    at_corner, before_corner = steps_left == 0, steps_left == size - 2
    if at_corner:
        yield Leg(left(ahead), whole, 2, TAG_A if copies == 6 else NO_TAG)
        if copies >= 5:
            yield Leg(right(ahead), whole, 2, TAG_B)
        if copies == 6:
            yield Leg(ahead, whole, 2)
    if before_corner:
        if not at_corner:
            yield Leg(left(ahead), whole, 2, TAG_C)
            yield Leg(right(ahead), whole, 2, TAG_D)
        yield Leg(left(left(ahead)), 1, 2)
        yield Leg(right(right(ahead)), 1, 2)
    if not at_corner and not before_corner:
        yield Leg(left(ahead), whole, 2)
        yield Leg(right(ahead), whole, 2)


def _second_turn(ahead: int, steps_left: int, tag: int) -> tuple[Leg, ...]:
    turns = {
        TAG_A: (right(ahead), steps_left),
        TAG_B: (left(ahead), steps_left),
        TAG_C: (left(ahead), 1),
        TAG_D: (right(ahead), 1),
    }
    return (Leg(*turns[tag], 3),) if tag in turns else ()


@dataclass(frozen=True)
class Copy:
    """A copy that a node receives.

    Members:
        node
        direction: Of travel over the last link.
        steps_left: Of the leg that brought it.
        hops, stages (int): Links and legs from the source.
        tag: Of the leg.
        path: Nodes on the way, source and receiver included.
    """

    node: int
    direction: int
    steps_left: int
    hops: int
    stages: int
    tag: int
    path: tuple[int, ...]


def broadcast_copies(mesh: HexMesh, algorithm: str, source: int) -> Iterator[Copy]:
    """Yield all copies of a broadcast in a network without faults, in no particular order of time."""
    waiting = [((source,), leg) for leg in initial_legs(algorithm, mesh.size)]
    while waiting:
        path, leg = waiting.pop()
        for steps_left in reversed(range(leg.distance)):
            path = (*path, mesh.neighbour(path[-1], leg.direction))
            yield Copy(path[-1], leg.direction, steps_left, len(path) - 1, leg.stage, leg.tag, path)
            waiting += [(path, sent) for sent in relayed_legs(algorithm, mesh.size, leg, steps_left)]
