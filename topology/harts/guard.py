"""Legal broadcast packets at a node: a guard against nodes that forge headers.

A node passes on everything that is marked as a broadcast, so one faulty node could reach a victim over several links.
But a broadcast uses each directed link at most once, so the source, the node and the direction of travel determine an
honest packet. A node that admits no other packet confines a forger to the paths on which it lies. Forgery there is no
worse than a changed body, which the receivers outvote.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from topology.harts.broadcast import Copy, broadcast_copies
from topology.harts.graph import HexMesh


class Arrival(NamedTuple):
    """Header fields of a broadcast on arrival from a link.

    Members:
        distance: Steps to go, this one included.
        stage
        tag
    """

    distance: int
    stage: int
    tag: int


def expected_arrivals(mesh: HexMesh, algorithm: str) -> dict[tuple[int, int], Arrival]:
    """Return the only broadcast packet that may arrive at a node in a direction of travel.

    Returns:
        dict of (int, int) to Arrival: By the node's number less the source's, modulo the nodes of the mesh, and the
            direction of travel.
    """
    return {
        (copy.node, copy.direction): Arrival(copy.steps_left + 1, copy.stages, copy.tag)
        for copy in broadcast_copies(mesh, algorithm, 0)
    }


def admitted_copies(mesh: HexMesh, algorithm: str, copies: Iterable[Copy], claimed_source: int) -> Iterator[Copy]:
    """Yield the copies of a broadcast that all nodes on their way admit.

    Parameters:
        copies: In an order in which none comes before another that it is the continuation of.
        claimed_source: The source in the header.
    """
    expected = expected_arrivals(mesh, algorithm)
    refused = set()
    for copy in copies:
        place = (copy.node - claimed_source) % mesh.nodes, copy.direction
        arrival = Arrival(copy.steps_left + 1, copy.stages, copy.tag)
        if copy.path[:-1] in refused or expected.get(place) != arrival:
            refused.add(copy.path)
        else:
            yield copy
