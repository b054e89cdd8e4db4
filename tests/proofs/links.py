"""Rules of a link, and references of what passes over it."""

from typing import Any

from amaranth.hdl import Array, Mux, Signal, Value

from rtl.parts.flit import flit_layout
from tests.proofs.claims import Claims

# The link rules (docs/look_up/timing.md) as claims: rights of the far end of a link, and obligations of a part.

HOLDS = "valid and payload hold until the flit moves"


def assume_link_rules(claims: Claims, link: Any, name: str) -> None:
    """Assume that the source of a link keeps valid and payload until the flit moves."""
    claims.assume(_held(claims, link, name))


def prove_link_rules(claims: Claims, link: Any, name: str) -> None:
    """A link of the part holds valid and payload until the flit moves."""
    claims.always(HOLDS, _held(claims, link, name))


def _held(claims: Claims, link: Any, name: str) -> Value:
    waits = claims.was(link.valid & ~link.ready, f"{name}_waiting")
    payload = claims.was(Value.cast(link.payload), f"{name}_payload")
    return ~waits | link.valid & (Value.cast(link.payload) == payload)


# 8-bit flits that show where they entered: two data bits are the number of the input.

FLIT_BITS = 8
TAG_BIT = 5
"""Below it is the header, above the tag there is one bit more, which is free."""


def as_flit(bits: Value) -> Any:
    """A packed flit with its fields."""
    return flit_layout(FLIT_BITS)(bits)


def tag_of(flit: Any) -> Value:
    """The input where a flit entered."""
    return flit.data[TAG_BIT : TAG_BIT + 2]


# A first-in first-out queue that is correct by inspection: the flits form a row and move up.


class ReferenceQueue:
    """A row of flits, first in front.

    held: Flits in the row.
    row: ``row[0]`` is in front; only the first ``held`` count.
    """

    def __init__(self, claims: Claims, places: int, enter: Any, flit: Any, leave: Any):
        m, flit = claims.m, Value.cast(flit)
        self.held: Any = Signal(range(places + 1), name="reference_held")
        self.row = [Signal(len(flit), name=f"reference_{k}") for k in range(places)]
        left = claims.named(self.held - leave, "reference_left")
        m.d.sync += self.held.eq(self.held + enter - leave)
        for k, place in enumerate(self.row):
            behind = self.row[k + 1] if k + 1 < places else place
            m.d.sync += place.eq(Mux(enter & (left == k), flit, Mux(leave, behind, place)))

    def at(self, position: Any) -> Value:
        """The flit at a position counted from the front."""
        return Value.cast(Array(self.row)[position])
