"""Proof that every ordinary packet arrives, on any of its shortest paths."""

from collections.abc import Iterator

from topology.harts.graph import directions_onward, distance, routing_tags
from topology.harts.routing import HartsRouting


def unreached_pairs(routing: HartsRouting) -> Iterator[tuple[int, int]]:
    """Yield pairs of live nodes between which a packet may reach a node where all its candidates are dead.

    Without faults there are none: every step of the tags leads nearer (the tests prove that for all sizes).
    """
    mesh, faults = routing.mesh, routing.faults
    if not faults.silent_nodes and not faults.dead_links:
        return
    nodes = range(mesh.nodes)
    for destination in nodes:
        if faults.is_silent(destination):
            continue
        lost = set()
        for node in sorted(nodes, key=lambda node: distance(mesh, node, destination)):
            if node == destination:
                continue
            ways = directions_onward(routing_tags(mesh, node, destination))
            live = [way for way in ways if not faults.is_dead(mesh, node, way)]
            if not live or any(mesh.neighbour(node, way) in lost for way in live):
                lost.add(node)
        yield from ((node, destination) for node in sorted(lost) if not faults.is_silent(node))
