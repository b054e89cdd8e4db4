"""Combiner: the operators of a reduction over the branches of a switch, as a tree of nodes with two operands."""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from rtl.parts.part import Part
from rtl.parts.selection import concat
from topology.collectives.operators import (
    AND,
    MAX,
    MIN,
    OPERATOR_BITS,
    OR,
    SIGNED,
    SIGNED_MAX,
    SIGNED_MIN,
    SUM,
    XOR,
)

PICKING = (MIN, MAX, SIGNED_MIN, SIGNED_MAX)
BITWISE = (AND, OR, XOR)


class Combiner(Part):
    """Combines the words of the branches that take part. Combinational.

    A node passes the operand that takes part, or combines two. Operands that do not take part therefore need no mask
    and no neutral element.

    Parameters:
        branches: At least 1.
        word_bits
        operators (tuple of int): Numbers of the operators in hardware, at least one.

    Members:
        words (In(word_bits).array(branches))
        take (In(branches)): Branches that take part. At least one, except where the result does not matter.
        lowest (In(1)): The result is the word of the lowest branch that takes part. Absent with one operator.
        operator (In(3)): Number of the operator, one of those in hardware. Absent with one operator.
        result (Out(word_bits))
    """

    def __init__(self, branches: int, word_bits: int, operators: tuple[int, ...]):
        self.branches = branches
        self.word_bits = word_bits
        self.operators = operators
        several = {"lowest": In(1), "operator": In(OPERATOR_BITS)} if len(operators) > 1 else {}
        super().__init__(
            f"combiner_{branches}x{word_bits}_o{''.join(map(str, operators))}",
            {"words": In(word_bits).array(branches), "take": In(branches), **several, "result": Out(word_bits)},
        )

    def elaborate(self, _platform):
        m: Any = Module()
        several = len(self.operators) > 1
        lowest = self.lowest if several else Const(0)

        def among(numbers: Sequence[int]) -> Value:
            """Return whether the operator is one of these."""
            built = [number for number in numbers if number in self.operators]
            if not several:
                return Const(len(built), 1)
            return concat(self.operator == number for number in built).any() if built else Const(0)

        self._sums, self._picks = Signal(name="sums"), Signal(name="picks")
        self._takes_larger, self._is_signed = Signal(name="takes_larger"), Signal(name="is_signed")
        self._bits = Signal(2, name="bitwise")
        m.d.comb += [
            self._sums.eq(among([SUM]) & ~lowest),
            self._picks.eq(among(PICKING) | lowest),
            self._takes_larger.eq(among([MAX, SIGNED_MAX])),
            self._is_signed.eq(among(SIGNED)),
            self._bits.eq(Cat(among([AND]), among([OR]))),
        ]
        self._lowest = lowest
        _, result = self._node(m, 0, self.branches)
        m.d.comb += self.result.eq(result)
        return m

    def _node(self, m, low: int, high: int) -> tuple[Any, Any]:
        """Combine some branches; return whether one takes part, and the result."""
        if high - low == 1:
            return self.take[low], self.words[low]
        middle = (low + high + 1) // 2
        (some_a, a), (some_b, b) = self._node(m, low, middle), self._node(m, middle, high)
        name = f"{low}_to_{high - 1}"
        both = Signal(name=f"both_{name}")
        takes_b = Signal(name=f"takes_second_{name}")
        result = Signal(self.word_bits, name=f"result_{name}")
        m.d.comb += both.eq(some_a & some_b)
        values: list[tuple[Any, Any]] = []
        if SUM in self.operators:
            values.append((both & self._sums, a + b))
        if any(number in self.operators for number in BITWISE):
            wise = Signal(self.word_bits, name=f"bitwise_{name}")
            m.d.comb += wise.eq(Mux(self._bits[0], a & b, Mux(self._bits[1], a | b, a ^ b)))
            values.append((both & ~self._sums & ~self._picks, wise))
        better: Any = Const(0)
        if any(number in self.operators for number in PICKING):
            flip = self._is_signed << (self.word_bits - 1)
            better = (b ^ flip) < (a ^ flip)
            better = (better ^ self._takes_larger) & ~self._lowest
        m.d.comb += takes_b.eq(some_b & (~some_a | self._picks & better))
        chosen = Mux(takes_b, b, a)
        for condition, value in values:
            chosen = Mux(condition, value, chosen)
        m.d.comb += result.eq(chosen)
        return some_a | some_b, result
