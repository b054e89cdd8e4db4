"""Labels of a SPAM network: spanning tree, channel classes, ancestors and extended ancestors (Sec. 3.1).

Class of a directed channel (a, b): a tree edge is UP towards the root and TREE away from it; any other edge is UP from
the deeper to the shallower switch and CROSS the other way; between switches of one level it is UP from the higher to
the lower number. The paper's "from a lower level to a higher level" means from deeper to nearer the root: its own
example and the absence of cycles force that reading.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from topology.common.errors import TopologyError
from topology.common.graph import Network

UP, CROSS, TREE = 0, 1, 2
CLASS_NAMES = ("up", "cross", "tree")


class SpamLabels:
    """A network with a rooted spanning tree and everything that follows from it.

    Parameters
    ----------
    network : Network
    root : int or None
        Root switch; default a centre of the switch graph, lowest number of several.
    parents : sequence of int or None
        ``parents[switch]`` of another spanning tree (the root is its own parent); default breadth first, lowest number
        first.

    Members
    -------
    parent, level : int array, shape (vertices,)
        Tree parent (the root is its own) and tree depth of each vertex.
    channel_class : int8 array, shape (channels,)
        UP, CROSS or TREE.
    ancestor, extended_ancestor : bool array, shape (vertices, vertices)
        ``[u, v]``: whether u is a tree ancestor of v (down tree channels only), or an extended ancestor (cross
        channels, then tree channels). Both are reflexive.

    Raises
    ------
    TopologyError
        If the root is no switch, or the parents are no spanning tree.
    """

    def __init__(self, network: Network, root: int | None = None, parents: Sequence[int] | None = None):
        self.network = network
        self.root = network.centre() if root is None else root
        if not 0 <= self.root < network.switches:
            raise TopologyError(
                f"Root {self.root!r} is no switch; switches are 0 to {network.switches - 1}", item=str(self.root)
            )
        self.parent = self._breadth_first_parents() if parents is None else self._given_parents(parents)
        self.level = self._levels()
        self.channel_class = np.array([self._class_of(c.source, c.sink) for c in network.channels], dtype=np.int8)

    def _breadth_first_parents(self) -> np.ndarray:
        network = self.network
        parent = np.full(network.vertices, -1, dtype=np.int32)
        parent[self.root] = self.root
        queue = [self.root]
        for vertex in queue:
            for neighbour in network.neighbours[vertex]:
                if parent[neighbour] < 0:
                    parent[neighbour] = vertex
                    queue.append(neighbour)
        return parent

    def _given_parents(self, parents: Sequence[int]) -> np.ndarray:
        network = self.network
        for switch, parent in enumerate(parents):
            if switch != self.root and parent not in network.neighbours[switch]:
                raise TopologyError(f"Tree parent {parent!r} of switch {switch} must be one of its neighbours")
        return np.array([*parents, *network.processors], dtype=np.int32)

    def _levels(self) -> np.ndarray:
        level = np.zeros(self.network.vertices, dtype=np.int32)
        for vertex in range(self.network.vertices):
            depth, above = 0, vertex
            while above != self.root:
                above = int(self.parent[above])
                depth += 1
                if depth > self.network.vertices:
                    raise TopologyError(
                        f"The tree parents of vertex {vertex} run in a circle; they must lead to the root"
                    )
            level[vertex] = depth
        return level

    def _class_of(self, source: int, sink: int) -> int:
        if self.parent[source] == sink and source != self.root:
            return UP
        if self.parent[sink] == source and sink != self.root:
            return TREE
        return UP if (self.level[source], source) > (self.level[sink], sink) else CROSS

    @cached_property
    def ancestor(self) -> np.ndarray:
        table = np.eye(self.network.vertices, dtype=bool)
        for vertex in np.argsort(-self.level, kind="stable"):
            if vertex != self.root:
                table[self.parent[vertex]] |= table[vertex]
        return table

    @cached_property
    def extended_ancestor(self) -> np.ndarray:
        table = self.ancestor.copy()
        switches = sorted(range(self.network.switches), key=lambda switch: (-self.level[switch], -switch))
        for switch in switches:  # a cross channel leads to a greater (level, number), which is complete by then
            for port, sink in enumerate(self.network.neighbours[switch]):
                if self.channel_class[self.network.output_channel[switch][port]] == CROSS:
                    table[switch] |= table[sink]
        return table

    def lowest_common_ancestor(self, processors: Sequence[int]) -> int:
        """The deepest vertex that is a tree ancestor of all given processors; of one processor, its own vertex.

        Parameters
        ----------
        processors : sequence of int
            At least 1.

        Raises
        ------
        ValueError
            If no processor is given.
        """
        if not processors:
            raise ValueError("A lowest common ancestor needs at least 1 processor, not 0")
        vertices = [self.network.processor_vertex(processor) for processor in processors]
        common = self.ancestor[:, vertices].all(axis=1)
        candidates = np.flatnonzero(common)
        return int(candidates[np.argmax(self.level[candidates])])
