"""A place in a ring of slots, for buffers that are written at the back and read at the front."""

from typing import Any

from amaranth.hdl import Const, Module, Signal, Value


def ring_pointer(m: Module, name: str, slots: int, step: Value) -> Any:
    """A register that goes to the next slot with every ``step``.

    Parameters
    ----------
    m : Module
    name : str
        Name of the register.
    slots : int
        A power of two, so that it wraps by itself. With one slot there is no register.
    step : Value
        Whether it goes on at the end of the cycle.
    """
    if slots == 1:
        return Const(0, 0)
    pointer: Any = Signal(range(slots), name=name)
    driver: Any = m
    with driver.If(step):
        driver.d.sync += pointer.eq(pointer + 1)
    return pointer
