"""Switches, processors and virtual channels of an S x T torus or mesh: node n is switch n with processor n.

The physical ports of a switch are the directions in which it has channels, in the order +y, -y, +x, -x, and then the
host's port. A channel that travels in direction d leaves by the port of d, and arrives at the port that d has among the
directions in which something arrives. The host's port has the same number on both sides.
"""

from collections.abc import Iterator

import numpy as np

from topology.common.channels import Channel, ChannelNetwork
from topology.common.errors import TopologyError
from topology.common.virtual_channels import MAX_VCS, VcNetwork
from topology.torus.grid import DIRECTION_NAMES, DIRECTIONS, Grid, opposite


class TorusLinks(ChannelNetwork):
    """The physical network of a torus or mesh.

    Where both directions of a ring lead to the same neighbour, in rings of two nodes, names of channels include the
    direction: ``s0+y->s1``.

    Parameters:
        grid

    Members:
        grid
        directions (tuple of tuple of int): By switch, the direction of each output port but the host's.
    """

    def __init__(self, grid: Grid):
        self.grid = grid
        nodes = range(grid.nodes)
        self._neighbours = [[grid.neighbour(node, direction) for direction in range(DIRECTIONS)] for node in nodes]
        self.directions = tuple(
            tuple(direction for direction, neighbour in enumerate(around) if neighbour is not None)
            for around in self._neighbours
        )
        super().__init__(
            grid.nodes,
            grid.nodes,
            self._wires(),
            positions=np.array([(column, -row) for row, column in map(grid.position, nodes)], dtype=float),
        )
        self.shape = (grid.columns, grid.rows)

    def _wires(self) -> Iterator[tuple[int, int, int, int]]:
        for node, directions in enumerate(self.directions):
            for port, direction in enumerate(directions):
                neighbour = self._neighbours[node][direction]
                assert neighbour is not None
                yield node, port, neighbour, self._arrivals(neighbour).index(direction)
            yield node, len(directions), self.grid.nodes + node, 0
            yield self.grid.nodes + node, 0, node, len(directions)

    def _arrivals(self, node: int) -> list[int]:
        """Return the directions of channels into a node: each comes from the neighbour on the other side."""
        return [direction for direction in range(DIRECTIONS) if self._neighbours[node][opposite(direction)] is not None]

    def _channel_name(self, index: int, source: int, source_port: int, sink: int) -> str:
        if self.is_switch(source) and self._neighbours[source].count(sink) > 1:
            direction = DIRECTION_NAMES[self.directions[source][source_port]]
            return f"{self.vertex_name(source)}{direction}->{self.vertex_name(sink)}"
        return super()._channel_name(index, source, source_port, sink)

    def direction_of(self, channel: Channel) -> int | None:
        """Return the direction in which a channel travels; None if it comes from or leads to a processor.

        Parameters:
            channel

        Returns:
            0 to 3, as in ``Grid``.
        """
        between_switches = self.is_switch(channel.source) and self.is_switch(channel.sink)
        return self.directions[channel.source][channel.source_port] if between_switches else None


class TorusNetwork(VcNetwork):
    """A torus or mesh whose channels between switches have an equal number of virtual channels.

    Parameters:
        grid
        vcs: V, 1 to 8.
        links: Physical network of the grid, if there is one already.

    Members:
        grid
        vcs
        directions (tuple of tuple of int): By switch, the direction of each physical output port but the host's.
        direction_of (tuple of (int or None)): Direction in which each VC travels; None for those from and to
            processors.
        closes_ring (tuple of bool): True if the VC belongs to a channel that closes a ring.

    Raises:
        TopologyError: If the number of VCs is out of range.
    """

    def __init__(self, grid: Grid, vcs: int, links: TorusLinks | None = None):
        if isinstance(vcs, bool) or not isinstance(vcs, int) or not 1 <= vcs <= MAX_VCS:
            raise TopologyError(f"vcs is {vcs!r}; it must be 1 to {MAX_VCS}", item=str(vcs))
        self.grid = grid
        self.vcs = vcs
        links = links or TorusLinks(grid)
        self.directions = links.directions
        directions = [links.direction_of(channel) for channel in links.channels]
        super().__init__(links, [1 if direction is None else vcs for direction in directions])
        self.direction_of = tuple(directions[link] for link in self.link_of)
        closing = [
            direction is not None and grid.closes_ring(channel.source, direction)
            for channel, direction in zip(links.channels, directions, strict=True)
        ]
        self.closes_ring = tuple(closing[link] for link in self.link_of)

    def output_link(self, node: int, direction: int) -> int | None:
        """Return the physical channel that leaves a node in a direction; None if there is none.

        Parameters:
            node: 0 to ``grid.nodes`` - 1.
            direction: 0 to 3, as in ``Grid``.

        Returns:
            A channel of ``links``, the network without VCs.
        """
        directions = self.directions[node]
        return self.links.output_channel[node][directions.index(direction)] if direction in directions else None
