"""The ways of all headers that any node may send, for the static checks: along rows, then along columns.

Keys are many (16,384 for 64 x 64 nodes), and so are lanes. But `TorusRouting.candidates` reads the row of a key, and
its direction in x, only at switches in the key's column. So as long as a header is not in its column all keys with the
same column and direction in y have the same candidates, and one of them stands for all; and once it is there, the
column and the direction in y say nothing more. A way falls into two parts, each of which has at most 2 x 64 kinds of
headers. Nothing is lost by that: every node sends all combinations of its kinds in the two dimensions, and on its way
along a row a header stays in the row of its source.

What sends a header off that order is no way here: along a row to another row or to a processor, along a column to
another column. So a rule that breaks the order is found, and not taken for one that keeps it.
"""

from collections.abc import Iterator
from typing import NamedTuple

from topology.torus.grid import Grid
from topology.torus.header import RoutingKey
from topology.torus.routing import TorusRouting


class Heading(NamedTuple):
    """What a header says of one dimension.

    Members
    -------
    end : int
        Column or row of the destination.
    negative : int
        1 if the message travels in the negative direction.
    """

    end: int
    negative: int

    def suits(self, grid: Grid, start: int) -> bool:
        """Whether a message that starts at a position may be sent so; in a mesh only the way that leads there."""
        return grid.wraps or self.end == start or self.negative == (self.end < start)


def headings(side: int) -> Iterator[Heading]:
    """Yield all of a dimension."""
    for end in range(side):
        yield Heading(end, 0)
        yield Heading(end, 1)


class Ways:
    """Steps of headers from lane to lane.

    Parameters
    ----------
    routing : TorusRouting
    """

    def __init__(self, routing: TorusRouting):
        self.routing = routing
        self.network = network = routing.network
        self.grid = network.grid
        self._positions = [
            self.grid.position(channel.sink) if network.is_switch(channel.sink) else None
            for channel in network.channels
        ]

    def ends_at_switch(self, lane: int) -> bool:
        """Return whether a lane leads to a switch, and not to a processor."""
        return self._positions[lane] is not None

    def position(self, lane: int) -> tuple[int, int]:
        """Return row and column of the switch where a lane ends."""
        position = self._positions[lane]
        assert position is not None, lane
        return position

    def at_home(self, lane: int, heading: Heading) -> bool:
        """Whether a header in its column that comes from a host would be for this same host: no node sends that."""
        return self.network.direction_of[lane] is None and self.position(lane)[0] == heading.end

    def row_key(self, lane: int, heading: Heading) -> int:
        """Return a key of those with this heading along the row."""
        return self.routing.key_format.pack(RoutingKey(heading.end, self.position(lane)[0], heading.negative, 0))

    def column_key(self, lane: int, heading: Heading) -> int:
        """Return a key of those that are in their column at the end of a lane, with this heading along it."""
        return self.routing.key_format.pack(RoutingKey(self.position(lane)[1], heading.end, 0, heading.negative))

    def along_row(self, lane: int, heading: Heading) -> list[int]:
        """Return lanes that a header may take while it is not in its column; none if it has no way."""
        lanes = self._following(lane, self.row_key(lane, heading))
        row = self.position(lane)[0]
        in_order = all(self.ends_at_switch(lane) and self.position(lane)[0] == row for lane in lanes)
        return lanes if in_order else []

    def along_column(self, lane: int, heading: Heading) -> list[int]:
        """Lanes that a header may take once it is in its column, at last that to the processor; none without a way."""
        lanes = self._following(lane, self.column_key(lane, heading))
        column = self.position(lane)[1]
        in_order = all(not self.ends_at_switch(lane) or self.position(lane)[1] == column for lane in lanes)
        return lanes if in_order else []

    def _following(self, lane: int, key: int) -> list[int]:
        outputs = self.network.output_channel[self.network.channels[lane].sink]
        mask, lanes = self.routing.candidates(lane, key), []
        while mask:
            lowest = mask & -mask
            lanes.append(outputs[lowest.bit_length() - 1])
            mask ^= lowest
        return lanes
