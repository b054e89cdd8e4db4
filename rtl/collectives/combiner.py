"""Combiner: the operators of a reduction over the branches of a switch, as a pipelined tree of nodes."""

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from rtl.parts.part import Part
from rtl.parts.selection import concat
from topology.collectives.operators import (
    AND,
    MAX,
    MIN,
    OR,
    SIGNED,
    SIGNED_MAX,
    SIGNED_MIN,
    SUM,
    XOR,
    combiner_stages,
)

PICKING = (MIN, MAX, SIGNED_MIN, SIGNED_MAX)
STEERED = {
    "subtracts": (*PICKING, AND),
    "selects": (AND, OR, XOR),
    "is_signed": SIGNED,
    "takes_larger": (MAX, SIGNED_MAX),
    "totals": (SUM, AND, OR),
    "mixes": (XOR,),
    "picks": PICKING,
}
"""Control bits of the nodes, and the operators that set each."""
OF_WORDS = ("totals", "mixes", "picks")
"""Those that are 0 for a header."""
CONTROL = data.StructLayout(dict.fromkeys(STEERED, 1))
"""Control of a combiner: an operator, decoded."""
Operand = tuple[Any, Any]
"""A node's input or output: whether a branch takes part, and the word."""


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


def header_control(control: Any) -> Value:
    """Return the control for a header, of which a node passes its first operand.

    Parameters:
        control (Value): Any control.
    """
    return concat(Const(0, 1) if name in OF_WORDS else bit for name, bit in zip(STEERED, control, strict=True))


