"""Totals over all nodes."""

from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import In, Out

from rtl.parts.part import Part


class Total(Part):
    """Adds up one number per node and cycle, modulo a power of two.

    A tree of adders with a register after each level: the total follows after ceil(log2(nodes)) + 1 cycles.

    Parameters
    ----------
    nodes : int
        Numbers per cycle, at least 1.
    bits : int
        Width of each number.
    total_bits : int
        Width of the total, at least ``bits``.

    Members
    -------
    numbers : In(nodes * bits)
        Concatenated, the first one lowest.
    total : Out(total_bits)
        A register.
    """

    def __init__(self, nodes: int, bits: int, total_bits: int):
        self.nodes = nodes
        self.bits = bits
        self.total_bits = total_bits
        members = {"numbers": In(nodes * bits), "total": Out(total_bits)}
        super().__init__(f"total_{nodes}x{bits}_{total_bits}", members)

    def elaborate(self, _platform):
        m: Any = Module()
        numbers: list[Any] = [self.numbers[i * self.bits : (i + 1) * self.bits] for i in range(self.nodes)]
        level = 0
        while len(numbers) > 1:
            width = min(len(numbers[0]) + 1, self.total_bits)
            pairs = [numbers[i : i + 2] for i in range(0, len(numbers), 2)]
            numbers = [Signal(width, name=f"sum_{level}_{i}") for i in range(len(pairs))]
            m.d.sync += [added.eq(sum(pair[1:], pair[0])) for added, pair in zip(numbers, pairs, strict=True)]
            level += 1
        m.d.sync += self.total.eq(self.total + numbers[0])
        return m
