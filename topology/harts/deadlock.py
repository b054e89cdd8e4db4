"""Static check of finite packet memories with back-pressure (``topology/harts/pages.py``), and its evidence."""

from itertools import pairwise
from typing import Any

import networkx as nx

from topology.common.channel_order import NoOrder
from topology.common.deadlock import DeadlockVerdict, find_cycle
from topology.harts.faults import NO_FAULTS
from topology.harts.graph import DIRECTIONS
from topology.harts.pages import least_pages
from topology.harts.routing import HartsRouting


def check_harts_deadlock(routing: HartsRouting, pages: int, *, classed: bool) -> DeadlockVerdict:
    """Prove a mesh free from deadlock or return what breaks the proof.

    A packet in a page of a node waits for a page of the next one. The classes of pages are the nodes of a graph, and
    an edge says that a packet in one class may wait for the other. Meshes look the same from all nodes, so with classes
    by level it is enough to look at the levels.

    Parameters:
        pages: Packets that a node's memory holds.
        classed: True if pages are given by levels.
    """
    mesh, levels = routing.mesh, routing.levels
    waits = nx.DiGraph()
    if classed:
        waits.add_edges_from((level, level + 1) for level in range(levels))
    else:
        waits.add_edges_from(
            (node, mesh.neighbour(node, way)) for node in range(mesh.nodes) for way in range(DIRECTIONS)
        )
    sizes = (len(mesh.channels), waits.number_of_edges(), 0)
    cycle = find_cycle(waits)
    if cycle:
        ring = [*cycle, cycle[0]]
        names = [f"{mesh.vertex_name(a)}->{mesh.vertex_name(b)}" for a, b in pairwise(ring)]
        return DeadlockVerdict(False, "packets wait for pages of each other's nodes in a ring", tuple(names), *sizes)
    longest = max(copy.hops for copies in routing.copies.values() for copy in copies.values())
    if longest > levels or mesh.size - 1 > levels:
        return DeadlockVerdict(False, f"a packet travels {longest} links, and there are {levels} levels", (), *sizes)
    if pages < least_pages(levels):
        return DeadlockVerdict(False, f"{least_pages(levels)} pages are needed, and there are {pages}", (), *sizes)
    reason = f"a page for every level of {levels + 1} and one for each receiver; packets wait for higher levels only"
    return DeadlockVerdict(True, reason, (), *sizes)


def harts_evidence(routing: HartsRouting, pages: int, *, classed: bool) -> dict[str, Any]:
    """Return fields of the certificate.

    Parameters:
        pages: Packets that a node's memory holds.
        classed: True if pages are given by levels.

    Returns:
        dict: ``order``: names of the levels, the lowest first.

    Raises:
        NoOrder: If packets can wait for each other's pages, or something has failed.
    """
    if routing.faults != NO_FAULTS:
        raise NoOrder("nodes or links have failed, so not everything is delivered")
    verdict = check_harts_deadlock(routing, pages, classed=classed)
    if not verdict.free:
        raise NoOrder(verdict.reason)
    return {"order": [f"level {level}" for level in range(routing.levels + 1)]}
