"""Subnetworks of a torus for multicasts (Sec. 3.2, 3.3): distribution and collection networks.

A distribution network of dilation h is an (S/h) x (T/h) torus: every h-th row and column, whose links are h channels
long. A collection network is a block of h x h nodes, a mesh. Every node is in one block, and every distribution network
has one node in every block. The paper's Fig. 1 shows type I; with residues of row and column modulo h the types are

    I    h networks: row and column i; both directions
    II   h^2: row i, column j; both directions
    III  2h: row and column i with positive channels; row i, column i + d with negative ones
    IV   h^2: row i, column j; positive channels if i + j is even, negative ones if it is odd

so that every channel is in one network of type I and III, in h of type II, and in h / 2 of type IV if h is even.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sim_model.torus.chains import NEGATIVE, POSITIVE
from topology.common.errors import TopologyError
from topology.torus.grid import DIRECTIONS, X_NEGATIVE, X_POSITIVE, Y_NEGATIVE, Y_POSITIVE, Grid, Turns

KINDS = ("I", "II", "III", "IV")
DEFAULT_OFFSET = 1


@dataclass(frozen=True)
class Subnetwork:
    """Rows and columns of a torus at equal distances, as a network of its own.

    Parameters:
        whole: The network that it is a part of.
        grid: The network that it is: its nodes have numbers of their own.
        row, column (int): Position of its node 0.
        stride: Distance of rows and of columns, and channels of a link.
        direction: ``POSITIVE`` or ``NEGATIVE`` if it has no other channels.
    """

    whole: Grid
    grid: Grid
    row: int
    column: int
    stride: int
    direction: Turns | None = None

    def to_global(self, own: int) -> int:
        """Return the number of a node in the whole network."""
        row, column = self.grid.position(own)
        return self.whole.node(self.row + self.stride * row, self.column + self.stride * column)

    def to_local(self, node: int) -> int | None:
        """Return the number of a node of the whole network in the subnetwork; None if it is outside."""
        row, column = self.whole.position(node)
        rows, row_rest = divmod(row - self.row, self.stride)
        columns, column_rest = divmod(column - self.column, self.stride)
        inside = 0 <= rows < self.grid.rows and 0 <= columns < self.grid.columns
        return self.grid.node(rows, columns) if inside and not (row_rest or column_rest) else None

    @property
    def nodes(self) -> tuple[int, ...]:
        """Numbers of its nodes in the whole network, by their own numbers."""
        return tuple(self.to_global(own) for own in range(self.grid.nodes))

    @property
    def directions(self) -> tuple[int, ...]:
        """Directions of its channels."""
        if self.direction is None:
            return tuple(range(DIRECTIONS))
        return (Y_NEGATIVE, X_NEGATIVE) if self.direction == NEGATIVE else (Y_POSITIVE, X_POSITIVE)

    @property
    def channels(self) -> Iterator[tuple[int, int]]:
        """Its channels: node of the whole network that each leaves, and direction."""
        for own in range(self.grid.nodes):
            for direction in self.directions:
                if self.grid.neighbour(own, direction) is not None:
                    yield from self._link(self.to_global(own), direction)

    def _link(self, node: int, direction: int) -> Iterator[tuple[int, int]]:
        following: int | None = node
        for _ in range(self.stride):
            assert following is not None, "links lie in the whole network"
            yield following, direction
            following = self.whole.neighbour(following, direction)


def dilations(grid: Grid) -> tuple[int, ...]:
    """Return the dilations by which a torus can be partitioned; none in a mesh."""
    if not grid.wraps:
        return ()
    candidates = range(2, min(grid.rows, grid.columns) + 1)
    return tuple(h for h in candidates if not (grid.rows % h or grid.columns % h) and h * h < grid.nodes)


def distribution_networks(grid: Grid, dilation: int, kind: str, offset: int = DEFAULT_OFFSET) -> tuple[Subnetwork, ...]:
    """Return the distribution networks of a torus, by row and column; in type III the positive ones come first.

    Parameters:
        dilation: h, 2 or more; it must divide both sides.
        kind: ``I`` to ``IV``.
        offset: d of type III, 1 to h - 1: how far the columns of its negative networks are beside those of its positive
            ones.

    Raises:
        TopologyError: If there are no such networks.
    """
    own = _checked(grid, dilation)
    if kind not in KINDS:
        raise TopologyError(f"Type of distribution networks is {kind!r}; it must be {', '.join(KINDS)}", item=str(kind))
    if not 1 <= offset < dilation:
        raise TopologyError(f"Offset is {offset!r}; it must be 1 to {dilation - 1}", item=str(offset))
    residues = range(dilation)
    places: Sequence[tuple[int, int, Turns | None]]
    if kind == "I":
        places = [(i, i, None) for i in residues]
    elif kind == "II":
        places = [(i, j, None) for i in residues for j in residues]
    elif kind == "III":
        places = [(i, i, POSITIVE) for i in residues] + [(i, (i + offset) % dilation, NEGATIVE) for i in residues]
    else:
        places = [(i, j, NEGATIVE if (i + j) % 2 else POSITIVE) for i in residues for j in residues]
    return tuple(Subnetwork(grid, own, row, column, dilation, direction) for row, column, direction in places)


def collection_networks(grid: Grid, dilation: int) -> tuple[Subnetwork, ...]:
    """Return the blocks of a torus, row by row of blocks.

    The number of a block is that which its node of any distribution network has there.

    Parameters:
        dilation: h, the side of a block.

    Raises:
        TopologyError: If there are no such blocks.
    """
    blocks = _checked(grid, dilation)
    block = Grid(dilation, dilation, wraps=False)
    corners = [blocks.position(number) for number in range(blocks.nodes)]
    return tuple(Subnetwork(grid, block, row * dilation, column * dilation, 1) for row, column in corners)


def _checked(grid: Grid, dilation: int) -> Grid:
    """Return the shape of a distribution network."""
    if not grid.wraps:
        raise TopologyError("Network to be partitioned must be a torus, not a mesh")
    if dilation not in dilations(grid):
        sides = f"{grid.rows} and {grid.columns}"
        raise TopologyError(
            f"Dilation must divide {sides}, be 2 or more and leave several blocks, not {dilation!r}", item=str(dilation)
        )
    return Grid(grid.rows // dilation, grid.columns // dilation)
