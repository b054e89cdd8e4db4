"""Pointer into a ring of slots, for buffers that are written at the back and read at the front."""

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value


def ring_pointer(m: Module, name: str, slots: int, step: Value) -> Any:
    """Return a register that advances to the next slot with every ``step``.

    Parameters:
        name: Name of the register.
        slots: Number of slots. With one slot there is no register; a power of two wraps by itself.
        step: Whether it advances at the end of the cycle.
    """
    if slots == 1:
        return Const(0, 0)
    pointer: Any = Signal(range(slots), name=name)
    driver: Any = m
    wraps = slots & (slots - 1) == 0
    with driver.If(step):
        driver.d.sync += pointer.eq(pointer + 1 if wraps else Mux(pointer == slots - 1, 0, pointer + 1))
    return pointer


def gray_pointer(m: Module, name: str, slots: int, step: Value) -> tuple[Any, Any]:
    """Return such a pointer in Gray code: with four slots it takes one lookup table less, up to sixteen never more.

    Parameters:
        m, name, step: See ``ring_pointer``.
        slots: A power of two. With one slot there is no register.

    Returns:
        code (Value): The register. It is usable as an address.
        number (Value): Steps from slot 0, modulo ``slots``.
    """
    if slots == 1:
        return Const(0, 0), Const(0, 0)
    code: Any = Signal(range(slots), name=name)
    number, following = Signal(len(code), name=f"{name}_number"), Signal(len(code), name=f"{name}_following")
    driver: Any = m
    driver.d.comb += [number.eq(gray_number(code)), following.eq(number + 1)]
    with driver.If(step):
        driver.d.sync += code.eq(following ^ (following >> 1))
    return code, number


def gray_number(code: Any) -> Value:
    """Return the number of a Gray code."""
    return Value.cast(Cat(*(code[bit:].xor() for bit in range(len(code)))))
