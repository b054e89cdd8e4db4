"""Claims about ``ReplicatingCrossbar``: each output shows exactly the loaded flit, until it moves."""

from typing import Any

from amaranth.hdl import Mux, Signal, Value

from rtl.parts.crossbar import ReplicatingCrossbar
from tests.proofs.claims import Claims, Describe, at_most_one
from tests.proofs.common.links import prove_link_rules
from tests.proofs.inside import Inside

FLIT_BITS = 8


def crossbar(inputs: int, outputs: int) -> Describe:
    """Claims about a crossbar of some size."""

    def describe(claims: Claims) -> None:
        part = ReplicatingCrossbar(FLIT_BITS, inputs, outputs)
        claims.free_inputs(part)
        Inside(claims, part)
        for o in range(outputs):
            link, load, select = part.links[o], part.load[o], part.select[o]
            claims.assume(~load | part.free[o])
            claims.assume(~load | select.any() & at_most_one(select))
            prove_link_rules(claims, link, f"link_{o}")
            claims.always("free means empty or being emptied", part.free[o] == ~link.valid | link.ready)
            flit, occupied = _reference_register(claims, part, o)
            claims.always("valid is high from the load until the flit moves", link.valid == occupied)
            unaltered = Value.cast(link.payload) == flit
            claims.always("the flit is that of the selected input", ~occupied | unaltered)
        _possibilities(claims, part, inputs, outputs)

    return describe


def _reference_register(claims: Claims, part: Any, o: int) -> tuple[Any, Any]:
    """The flit last loaded into output o, and a bit that it has not moved yet."""
    link = part.links[o]
    chosen: Any = Value.cast(part.flits[0])
    for i in range(1, part.inputs):
        chosen = Mux(part.select[o][i], Value.cast(part.flits[i]), chosen)
    flit: Any = Signal(len(chosen), name=f"reference_flit_{o}")
    occupied: Any = Signal(name=f"reference_occupied_{o}")
    claims.m.d.sync += [flit.eq(Mux(part.load[o], chosen, flit)), occupied.eq(part.load[o] | occupied & ~link.ready)]
    return flit, occupied


def _possibilities(claims: Claims, part: Any, inputs: int, outputs: int) -> None:
    together = part.load.all() & (part.select[0] == 1)
    for o in range(1, outputs):
        together = together & (part.select[o] == 1)
    claims.possible("one flit goes to all outputs", together)
    link = part.links[outputs - 1]
    claims.possible("a flit follows another at once", link.valid & link.ready & part.load[outputs - 1])
    claims.possible("the last input is selected", part.load[0] & part.select[0][inputs - 1])
