"""Combiner: the operators of a reduction over the branches of a switch, as a tree of nodes with two operands."""

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from rtl.parts.part import Part
from rtl.parts.selection import concat
from topology.collectives.operators import AND, MAX, MIN, OR, SIGNED, SIGNED_MAX, SIGNED_MIN, SUM, XOR

PICKING = (MIN, MAX, SIGNED_MIN, SIGNED_MAX)
STEERED = {
    "subtracts": (*PICKING, AND),
    "selects": (AND, OR),
    "passes_total": (SUM, AND, OR),
    "mixes": (XOR,),
    "picks": PICKING,
    "takes_larger": (MAX, SIGNED_MAX),
    "is_signed": SIGNED,
}
"""Control bits of the nodes, and the operators that set each."""
CONTROL = data.StructLayout(dict.fromkeys(STEERED, 1))
"""Control of a combiner: an operator, decoded. It is late in a cycle otherwise, and takes more tables per bit."""


def control_of(operator: Any, operators: tuple[int, ...]) -> Value:
    """Return the control of an operator.

    Parameters:
        operator (Value): Its number, one of those in hardware.
        operators: Numbers of the operators in hardware.
    """
    bits = []
    for setters in STEERED.values():
        built = [number for number in setters if number in operators]
        everyone = len(built) == len(operators)
        bits.append(
            concat(operator == number for number in built).any() if built and not everyone else Const(everyone, 1)
        )
    return concat(bits)


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
        control (In(CONTROL)): That of an operator in hardware. Absent with one operator.
        result (Out(word_bits))
    """

    def __init__(self, branches: int, word_bits: int, operators: tuple[int, ...]):
        self.branches = branches
        self.word_bits = word_bits
        self.operators = operators
        several = {"control": In(CONTROL)} if len(operators) > 1 else {}
        super().__init__(
            f"combiner_{branches}x{word_bits}_o{''.join(map(str, operators))}",
            {"words": In(word_bits).array(branches), "take": In(branches), **several, "result": Out(word_bits)},
        )

    def elaborate(self, _platform):
        m: Any = Module()
        if len(self.operators) > 1:
            self._is: Any = self.control
        else:
            bits = control_of(Const(next(iter(self.operators)), 3), self.operators)
            self._is = data.View(CONTROL, bits)
        _, result = self._node(m, 0, self.branches)
        m.d.comb += self.result.eq(result)
        return m

    def _node(self, m, low: int, high: int) -> tuple[Any, Any]:
        """Combine some branches; return whether one takes part, and the result."""
        if high - low == 1:
            return self.take[low], self.words[low]
        middle = (low + high + 1) // 2
        (some_a, a), (some_b, b) = self._node(m, low, middle), self._node(m, middle, high)
        node = f"{low}_to_{high - 1}"
        names = ("both", "takes_second", "passes_total", "mixes")
        signals: list[Any] = [Signal(name=f"{name}_{node}") for name in names]
        both, takes_b, passes_total, mixes = signals
        total, not_less = self._add(m, node, a, b)
        passed = Signal(self.word_bits, name=f"passed_{node}")
        result = Signal(self.word_bits, name=f"result_{node}")
        m.d.comb += [
            both.eq(some_a & some_b),
            # of equal words either one may be taken
            takes_b.eq(some_b & (~some_a | self._is.picks & (not_less ^ self._is.takes_larger))),
            passes_total.eq(both & self._is.passes_total),
            mixes.eq(both & self._is.mixes),
            passed.eq(Mux(mixes, a ^ b, Mux(takes_b, b, a))),
            result.eq(Mux(passes_total, total, passed)),
        ]
        return some_a | some_b, result

    def _add(self, m, node: str, a: Any, b: Any) -> tuple[Any, Any]:
        """Return the sum, bitwise and, or bitwise or of two words; and whether the first is not less than the second.

        One adder does all: a | b = a + (b & ~a), a & b = a - (a & ~b), and a - b has a carry if a is not less than b.
        """
        n = self.word_bits
        if self.operators == (SUM,):
            low = Signal(name=f"low_{node}")  # by itself, because synthesis makes larger adders of several in a row
            m.d.comb += low.eq(a[0] ^ b[0])
            return concat((low, (a + b)[1:n])), Const(0)
        second = Signal(n, name=f"second_{node}")
        total = Signal(n + 2, name=f"total_{node}")
        subtracts, flip = self._is.subtracts, self._is.is_signed
        first = concat((a[: n - 1], a[n - 1] ^ flip))
        operand = Mux(self._is.selects, Mux(subtracts, b | ~a, b & ~a), Mux(subtracts, ~b, b))
        m.d.comb += [
            second.eq(operand ^ (flip << (n - 1))),
            total.eq(concat((Const(1), first)) + concat((subtracts, second))),
        ]
        return total[1 : n + 1], total[n + 1]
