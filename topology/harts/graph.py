"""The C-wrapped hexagonal mesh of size n (Sec. 2).

N = 3n(n-1) + 1 nodes. Direction d leads from node s to node s + offset[d] modulo N; directions go counter-clockwise, so
that d + 1 is to the left of d, d - 1 to its right, and d + 3 opposite. The same for all nodes: a mesh has no rim.
Coordinates a, b name the node a steps in direction 0 and b steps in direction 1 away from node 0.
"""

from functools import cached_property

import numpy as np

from topology.common.channels import ChannelNetwork
from topology.common.errors import TopologyError

Tags = tuple[int, int, int]
"""Steps still to go along the axes of directions 0, 1 and 2; negative ones lead the opposite way."""

ARRIVED: Tags = (0, 0, 0)

DIRECTIONS = 6
HOST_PORT = DIRECTIONS
MIN_SIZE, MAX_SIZE = 2, 148


def left(direction: int) -> int:
    """Return the direction to the left."""
    return (direction + 1) % DIRECTIONS


def right(direction: int) -> int:
    """Return the direction to the right."""
    return (direction - 1) % DIRECTIONS


def opposite(direction: int) -> int:
    """Return the direction back."""
    return (direction + 3) % DIRECTIONS


class HexMesh(ChannelNetwork):
    """A wrapped hexagonal mesh with a host at every node.

    Output port d of a node leads in direction d, and a packet that travels in direction d arrives at input port d.
    Port 6 on either side is the host's.

    Parameters:
        size: n: nodes on a side of the hexagon, 2 to 148.

    Members:
        nodes (int): N.
        offsets (tuple of int): By direction.

    Raises:
        TopologyError: If the size is out of range.
    """

    def __init__(self, size: int):
        if not MIN_SIZE <= size <= MAX_SIZE:
            raise TopologyError(f"Size is {size!r}; it must be {MIN_SIZE} to {MAX_SIZE}", item=str(size))
        self.size = size
        self.nodes = 3 * size * (size - 1) + 1
        forward = (1, 3 * size - 1, 3 * size - 2)
        self.offsets = (*forward, *(-offset for offset in forward))
        wires = [
            (node, direction, self.neighbour(node, direction), direction)
            for node in range(self.nodes)
            for direction in range(DIRECTIONS)
        ]
        for node in range(self.nodes):
            wires += [(self.nodes + node, 0, node, HOST_PORT), (node, HOST_PORT, self.nodes + node, 0)]
        super().__init__(self.nodes, self.nodes, wires, positions=self._positions())

    def neighbour(self, node: int, direction: int, steps: int = 1) -> int:
        """Return the node ``steps`` steps away in a direction.

        Parameters:
            node: 0 to ``nodes`` - 1.
            direction: 0 to 5, a position in ``offsets``.
            steps: Links in that direction; negative ones lead the other way.
        """
        return (node + steps * self.offsets[direction]) % self.nodes

    def coordinates(self, node: int) -> tuple[int, int]:
        """Return a and b of a node, both and their sum within -(n-1) .. n-1.

        Parameters:
            node: 0 to ``nodes`` - 1.
        """
        return self._coordinates[node]

    @cached_property
    def _coordinates(self) -> tuple[tuple[int, int], ...]:
        span = range(1 - self.size, self.size)
        found = {
            (a * self.offsets[0] + b * self.offsets[1]) % self.nodes: (a, b)
            for a in span
            for b in span
            if a + b in span
        }
        return tuple(found[node] for node in range(self.nodes))

    def _positions(self) -> np.ndarray:
        """Return the hexagon around node 0; the links that wrap round lead across it."""
        a, b = np.array(self._coordinates, dtype=float).T
        return 1.5 * np.stack([a + b / 2, b * np.sqrt(3) / 2], axis=1)


def routing_tags(mesh: HexMesh, source: int, destination: int) -> Tags:
    """Return the tags of a shortest path; at most two are nonzero, and their steps may be taken in any order."""
    a, b = mesh.coordinates((destination - source) % mesh.nodes)
    # a step in direction 0 and one in direction 2 are together one in direction 1
    both = min(-a, b) if a < 0 < b else -min(a, -b) if b < 0 < a else 0
    return a + both, b - both, both


def directions_onward(tags: Tags) -> tuple[int, ...]:
    """Return the directions in which a packet may leave, in the order of trial."""
    return tuple(axis if steps > 0 else opposite(axis) for axis, steps in enumerate(tags) if steps)


def after_step(tags: Tags, direction: int) -> Tags:
    """Return the tags after a step in one of those directions."""
    changed = list(tags)
    changed[direction % 3] -= 1 if direction < 3 else -1
    return changed[0], changed[1], changed[2]


def distance(mesh: HexMesh, source: int, destination: int) -> int:
    """Return the steps on a shortest path."""
    return sum(map(abs, routing_tags(mesh, source, destination)))
