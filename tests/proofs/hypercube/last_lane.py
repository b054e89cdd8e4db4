"""One-hot numbers of lanes on wires that leave the last lane out."""

from collections.abc import Iterable
from typing import Any

from amaranth.hdl import Value

from rtl.parts.selection import concat


def or_the_last(others: Iterable[Any]) -> Value:
    """A bit for each lane: one of the others, or the last one if it is none of them."""
    bits = list(others)
    return concat((*bits, ~concat(bits).any()))
