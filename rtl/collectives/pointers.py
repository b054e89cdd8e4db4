"""Pointers into buffers: registers that advance with little or no logic, and are compared in few tables."""

from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Const, Signal, Value

from rtl.parts.ring_pointer import gray_number
from rtl.parts.selection import concat, either

RINGS = {1: 0b10, 2: 0b1100, 3: 0b1110_1000}
"""First value of a ring with codes of some bits: a de Bruijn sequence, in which these bits differ in all places."""


@dataclass(frozen=True)
class Pointers:
    """Kind of the pointers of a buffer.

    With up to 8 places a pointer is a ring of bits: it advances by a rotation, without logic. Its lowest bits are its
    code, since the ring is a de Bruijn sequence. With more places it is a number in Gray code.

    Parameters:
        places: Places of the buffer, at least 2.
    """

    places: int

    @property
    def is_ring(self) -> bool:
        """True for a ring."""
        return self.code_bits in RINGS

    @property
    def code_bits(self) -> int:
        """Bits of a code."""
        return (self.places - 1).bit_length()

    @property
    def period(self) -> int:
        """Steps after which a pointer is where it was; at least ``places``."""
        return 1 << self.code_bits

    def register(self, name: str) -> Any:
        """Return a register for a pointer.

        Parameters:
            name: Name of the register.
        """
        bits = self.code_bits
        return Signal(self.period, init=RINGS[bits], name=name) if self.is_ring else Signal(bits, name=name)

    def first(self) -> Value:
        """Return the first value of a pointer."""
        bits = self.code_bits
        return Const(RINGS[bits], self.period) if self.is_ring else Const(0, bits)

    def following(self, pointer: Any, steps: int = 1) -> Value:
        """Return the pointer after some steps.

        Parameters:
            pointer (Value)
            steps: Number of steps.
        """
        if self.is_ring:
            low = -steps % self.period
            return concat((pointer[low:], pointer[:low]))
        number: Any = (gray_number(pointer) + steps)[: self.code_bits]
        return number ^ (number >> 1)

    def code(self, pointer: Any) -> Any:
        """Return the code of a pointer: an address, different in all steps of a period.

        Parameters:
            pointer (Value)
        """
        return pointer[: self.code_bits]

    def is_behind(self, pointer: Any, other: Any, steps: int) -> Any:
        """Return whether a pointer is some steps after another one, cyclically.

        Parameters:
            pointer, other (Value): Pointers of this kind.
            steps: Number of steps.
        """
        return self.code(pointer) == self.code(self.following(other, steps))

    def number(self, pointer: Any) -> Value:
        """Return the steps from the first value, modulo the period; for proofs.

        Parameters:
            pointer (Value)
        """
        if not self.is_ring:
            return Value.cast(gray_number(pointer))
        bits = (self.period - 1).bit_length()
        rows = []
        for steps in range(self.period):
            is_it: Any = pointer == self.following(self.first(), steps)
            rows.append(concat(is_it for _ in range(bits)) & steps)
        return Value.cast(either(rows))[:bits]