def register_levels(branches: int, stages: int) -> list[int]:
    """Return the levels of the tree behind which registers are, ascending; level 0 are the branches.

    Parameters:
        branches: Branches of the switch.
        stages: Number of registers.
    """
    levels = (branches - 1).bit_length()
    if stages == 1:
        return [(levels + 1) // 2]
    if levels < stages:
        return [0] * (stages - levels) + list(range(1, levels + 1))
    return [-(-levels * k // stages) for k in range(1, stages + 1)]


class Combiner(Part):
    """Combines the words of the branches that take part. Throughput 1 word per cycle.

    Latency ``combiner_stages`` cycles: the result is that of words, branches and control before these cycles.

    A node passes the operand that takes part, or combines two. Operands that do not take part therefore need no mask
    and no neutral element.

    Parameters:
        branches: At least 1.
        word_bits
        operators (tuple of int): Numbers of the operators in hardware, at least one.

    Members:
        words (In(word_bits).array(branches))
        take (In(branches)): Branches that take part. At least one, except where the result does not matter.
        control (In(CONTROL)): That of an operator in hardware. Absent for sums alone.
        result (Out(word_bits)): Combinational from registers.
    """

    def __init__(self, branches: int, word_bits: int, operators: tuple[int, ...]):
        self.branches = branches
        self.word_bits = word_bits
        self.operators = operators
        several = {"control": In(CONTROL)} if operators != (SUM,) else {}
        super().__init__(
            f"combiner_{branches}x{word_bits}_o{''.join(map(str, operators))}",
            {"words": In(word_bits).array(branches), "take": In(branches), **several, "result": Out(word_bits)},
        )

    def elaborate(self, _platform):
        m: Any = Module()
        if self.operators != (SUM,):
            self._is: Any = self.control
        else:
            self._is = data.View(CONTROL, control_of(Const(SUM, 3), self.operators))
        registers = register_levels(self.branches, combiner_stages(self.operators))
        operands: list[Operand] = [(self.take[i], self.words[i]) for i in range(self.branches)]
        for level in range((self.branches - 1).bit_length() + 1):
            if level:
                operands = self._level(m, level, operands, registered=level in registers)
            for number in range(registers.count(level)):
                if not level:
                    operands = [
                        self._held(m, f"{i}_{number}", operand, registered=True) for i, operand in enumerate(operands)
                    ]
                self._delay_control(m, f"control_{level}_{number}")
        m.d.comb += self.result.eq(operands[0][1])
        return m

    def _delay_control(self, m, name: str) -> None:
        """Put a register behind the control; constant bits begin with their values, so that they stay constant."""
        if self.operators == (SUM,):
            return
        always = {bit: int(set(self.operators) <= set(setters)) for bit, setters in STEERED.items()}
        control = Signal(CONTROL, init=always, name=name, reset_less=True)
        m.d.sync += control.eq(self._is)
        self._is = control

    def _level(self, m, level: int, operands: list[Operand], *, registered: bool) -> list[Operand]:
        """Return the outputs of the nodes of a level; one operand more is passed."""
        found = []
        for i in range(0, len(operands), 2):
            pair, name = operands[i : i + 2], f"{level}_{i // 2}"
            found.append(
                self._node(m, name, pair[0], pair[1], registered=registered)
                if len(pair) == 2
                else self._held(m, name, pair[0], registered=registered)
            )
        return found

    def _held(self, m, name: str, operand: Operand, *, registered: bool) -> Operand:
        """Return an operand behind a register, or as it is."""
        if not registered:
            return operand
        some, word = Signal(init=1, name=f"some_{name}", reset_less=True), self._word(f"word_{name}")
        m.d.sync += [some.eq(operand[0]), word.eq(operand[1])]
        return some, word

    def _word(self, name: str) -> Any:
        return Signal(self.word_bits, name=name, reset_less=True)

    def _node(self, m, name: str, first: Operand, second: Operand, *, registered: bool) -> Operand:
        """Combine two operands.

        With a register, sum and operands are held, each 0 if it is not passed, so one table per bit joins them.
        """
        (some_a, a), (some_b, b) = first, second
        some: Any = Signal(init=1, name=f"some_{name}", reset_less=registered)
        takes_b: Any = Signal(name=f"takes_second_{name}", reset_less=registered)  # of equal words either one
        total, not_less = self._add(m, name, a, b)
        both = Signal(name=f"both_{name}")
        m.d.comb += both.eq(some_a & some_b)
        values = [
            (some, some_a | some_b),
            (takes_b, Mux(both, self._is.mixes, some_b) | both & self._is.picks & not_less),
        ]
        result = self._word(f"result_{name}")
        if not registered:
            m.d.comb += [signal.eq(value) for signal, value in values]
            picked = Mux(both & self._is.mixes, a ^ b, Mux(takes_b, b, a))
            m.d.comb += result.eq(Mux(both & self._is.totals, total, picked))
            return some, result
        held_total, held_a, held_b = (self._word(f"{word}_{name}") for word in ("total", "first", "second"))
        m.d.sync += [signal.eq(value) for signal, value in values]
        m.d.sync += [held_total.eq(total), held_a.eq(a), held_b.eq(b)]
        with m.If(~(both & (self._is.totals | self._is.mixes))):
            m.d.sync += held_total.eq(0)
        with m.If(both & self._is.totals):
            m.d.sync += [held_a.eq(0), held_b.eq(0)]
        # exclusive or: the sum is the bitwise or, and both operands are held
        several = (held_a ^ held_b) & held_total | held_b & ~held_total
        m.d.comb += result.eq(Mux(takes_b, several, held_total | held_a))
        return some, result

    def _add(self, m, name: str, a: Any, b: Any) -> tuple[Any, Any]:
        """Return the sum, bitwise and, or bitwise or of two words; and whether the second one is to be picked.

        One adder does all: a | b = a + (b & ~a), a & b = a - (a & ~b), and a - b has a carry if a is not less than b.
        """
        n = self.word_bits
        if self.operators == (SUM,):
            low = Signal(name=f"low_{name}")  # by itself, because synthesis makes larger adders of several in a row
            m.d.comb += low.eq(a[0] ^ b[0])
            return concat((low, (a + b)[1:n])), Const(0)
        addend = Signal(n, name=f"addend_{name}")
        total = Signal(n + 2, name=f"sum_{name}")
        subtracts, flip = self._is.subtracts, self._is.is_signed
        first = concat((a[: n - 1], a[n - 1] ^ flip))
        operand = ~Mux(self._is.selects, Mux(subtracts, a & ~b, a | ~b), Mux(subtracts, b, ~b))
        m.d.comb += [
            addend.eq(operand ^ (flip << (n - 1))),
            # the highest bit is the carry, inverted if the larger word is to be picked
            total.eq(concat((Const(1), first, Const(0))) + concat((subtracts, addend, self._is.takes_larger))),
        ]
        return total[1 : n + 1], total[n + 1]
