"""Receivers of a write to a window in a network without multicasts, one after the other."""

from typing import Any

from amaranth.hdl import Const, Signal

from rtl.parts.selection import concat, encoded, lowest_one, packed, table_row
from topology.axi4.address_map import AddressMap
from topology.axi4.words import Axi4Format


class WriteCopies:
    """Receivers that a write still has to be sent to, in the module of the part that sends it.

    Parameters:
        number: Window of the write.
        node: The manager's processor, which is no receiver.

    Members:
        destination: Receiver of the current copy. A register.
        more: Other copies follow. A function of registers; low for writes to regions.
    """

    def __init__(self, m: Any, axi: Axi4Format, areas: AddressMap, number: Any, node: Any):
        self._m = m
        self._processors = sorted({processor for window in areas.windows for processor in window.processors})
        self.destination: Any = Signal(axi.node_bits, name="copy_destination", reset_less=True)
        self.more: Any = Signal(name="more_copies")
        count = len(self._processors)
        self._left: Any = Signal(count, name="copies_left")
        masks = [sum((p in window.processors) << i for i, p in enumerate(self._processors)) for window in areas.windows]
        row = table_row(m, Const(packed(masks, count), count * axi.windows), number, count, "copies")
        others = concat(node != processor if processor else node.any() for processor in self._processors)
        self._receivers = row & others
        m.d.comb += self.more.eq(self._left.any())

    def begin(self) -> None:
        """Load all receivers at the end of this cycle."""
        self._m.d.sync += self._left.eq(self._receivers)

    def choose(self) -> None:
        """Make the next receiver the destination at the end of this cycle."""
        chosen = lowest_one(self._left)
        numbers = encoded(chosen, self._processors, len(self.destination))
        self._m.d.sync += [self.destination.eq(concat(numbers)), self._left.eq(self._left & ~chosen)]
