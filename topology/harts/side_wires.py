"""Wires between the nodes of a mesh besides channels: kept pages, and wishes for pages."""

from topology.common.flits import bits_for
from topology.common.side_wires import SideWire
from topology.harts.graph import DIRECTIONS, HexMesh, opposite

KEPT_BITS = 2


def page_wires(mesh: HexMesh, levels: int) -> tuple[SideWire, ...]:
    """Return the wires by node and direction of travel: ``kept`` to the node before, ``wish`` from there.

    Parameters
    ----------
    mesh : HexMesh
    levels : int
        Links of the longest way.
    """
    wires = []
    for node in range(mesh.nodes):
        for direction in range(DIRECTIONS):
            before = mesh.neighbour(node, opposite(direction))
            wires.append(SideWire(node, f"kept_{direction}", before, f"ahead_{direction}", KEPT_BITS))
            wires.append(SideWire(before, f"wish_{direction}", node, f"wished_{direction}", bits_for(levels + 1)))
    return tuple(wires)
