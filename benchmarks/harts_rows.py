# (a router is built only for its parameters)
"""The nodes of hexagonal meshes whose cost is tabulated: one thing varied at a time around a reference.

The reference is a node of a mesh of size 5, 61 nodes; flits of 64 bits, packets of up to 512 bytes, and the safe
minimum of pages.
"""

from dataclasses import dataclass

from rtl.generator.plan import NetworkPlan
from rtl.harts.network import harts_plan
from topology.harts.graph import HexMesh
from topology.harts.pages import node_pages
from topology.harts.routing import HartsRouting


@dataclass(frozen=True)
class HartsRow:
    """One node.

    Members
    -------
    size, flit_bits, packet_flits : int
    pages : int or None
        None: the safe minimum.
    guard : bool
        Whether forged broadcasts are rejected.
    """

    size: int = 5
    flit_bits: int = 64
    packet_flits: int = 65
    pages: int | None = None
    guard: bool = False

    @property
    def multicast(self) -> bool:
        """There is no node without broadcasts to compare with."""
        return False

    @property
    def switch(self) -> int:
        """Node of the row."""
        return 0

    @property
    def name(self) -> str:
        """Name in the table and in the baseline."""
        shape = f"size{self.size}-f{self.flit_bits}-packet{self.packet_flits}-pages{self._pages}"
        return f"harts-{shape}" + ("-guard" if self.guard else "")

    @property
    def _routing(self) -> HartsRouting:
        return HartsRouting(HexMesh(self.size), self.flit_bits, guard=self.guard)

    @property
    def _pages(self) -> int:
        return node_pages(self.pages, self._routing.levels)

    @property
    def plan(self) -> NetworkPlan:
        """Plan of the node's mesh."""
        return harts_plan(self._routing, packet_flits=self.packet_flits, pages=self.pages)


def rows() -> list[HartsRow]:
    """Return all rows of the table, the reference first."""
    return [
        HartsRow(),
        HartsRow(size=3),
        HartsRow(flit_bits=128, packet_flits=33),
        HartsRow(pages=32),
        HartsRow(guard=True),
    ]
