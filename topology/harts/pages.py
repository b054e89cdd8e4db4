"""Classes of packet buffers (Sec. 3 leaves them open), which keep finite buffers with back-pressure deadlock-free.

A packet's level is the number of links that it has travelled; L is the most that any packet travels. A node gives a
packet of level l a page only if L - l + 1 pages are free. So the last page given at a node, at level l, leaves L - l
free, which is enough for any packet of a higher level. Of all packets that wait for ever take one of the highest level
l: the next node would have a page for level l + 1, unless it has since given pages at still higher levels, whose
packets do not wait for ever. Pages that are kept for no particular level count as level 0.

A page is kept first, and a packet is chosen and sent to it then. So no packet without a page for its level blocks a
link for a packet that has one.
"""

from topology.common.flits import bits_for
from topology.common.side_wires import SideWire
from topology.harts.graph import DIRECTIONS, HexMesh, opposite

MAX_PAGES = 310


def least_pages(levels: int) -> int:
    """Return the pages that every node needs: one for each level, and one kept for each receiver."""
    return levels + 1 + DIRECTIONS + 1


def node_pages(pages: int | None, levels: int) -> int:
    """Return the pages of every node, by default the safe minimum.

    Raises:
        ValueError: If a node cannot work with that number, or is too small for it.
    """
    least = least_pages(levels)
    if least > MAX_PAGES:
        raise ValueError(f"Longest way must need at most {MAX_PAGES} pages, not {least}")
    if pages is None:
        return least
    if pages < least:
        raise ValueError(f"Pages are {pages!r}; they must be at least {least}")
    if pages > MAX_PAGES:
        raise ValueError(f"Pages are {pages!r}; they must be at most {MAX_PAGES}")
    return pages


KEPT_BITS = 2


def page_wires(mesh: HexMesh, levels: int) -> tuple[SideWire, ...]:
    """Return the wires by node and direction of travel: ``kept`` to the node before, ``wish`` from there.

    Parameters:
        levels: Links of the longest way.
    """
    wires = []
    for node in range(mesh.nodes):
        for direction in range(DIRECTIONS):
            before = mesh.neighbour(node, opposite(direction))
            wires.append(SideWire(node, f"kept_{direction}", before, f"ahead_{direction}", KEPT_BITS))
            wires.append(SideWire(before, f"wish_{direction}", node, f"wished_{direction}", bits_for(levels + 1)))
    return tuple(wires)
