"""The slots of a frame, counted outside a node."""

from typing import Any

from amaranth.hdl import Signal

from tests.proofs.claims import Claims
from topology.harts.frame import PROCESSOR_SLOT, SLOT_BITS


def slot_counter(claims: Claims) -> Any:
    """The slot of this cycle; a run begins with the last one of a frame, in which nothing is ready yet."""
    slot: Any = Signal(SLOT_BITS, init=PROCESSOR_SLOT, name="slot_reference")
    claims.m.d.sync += slot.eq(slot + 1)
    return slot
