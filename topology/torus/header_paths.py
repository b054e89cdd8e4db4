"""Paths of all headers that any node may send, for the static checks: along rows, then along columns.

There are many keys (16,384 for 64 x 64 nodes) and many VCs. But `TorusRouting.candidates` reads the row of a key, and
its direction in x, only at switches in the key's column. Before a header is in its column, all keys with one column and
one direction in y have the same candidates, so one of them represents all. In its column, the column and the direction
in y have no further effect. A path consists of two parts, each with at most 2 x 64 kinds of headers. That is complete:
every node sends all combinations of its kinds in the two dimensions, and along a row a header stays in the row of its
source.

Steps that break the order are left out: along a row to another row or to a processor, along a column to another column.
So a rule that breaks the order fails the checks.
"""

from collections.abc import Iterator
from typing import NamedTuple

from topology.torus.grid import Grid
from topology.torus.header import RoutingKey
from topology.torus.routing import TorusRouting


class Heading(NamedTuple):
    """A header's fields for one dimension.

    Members:
        end: Column or row of the destination.
        negative: 1 if the message travels in the negative direction.
    """

    end: int
    negative: int

    def suits(self, grid: Grid, start: int) -> bool:
        """Return whether a message may start at a position with this heading; in a mesh only towards its end."""
        return grid.wraps or self.end == start or self.negative == (self.end < start)


def headings(side: int) -> Iterator[Heading]:
    """Yield all headings of a dimension."""
    for end in range(side):
        yield Heading(end, 0)
        yield Heading(end, 1)


class TorusPaths:
    """Steps of headers from VC to VC."""

    def __init__(self, routing: TorusRouting):
        self.routing = routing
        self.network = network = routing.network
        self.grid = network.grid
        self._positions = [
            self.grid.position(channel.sink) if network.is_switch(channel.sink) else None
            for channel in network.channels
        ]

    def ends_at_switch(self, vc: int) -> bool:
        """Return whether a VC leads to a switch, and not to a processor."""
        return self._positions[vc] is not None

    def position(self, vc: int) -> tuple[int, int]:
        """Return row and column of the switch where a VC ends."""
        position = self._positions[vc]
        assert position is not None, vc
        return position

    def at_home(self, vc: int, heading: Heading) -> bool:
        """Return whether a header in its column from a host would be for this same host, which no node sends."""
        return self.network.direction_of[vc] is None and self.position(vc)[0] == heading.end

    def row_key(self, vc: int, heading: Heading) -> int:
        """Return a key with this heading along the row."""
        return self.routing.key_format.pack(RoutingKey(heading.end, self.position(vc)[0], heading.negative, 0))

    def column_key(self, vc: int, heading: Heading) -> int:
        """Return a key of headers in their column at the end of a VC, with this heading along it."""
        return self.routing.key_format.pack(RoutingKey(self.position(vc)[1], heading.end, 0, heading.negative))

    def along_row(self, vc: int, heading: Heading) -> list[int]:
        """Return the VCs that a header may take before it is in its column; none if it is unroutable."""
        vcs = self._following(vc, self.row_key(vc, heading))
        row = self.position(vc)[0]
        in_order = all(self.ends_at_switch(vc) and self.position(vc)[0] == row for vc in vcs)
        return vcs if in_order else []

    def along_column(self, vc: int, heading: Heading) -> list[int]:
        """Return the VCs that a header may take in its column, at last that to the processor; none if unroutable."""
        vcs = self._following(vc, self.column_key(vc, heading))
        column = self.position(vc)[1]
        in_order = all(not self.ends_at_switch(vc) or self.position(vc)[1] == column for vc in vcs)
        return vcs if in_order else []

    def _following(self, vc: int, key: int) -> list[int]:
        outputs = self.network.output_channel[self.network.channels[vc].sink]
        mask, vcs = self.routing.candidates(vc, key), []
        while mask:
            lowest = mask & -mask
            vcs.append(outputs[lowest.bit_length() - 1])
            mask ^= lowest
        return vcs
