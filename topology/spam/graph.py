"""Labels of a SPAM network: spanning tree, channel classes, ancestors and extended ancestors (Sec. 3.1).

Class of a directed channel (a, b): a tree edge is UP towards the root and TREE away from it; any other edge is UP from
the deeper to the shallower switch and CROSS the other way; between switches of one level it is UP from the higher to
the lower number. The paper's "from a lower level to a higher level" means from deeper to nearer the root: its own
example and the absence of cycles force that reading.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from topology.common.channels import Channel
from topology.common.errors import TopologyError
from topology.common.graph import Network

UP, CROSS, TREE = 0, 1, 2
CLASS_NAMES = ("up", "cross", "tree")


class SpamLabels:
    """A network with a rooted spanning tree and everything that follows from it.

    Parameters:
        network
        root: Root switch; default a centre of the switch graph, lowest number of several.
        parents: ``parents[switch]`` of another spanning tree (the root is its own parent); default breadth first,
            lowest number first.

    Members:
        parent, level (int array, shape (vertices,)): Tree parent (the root is its own) and tree depth of each vertex.
        channel_class (int8 array, shape (channels,)): UP, CROSS or TREE.
        first, last (int64 array, shape (vertices,)): Vertices are numbered through the tree, depth first and by port,
            so that those at or below v are the ones with ``first[v] <= first[w] < last[v]``: an interval for each
            subtree.
        extended_bits (uint8 array, shape (switches, ceil(switches / 8))): Bit b of byte i of row u: whether switch u is
            an extended ancestor (cross channels, then tree channels) of switch 8 i + b.
        ancestor, extended_ancestor (bool array, shape (vertices, vertices)): ``[u, v]``: whether u is a tree ancestor
            of v (down tree channels only), or an extended ancestor. Both are reflexive, and are built on demand only:
            they grow as the square of the network.

    Raises:
        TopologyError: If the root is no switch, or the parents are no spanning tree.
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
        self.channel_class = np.array([self._class_of(c) for c in network.channels], dtype=np.int8)

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
        level = np.full(self.network.vertices, -1, dtype=np.int32)
        level[self.root] = 0
        for vertex in range(self.network.vertices):
            way = [vertex]  # up to a vertex whose level is known
            while level[way[-1]] < 0:
                way.append(int(self.parent[way[-1]]))
                if len(way) > self.network.vertices:
                    raise TopologyError(
                        f"The tree parents of vertex {vertex} run in a circle; they must lead to the root"
                    )
            known = int(level[way[-1]])
            level[way] = np.arange(known + len(way) - 1, known - 1, -1)
        return level

    def _class_of(self, channel: Channel) -> int:
        """Return the class of a channel; of parallel links only the first belongs to the tree."""
        source, sink = channel.source, channel.sink
        if self.parent[source] == sink and source != self.root:
            return UP
        if self.parent[sink] == source and sink != self.root:
            return CROSS if self.network.parallel_position(source, channel.source_port) else TREE
        return UP if (self.level[source], source) > (self.level[sink], sink) else CROSS

    @cached_property
    def ancestor(self) -> np.ndarray:
        table = np.eye(self.network.vertices, dtype=bool)
        for vertex in np.argsort(-self.level, kind="stable"):
            if vertex != self.root:
                table[self.parent[vertex]] |= table[vertex]
        return table

    @cached_property
    def _intervals(self) -> tuple[np.ndarray, np.ndarray]:
        """``first`` and ``last``."""
        first = np.zeros(self.network.vertices, dtype=np.int64)
        size = np.ones(self.network.vertices, dtype=np.int64)
        below: list[list[int]] = [[] for _ in range(self.network.vertices)]
        for vertex in np.argsort(-self.level, kind="stable").tolist():
            if vertex != self.root:
                size[self.parent[vertex]] += size[vertex]
                below[self.parent[vertex]].append(vertex)
        work = [self.root]
        for vertex in work:
            position = first[vertex] + 1
            for child in sorted(below[vertex]):  # which is by port
                first[child] = position
                position += size[child]
            work += below[vertex]
        return first, first + size

    @property
    def first(self) -> np.ndarray:
        return self._intervals[0]

    @property
    def last(self) -> np.ndarray:
        return self._intervals[1]

    @cached_property
    def extended_bits(self) -> np.ndarray:
        network = self.network
        bits = np.zeros((network.switches, -(-network.switches // 8)), dtype=np.uint8)
        places = np.arange(network.switches)
        bits[places, places // 8] = 1 << places % 8
        for switch in np.argsort(-self.level[: network.switches], kind="stable").tolist():
            if switch != self.root:  # all below it are complete
                bits[self.parent[switch]] |= bits[switch]
        for switch in self._backward_along_cross_channels:
            for port, sink in enumerate(network.neighbours[switch]):
                if self.channel_class[network.output_channel[switch][port]] == CROSS:
                    bits[switch] |= bits[sink]
        return bits

    @property
    def _backward_along_cross_channels(self) -> list[int]:
        """Switches in such an order that a cross channel leads to one that has come already."""
        return sorted(range(self.network.switches), key=lambda switch: (-self.level[switch], -switch))

    @cached_property
    def extended_ancestor(self) -> np.ndarray:
        table = self.ancestor.copy()
        for switch in self._backward_along_cross_channels:
            for port, sink in enumerate(self.network.neighbours[switch]):
                if self.channel_class[self.network.output_channel[switch][port]] == CROSS:
                    table[switch] |= table[sink]
        return table

    def lowest_common_ancestor(self, processors: Sequence[int]) -> int:
        """Return the deepest vertex that is a tree ancestor of all given processors; of one processor, its own vertex.

        Parameters:
            processors: At least 1.

        Raises:
            ValueError: If no processor is given.
        """
        if not processors:
            raise ValueError("A lowest common ancestor needs at least 1 processor, not 0")
        places = self.first[[self.network.processor_vertex(processor) for processor in processors]]
        lowest, highest = places.min(), places.max()
        vertex = self.network.processor_vertex(processors[0])
        while not self.first[vertex] <= lowest <= highest < self.last[vertex]:
            vertex = int(self.parent[vertex])
        return vertex
