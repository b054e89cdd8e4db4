"""Coordinates, rings and dimension-order paths of an S x T torus or mesh (Sec. 2).

Node (row x, column y) has the number x T + y. A row is a ring of T nodes, a column one of S nodes; a mesh lacks the
channels that close the rings. Dimension order takes the way along the row first (it corrects the column, y), and then
the way along the column.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from topology.common.errors import TopologyError

MAX_SIDE = 256

# Directions, in the order of ports: along the row to the next column or back, then along the column.
Y_POSITIVE, Y_NEGATIVE, X_POSITIVE, X_NEGATIVE = range(4)
DIRECTIONS = 4
DIRECTION_NAMES = ("+y", "-y", "+x", "-x")


def opposite(direction: int) -> int:
    """Return the direction back."""
    return direction ^ 1


def along_row(direction: int) -> bool:
    """Return whether a direction runs along a row, which changes the column."""
    return direction in (Y_POSITIVE, Y_NEGATIVE)


class Hop(NamedTuple):
    """A channel on a path: it leaves ``node`` in ``direction``.

    Members:
        node, direction (int)
        wrap_ahead: The worm has yet to take the channel that closes the ring of this dimension, or takes it now.
    """

    node: int
    direction: int
    wrap_ahead: bool


class Turns(NamedTuple):
    """The direction of a message in each dimension, from its header.

    Members:
        y_negative, x_negative (bool)
    """

    y_negative: bool
    x_negative: bool


@dataclass(frozen=True)
class Grid:
    """A torus or mesh.

    Parameters:
        rows, columns (int): S and T, 1 to 256 each, 2 nodes or more in all. A side of 1 has no channels.
        wraps: Rings are closed (torus); otherwise it is a mesh.

    Raises:
        TopologyError: If a side is out of range.
    """

    rows: int
    columns: int
    wraps: bool = True

    def __post_init__(self):
        for name, side in (("rows", self.rows), ("columns", self.columns)):
            if isinstance(side, bool) or not isinstance(side, int) or not 1 <= side <= MAX_SIDE:
                raise TopologyError(f"Number of {name} is {side!r}; it must be 1 to {MAX_SIDE}", item=str(side))
        if self.nodes < 2:
            raise TopologyError(f"A grid must have at least 2 nodes, not {self.nodes}")

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return self.rows * self.columns

    def node(self, row: int, column: int) -> int:
        """Return the number of a node.

        Parameters:
            row: 0 to ``rows`` - 1.
            column: 0 to ``columns`` - 1.
        """
        return row * self.columns + column

    def position(self, node: int) -> tuple[int, int]:
        """Return row and column of a node.

        Parameters:
            node: 0 to ``nodes`` - 1.
        """
        return divmod(node, self.columns)

    def side(self, direction: int) -> int:
        """Return the nodes in the ring or line that a direction runs along.

        Parameters:
            direction: ``Y_POSITIVE``, ``Y_NEGATIVE``, ``X_POSITIVE`` or ``X_NEGATIVE``, 0 to 3.
        """
        return self.columns if along_row(direction) else self.rows

    def neighbour(self, node: int, direction: int) -> int | None:
        """Return the node behind the channel that leaves a node in a direction; None if there is no such channel.

        Parameters:
            node: 0 to ``nodes`` - 1.
            direction: 0 to 3, as for ``side``.
        """
        row, column = divmod(node, self.columns)
        in_row = along_row(direction)
        place, side, stride = (column, self.columns, 1) if in_row else (row, self.rows, self.columns)
        following = place + (1 if direction in (Y_POSITIVE, X_POSITIVE) else -1)
        if side == 1 or (not self.wraps and not 0 <= following < side):
            return None
        return node + (following % side - place) * stride

    def shortest(self, source: int, destination: int) -> Turns:
        """Return the shorter direction in each dimension; the positive one of two equal ones. In a mesh the only one.

        Parameters:
            source, destination (int): Nodes.
        """
        (row, column), (to_row, to_column) = self.position(source), self.position(destination)
        return Turns(self._goes_back(column, to_column, self.columns), self._goes_back(row, to_row, self.rows))

    def shortest_directions(self, source: np.ndarray, destination: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the shorter directions of many messages at once.

        Parameters:
            source, destination (int[M])

        Returns:
            y_negative, x_negative : bool[M]
        """
        (row, column), (to_row, to_column) = np.divmod(source, self.columns), np.divmod(destination, self.columns)
        return self._goes_back(column, to_column, self.columns), self._goes_back(row, to_row, self.rows)

    def _goes_back(self, start: Any, end: Any, side: int) -> Any:
        if not self.wraps:
            return end < start
        return (start - end) % side < (end - start) % side

    def path(self, source: int, destination: int, turns: Turns | None = None) -> Iterator[Hop]:
        """Yield the channels that a message takes between two switches, first one first.

        Parameters:
            source, destination (int)
            turns: Default: the shorter way. In a mesh other turns than those that lead there run into the rim.

        Raises:
            TopologyError: If the path runs into the rim of a mesh.
        """
        turns = self.shortest(source, destination) if turns is None else turns
        to_column = self.position(destination)[1]
        node = source
        while node != destination:
            if self.position(node)[1] != to_column:
                direction = Y_NEGATIVE if turns.y_negative else Y_POSITIVE
            else:
                direction = X_NEGATIVE if turns.x_negative else X_POSITIVE
            yield Hop(node, direction, self.wrap_ahead(node, destination, direction))
            following = self.neighbour(node, direction)
            if following is None:
                raise TopologyError(f"The way from node {source} to {destination} in direction {direction} has an end")
            node = following

    def wrap_ahead(self, node: int, destination: int, direction: int) -> bool:
        """Return whether a message that leaves a node in a direction will take the channel that closes the ring.

        It goes on in this direction until it has reached the row or column of its destination. Never so in a mesh.

        Parameters:
            node, destination (int): 0 to ``nodes`` - 1.
            direction: 0 to 3, as for ``side``.
        """
        if not self.wraps:
            return False
        dimension = 1 if along_row(direction) else 0
        position, end = self.position(node)[dimension], self.position(destination)[dimension]
        return end < position if direction in (Y_POSITIVE, X_POSITIVE) else end > position

    def closes_ring(self, node: int, direction: int) -> bool:
        """Return whether the channel that leaves a node in a direction is the one that closes the ring.

        Parameters:
            node: 0 to ``nodes`` - 1.
            direction: 0 to 3, as for ``side``.
        """
        row, column = self.position(node)
        position, side = (column if along_row(direction) else row), self.side(direction)
        last = side - 1 if direction in (Y_POSITIVE, X_POSITIVE) else 0
        return self.wraps and side > 1 and position == last
