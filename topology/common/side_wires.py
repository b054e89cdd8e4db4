"""Wires between switches besides channels."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SideWire:
    """A bundle of wires from a register of one switch to another.

    Parameters:
        source, sink (int): Switches; they may be the same.
        output, input (str): Ports of their routers.
    """

    source: int
    output: str
    sink: int
    input: str
    bits: int = 1
