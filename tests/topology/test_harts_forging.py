"""Nodes that forge headers, one packet after the other: against a naive vote they succeed, against the guard they fail.

RELAY passes on whatever is marked as a broadcast, so that one faulty node reaches a victim over several links. When
every node lets in only what an honest packet could be, a copy that a faulty node has made or changed comes over a link
on whose path it lies; of these there is one at most, because the paths share no node.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

from tests.each import each
from topology.harts.broadcast import COPIES, STAGES, TAGS, Leg, initial_legs, relayed_legs
from topology.harts.graph import DIRECTIONS, HexMesh
from topology.harts.guard import Arrival, expected_arrivals
from topology.harts.reception import VOTE, threshold

VOTING = ("3-bcast", "4-bcast", "5-bcast", "6-bcast")
SOURCE = 0
TRUTH = "as sent"
TRIALS = 40
MAX_FORGED = 60
NONE_FAULTY = -1
Guard = Callable[[int, "Sent"], bool]


@dataclass(frozen=True)
class Sent:
    """A packet on a link, before the receiving node counts its distance down."""

    algorithm: str
    leg: Leg
    body: str


class Mesh:
    """Nodes that pass on packets, one of which is faulty."""

    def __init__(self, mesh: HexMesh, faulty: int, lets_in: Guard, numbers: random.Random):
        self.mesh = mesh
        self.first: dict[tuple[int, str], dict[int, str]] = {}
        self._faulty = faulty
        self._lets_in = lets_in
        self._numbers = numbers
        self._under_way: list[tuple[int, Sent]] = []  # with the receiving node

    def send(self, node: int, packet: Sent) -> None:
        """A node puts a packet on a link."""
        self._under_way.append((self.mesh.neighbour(node, packet.leg.direction), packet))

    def run(self) -> None:
        """Until no packet is under way. Any of them may be the next to arrive."""
        while self._under_way:
            number = self._numbers.randrange(len(self._under_way))
            self._under_way[number], self._under_way[-1] = self._under_way[-1], self._under_way[number]
            node, packet = self._under_way.pop()
            if self._lets_in(node, packet):
                self._arrive(node, packet)

    def _arrive(self, node: int, packet: Sent) -> None:
        """RELAY, and the packets that the node's processor sends on."""
        leg, algorithm = packet.leg, packet.algorithm
        left = leg.distance - 1
        self.first.setdefault((node, algorithm), {}).setdefault(leg.direction, packet.body)
        onward = relayed_legs(algorithm, self.mesh.size, leg, left)
        if left:
            onward = (*onward, Leg(leg.direction, left, leg.stage, leg.tag))
        body = packet.body
        if node == self._faulty:
            body = self._numbers.choice([body, "spoilt", ""])
        for following in onward if body else ():
            self.send(node, Sent(algorithm, following, body))


def forged(mesh: HexMesh, numbers: random.Random, algorithm: str) -> Iterator[Sent]:
    """Packets such as only a faulty node sends, all with one body. Some have fields that would be right elsewhere."""
    likely = list(expected_arrivals(mesh, algorithm).values())
    for _ in range(numbers.randint(MAX_FORGED // 2, MAX_FORGED)):
        arrival = Arrival(numbers.randint(1, mesh.size), numbers.randint(1, STAGES), numbers.randrange(TAGS))
        distance, stage, tag = numbers.choice([arrival, numbers.choice(likely)])
        leg = Leg(numbers.randrange(DIRECTIONS), distance, stage, tag)
        yield Sent(algorithm, leg, "forged")


def guard(mesh: HexMesh) -> Guard:
    """Accepts only packets that an honest source could have sent over that link."""
    expected = {algorithm: expected_arrivals(mesh, algorithm) for algorithm in VOTING}

    def lets_in(node: int, packet: Sent) -> bool:
        leg = packet.leg
        wanted = expected[packet.algorithm].get(((node - SOURCE) % mesh.nodes, leg.direction))
        return wanted == Arrival(leg.distance, leg.stage, leg.tag)

    return lets_in


def anything(_node: int, _packet: Sent) -> bool:
    """No guard."""
    return True


def trials(size: int, algorithm: str) -> Iterator[Mesh]:
    """Broadcasts in meshes without guards, with a random faulty node each."""
    mesh = HexMesh(size)
    numbers = random.Random(f"{size} {algorithm}")
    for _ in range(TRIALS):
        faulty = numbers.randrange(1, mesh.nodes)
        nodes = Mesh(mesh, faulty, anything, numbers)
        for leg in initial_legs(algorithm, size):
            nodes.send(SOURCE, Sent(algorithm, leg, TRUTH))
        for packet in forged(mesh, numbers, algorithm):
            nodes.send(faulty, packet)
        nodes.run()
        for node in (SOURCE, faulty):
            nodes.first.pop((node, algorithm), None)
        yield nodes


def elected(algorithm: str, copies: dict[int, str]) -> str | None:
    """The body that a strict majority of an algorithm's copies agrees on."""
    body, votes = Counter(copies.values()).most_common(1)[0]
    return body if votes >= threshold(COPIES[algorithm], VOTE) else None


@each("algorithm", VOTING)
@each("size", [3, 4])
def test_a_naive_vote_is_deceived(size, algorithm):
    deceived = 0
    for nodes in trials(size, algorithm):
        deceived += any(elected(known, copies) != TRUTH for (_, known), copies in nodes.first.items())
    assert deceived >= 0.9 * TRIALS


@each("algorithm", VOTING)
@each("size", [2, 3, 4, 5])
def test_all_forgeries_together_reach_a_victim_over_one_link(size, algorithm):
    """Every header from every node, exhaustively: nodes judge each packet by itself, so more cannot be done."""
    mesh = HexMesh(size)
    lets_in, stages = guard(mesh), range(1, STAGES + 1)
    for faulty in range(1, mesh.nodes):
        nodes = Mesh(mesh, NONE_FAULTY, lets_in, random.Random(0))
        for way, distance, stage, tag in product(range(DIRECTIONS), range(1, mesh.size + 1), stages, range(TAGS)):
            nodes.send(faulty, Sent(algorithm, Leg(way, distance, stage, tag), "forged"))
        nodes.run()
        assert all(len(copies) == 1 for copies in nodes.first.values())


@each("algorithm", VOTING)
def test_without_forging_the_guard_changes_nothing(algorithm):
    """Every honest packet is let in, and the copies are those of the procedure."""
    mesh = HexMesh(4)
    lets_in = guard(mesh)
    nodes = Mesh(mesh, NONE_FAULTY, lets_in, random.Random(1))
    for leg in initial_legs(algorithm, mesh.size):
        nodes.send(SOURCE, Sent(algorithm, leg, TRUTH))
    nodes.run()
    assert {(node, way) for (node, _), copies in nodes.first.items() for way in copies} == set(
        expected_arrivals(mesh, algorithm)
    )
    assert {body for copies in nodes.first.values() for body in copies.values()} == {TRUTH}
