"""A first-in first-out queue that is correct by inspection: the flits form a row and move up."""

from typing import Any

from amaranth.hdl import Array, Mux, Signal, Value

from tests.proofs.claims import Claims


class ReferenceQueue:
    """A row of flits, first in front.

    Parameters
    ----------
    claims : Claims
    places : int
        Flits that it can hold.
    enter : Value
        Whether ``flit`` goes to the end of the row in this cycle.
    flit : Value
    leave : Value
        Whether the first one leaves in this cycle.

    Members
    -------
    held : Signal
        Flits in the row.
    row : list of Signal
        ``row[0]`` is in front; only the first ``held`` count.
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
