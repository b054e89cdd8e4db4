# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Routing keys of writes to windows, which are few: looked up, where those of any destination set are computed."""

from collections.abc import Callable, Sequence
from functools import reduce
from operator import or_
from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.parts.part import Part
from rtl.parts.selection import either, packed, table_row
from topology.axi4.address_map import AddressMap
from topology.common.flits import bits_for


class WindowKey(Part):
    """Looks up the key of a write to a window. Combinational.

    Parameters:
        areas: The address map, with a window.
        managers: Processors with a manager.
        processors: Of the network.
        key_bits: Width of a key.
        set_key: Sender and its destinations -> key.

    Members:
        node (In): The sender, a processor with a manager.
        destinations (In(processors)): Processors of a window, without the sender.
        key (Out(key_bits)): The key; unspecified if there are no destinations.
        multicast (Out(1)): There are two or more.
    """

    def __init__(
        self,
        areas: AddressMap,
        managers: Sequence[int],
        processors: int,
        key_bits: int,
        set_key: Callable[[int, Sequence[int]], int],
    ):
        self._sets = [sum(1 << processor for processor in window.processors) for window in areas.windows]
        targets = range(len(areas.regions), len(areas.areas))
        receivers = [{node: tuple(sorted(areas.receivers(target, node))) for node in managers} for target in targets]
        self._rows = [
            [_row(set_key, node, of.get(node, ()), key_bits) for node in range(processors)] for of in receivers
        ]
        members = {"node": In(bits_for(processors)), "destinations": In(processors)}
        super().__init__("window_key", {**members, "key": Out(key_bits), "multicast": Out(1)})

    def elaborate(self, _platform):
        m: Any = Module()
        row_bits, first = len(self.key) + 1, self._sets[0]
        differing = reduce(or_, (mask ^ first for mask in self._sets))
        others: Any = Signal(len(self.destinations))  # the sender is in no set, though in its window
        m.d.comb += others.eq(differing & ~(1 << self.node))
        rows = []
        for number, (mask, keys) in enumerate(zip(self._sets, self._rows, strict=True)):
            table = Const(packed(keys, row_bits), row_bits * len(keys))
            row = Signal(row_bits, name=f"row_{number}")
            right = ~((self.destinations ^ mask) & others).any()
            m.d.comb += row.eq(Mux(right, table_row(m, table, self.node, row_bits, f"window_{number}"), 0))
            rows.append(row)
        found: Any = Signal(row_bits)
        m.d.comb += found.eq(either(rows))
        m.d.comb += [self.multicast.eq(found[0]), self.key.eq(found[1:])]
        return m


def _row(set_key: Callable[[int, Sequence[int]], int], node: int, receivers: Sequence[int], key_bits: int) -> int:
    """Return key and ``multicast`` of a write, 0 without receivers."""
    row = set_key(node, receivers) << 1 | (len(receivers) > 1) if receivers else 0
    assert row >> key_bits + 1 == 0
    return row
