"""Progress of a switch: if a flit may move, some flit moves within a bounded number of cycles.

Fairness of the arbiter and the choice of the flit are separate claims. As long as some flit moves, and routes are
finite, all flits in a network arrive: docs/understand/liveness.md.
"""

from typing import Any

from amaranth.hdl import Mux, Signal

from rtl.parts.selection import concat
from tests.proofs.claims import Claims, Describe
from tests.proofs.common.whole_claims import Whole, tie_whole
from tests.proofs.common.worms import WormsOut, assume_tables, assume_worms

PROGRESS = "a switch in which a flit may move does not stall for long"


def prove_progress(claims: Claims, may_go: Any, goes: Any, cycles: int, seen_cycles: int | None = None) -> None:
    """Adds the counter, and the claim that it stays within its bound.

    Parameters
    ----------
    claims : Claims
    may_go : Value
        Something could leave its buffer.
    goes : Value
        Something does.
    cycles : int
        Maximum number of successive cycles in which ``may_go`` holds without ``goes``.
    seen_cycles : int or None
        So many are found to be possible; default: as many as may be.
    """
    still: Any = Signal(range(cycles + 2), name="stands_still")
    waits = claims.named(may_go & ~goes, "waits")
    claims.m.d.sync += still.eq(Mux(waits, Mux(still > cycles, still, still + 1), 0))
    claims.always(PROGRESS, still <= cycles)
    seen = cycles if seen_cycles is None else seen_cycles
    claims.possible("a switch stands still as long as it is said to", still == seen)


def routed_progress(make: Any, cycles: int) -> Describe:
    """Claims about a switch without lanes whose outputs are always ready.

    Parameters
    ----------
    make : function
        Of the claims: a whole router, as ``prove_alone`` requires it.
    cycles : int
    """

    def describe(claims: Claims) -> None:
        whole: Whole = make(claims)
        part = whole.part
        with claims.proved_elsewhere():
            assume_tables(claims, part)
            worms_in = [assume_worms(claims, part, i, i) for i in range(part.parameters.inputs)]
            worms_out = [WormsOut(claims, part, o) for o in range(part.parameters.outputs)]
            states, _, _ = tie_whole(claims, whole, worms_in, worms_out)
        claims.assume(concat(link.ready for link in part.outputs).all())
        there = concat(state.queue.held != 0 for state in states)
        # a worm that has begun and whose next flit has not come keeps its outputs: this switch cannot change that
        whole_worms = concat(~state.begun | (state.queue.held != 0) for state in states).all()
        goes = concat(state.buffer.pop for state in states).any() | concat(link.valid for link in part.outputs).any()
        prove_progress(claims, there.any() & whole_worms, goes, cycles)

    return describe
