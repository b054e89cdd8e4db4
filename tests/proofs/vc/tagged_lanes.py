"""10-bit flits that show on which lane they entered: the four highest data bits are its number."""

from typing import Any

from amaranth.hdl import Value

from rtl.parts.flit import flit_layout

FLIT_BITS = 10
TAG_BIT, TAG_BITS = 6, 4
"""Below is the routing key, for sides of up to four."""


def as_flit(bits: Any) -> Any:
    """A packed flit with its fields."""
    return flit_layout(FLIT_BITS)(bits)


def tag_of(flit: Any) -> Value:
    """The lane where a flit entered."""
    return flit.data[TAG_BIT : TAG_BIT + TAG_BITS]
