"""Routing key of a message in a torus or mesh, computed in hardware."""

from typing import Any

from amaranth.hdl import Const, Module, Signal, Value
from amaranth.lib.wiring import In, Out

from rtl.parts.part import Part
from rtl.parts.selection import concat, packed, table_row
from topology.common.flits import bits_for
from topology.torus.grid import Grid
from topology.torus.header import KeyFormat


class ShortestKey(Part):
    """Computes the key of a message along the shorter direction in each dimension, as ``Grid.shortest`` does.

    Positions of nodes are bits of their numbers if the columns are a power of two, and otherwise rows of a table that
    is shared by all senders. The directions are comparisons of the two positions: for a sender, whose number is a
    constant, functions of a row's and of a column's bits alone. So the same module serves all senders of a network. No
    latency.

    Members:
        node (In): The sender, a constant.
        destination (In): A node's number.
        key (Out): Its routing key. Unspecified if the node does not exist.
        exists (Out(1)): Whether the node exists.
    """

    def __init__(self, grid: Grid):
        self.grid = grid
        bits = bits_for(grid.nodes)
        super().__init__(
            "shortest_key",
            {"node": In(bits), "destination": In(bits), "key": Out(KeyFormat(grid).bits), "exists": Out(1)},
        )

    def elaborate(self, _platform):
        m: Any = Module()
        grid = self.grid
        column, row = self._position(m, self.node, "own")
        to_column, to_row = self._position(m, self.destination, "its")
        m.d.comb += [
            self.exists.eq(self.destination < grid.nodes if grid.nodes < 1 << len(self.destination) else 1),
            self.key.eq(
                concat(
                    (
                        to_column,
                        to_row,
                        self._goes_back(m, column, to_column, grid.columns, "y"),
                        self._goes_back(m, row, to_row, grid.rows, "x"),
                    )
                )
            ),
        ]
        return m

    def _position(self, m, node: Value, whose: str) -> tuple[Signal, Signal]:
        """Return the column and row of a node."""
        grid = self.grid
        column, row = (
            Signal(bits_for(side), name=f"{whose}_{name}")
            for name, side in (("column", grid.columns), ("row", grid.rows))
        )
        if grid.columns & grid.columns - 1:
            bits = len(column) + len(row)
            rows = [y | x << len(column) for x, y in map(grid.position, range(grid.nodes))]
            table = Const(packed(rows, bits), bits << len(node))
            m.d.comb += concat((column, row)).eq(table_row(m, table, node, bits, whose))
        else:
            low = grid.columns.bit_length() - 1  # a single column takes no bits of the number
            m.d.comb += [column.eq(node[:low]), row.eq(node[low:])]
        return column, row

    def _goes_back(self, m, start: Value, end: Value, side: int, name: str) -> Signal:
        """Return whether the negative direction is the shorter one; ties take the positive one."""
        negative = Signal(name=f"{name}_negative")
        if side == 1:
            return negative
        if not self.grid.wraps:
            m.d.comb += negative.eq(end < start)
            return negative
        ahead: Any = Signal(range(-side + 1, side), name=f"{name}_ahead")
        m.d.comb += [
            ahead.eq(end - start),
            negative.eq((ahead > side // 2) | ((ahead < 0) & (ahead >= -((side - 1) // 2)))),
        ]
        return negative
