"""Pointers in Gray code: one of two bits advances with an inverter alone, and is compared in one table."""

from typing import Any

from amaranth.hdl import Value

from rtl.parts.ring_pointer import gray_number
from rtl.parts.selection import concat


def following(code: Any) -> Value:
    """Return the code of the next number, cyclically."""
    if len(code) == 1:
        return ~code
    if len(code) == 2:
        return concat((~code[1], code[0]))
    number: Any = (gray_number(code) + 1)[: len(code)]
    return number ^ (number >> 1)


def behind(code: Any, other: Any, steps: int) -> Any:
    """Return whether a pointer is some steps after another one, cyclically.

    Parameters:
        code, other (Value): Pointers of one width.
        steps: Number of steps.
    """
    distance: Any = (gray_number(code) - gray_number(other))[: len(code)]
    return distance == steps % (1 << len(code))
