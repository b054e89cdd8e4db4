"""The header of a message: its destination and turns, and its source.

The routing key has the fields ``column`` and ``row`` of the destination, and ``y_negative`` and ``x_negative``, the
directions in the two dimensions (lowest first). Directions are the sender's choice: a switch compares coordinates for
equality without a search for the shorter way, and messages can be kept within a directed subnetwork. There is no
destination bit string, because the hosts implement multicast.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from topology.common.flits import HeaderFormat, bits_for
from topology.common.routed_headers import unicast_header
from topology.torus.grid import Grid, Turns


class RoutingKey(NamedTuple):
    """Fields of a routing key.

    Members:
        column, row (int): Of the destination.
        y_negative, x_negative (int): 1 if the message travels in the negative direction of the dimension.
    """

    column: int
    row: int
    y_negative: int
    x_negative: int

    @classmethod
    def of(cls, grid: Grid, destination: int, turns: Turns) -> "RoutingKey":
        """Return the key of a message to a node."""
        row, column = grid.position(destination)
        return cls(column, row, int(turns.y_negative), int(turns.x_negative))


@dataclass(frozen=True)
class KeyFormat:
    """Layout of routing keys."""

    grid: Grid

    @cached_property
    def fields(self) -> tuple[tuple[str, int], ...]:
        """Names and widths in bits, lowest first."""
        widths = (bits_for(self.grid.columns), bits_for(self.grid.rows), 1, 1)
        return tuple(zip(RoutingKey._fields, widths, strict=True))

    @cached_property
    def bits(self) -> int:
        """Width of a key."""
        return sum(width for _, width in self.fields)

    @cached_property
    def _low(self) -> tuple[int, ...]:
        widths = [width for _, width in self.fields]
        return tuple(sum(widths[:field]) for field in range(len(widths)))

    def pack(self, key: RoutingKey) -> int:
        """Return the key as an integer."""
        return sum(value << low for value, low in zip(key, self._low, strict=True))

    def unpack(self, value: int) -> RoutingKey:
        """Return the fields of a key given as an integer."""
        return RoutingKey(
            *(value >> low & (1 << width) - 1 for (_, width), low in zip(self.fields, self._low, strict=True))
        )


def torus_header(grid: Grid, flit_bits: int) -> HeaderFormat:
    """Return the header format of a torus or mesh: routing key and source.

    Raises:
        TopologyError: If the key does not fit into the first flit.
    """
    return unicast_header(KeyFormat(grid).bits, bits_for(grid.nodes), flit_bits)
