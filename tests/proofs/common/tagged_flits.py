"""8-bit flits that show where they entered: two data bits are the number of the input."""

from typing import Any

from amaranth.hdl import Value

from rtl.parts.flit import flit_layout

FLIT_BITS = 8
TAG_BIT = 5
"""Below it is the header, above the tag there is one bit more, which is free."""


def as_flit(bits: Value) -> Any:
    """A packed flit with its fields."""
    return flit_layout(FLIT_BITS)(bits)


def tag_of(flit: Any) -> Value:
    """The input where a flit entered."""
    return flit.data[TAG_BIT : TAG_BIT + 2]
