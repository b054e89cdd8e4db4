"""Nodes and links that fail (Sec. 1 and 4): their effects on packets, and the copies that still arrive."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from topology.common.errors import TopologyError
from topology.harts.broadcast import Copy, broadcast_copies
from topology.harts.graph import DIRECTIONS, HexMesh


@dataclass(frozen=True)
class Faults:
    """Permanent faults of nodes and links.

    Parameters:
        silent_nodes: They send nothing, and nothing is sent to them.
        corrupting_nodes: They spoil every word of every packet that they pass on.
        dead_links (tuple of (int, int)): Pairs of neighbours; neither direction works.
        forging_nodes (tuple of (int, int)): A node, and the one from which it says that its packets come.
    """

    silent_nodes: tuple[int, ...] = ()
    corrupting_nodes: tuple[int, ...] = ()
    dead_links: tuple[tuple[int, int], ...] = ()
    forging_nodes: tuple[tuple[int, int], ...] = ()

    @cached_property
    def _silent(self) -> frozenset[int]:
        return frozenset(self.silent_nodes)

    @cached_property
    def _dead(self) -> frozenset[frozenset[int]]:
        return frozenset(map(frozenset, self.dead_links))

    def check(self, mesh: HexMesh) -> None:
        """Check that a mesh has these nodes and links.

        Raises:
            TopologyError: For the first that it has not.
        """
        forgers = [node for pair in self.forging_nodes for node in pair]
        for node in (*self.silent_nodes, *self.corrupting_nodes, *forgers):
            if not 0 <= node < mesh.nodes:
                raise TopologyError(f"Faulty node is {node!r}; it must be 0 to {mesh.nodes - 1}", item=str(node))
        for link in self.dead_links:
            ends = [node for node in link if 0 <= node < mesh.nodes]
            if len(ends) != 2 or ends[1] not in [mesh.neighbour(ends[0], way) for way in range(DIRECTIONS)]:
                raise TopologyError(f"Dead link must join two neighbours, not {list(link)!r}", item=str(list(link)))

    def claimed_source(self, node: int) -> int:
        """Return the source that is in the headers of a node's packets."""
        return dict(self.forging_nodes).get(node, node)

    def is_silent(self, node: int) -> bool:
        """Return whether a node has failed silently."""
        return node in self._silent

    def is_dead(self, mesh: HexMesh, node: int, direction: int) -> bool:
        """Return whether packets that a node sends in a direction are lost."""
        ends = frozenset((node, mesh.neighbour(node, direction)))
        return ends in self._dead or not self._silent.isdisjoint(ends)

    def dead_outputs(self, mesh: HexMesh, node: int) -> int:
        """Return the mask of the directions in which a node's packets are lost."""
        return sum(self.is_dead(mesh, node, way) << way for way in range(DIRECTIONS))

    def surviving_copies(self, mesh: HexMesh, algorithm: str, source: int) -> Iterator[Copy]:
        """Yield the copies of a broadcast that arrive, spoilt or not."""
        dead = {(node, mesh.neighbour(node, way)) for node in range(mesh.nodes) for way in self._dead_ways(mesh, node)}
        for copy in broadcast_copies(mesh, algorithm, source):
            if dead.isdisjoint(zip(copy.path, copy.path[1:], strict=False)):
                yield copy

    def _dead_ways(self, mesh: HexMesh, node: int) -> list[int]:
        return [way for way in range(DIRECTIONS) if self.is_dead(mesh, node, way)]

    def spoilt(self, copy: Copy) -> bool:
        """Return whether a node that spoils packets has passed a copy on."""
        return not set(self.corrupting_nodes).isdisjoint(copy.path[1:-1])


NO_FAULTS = Faults()
