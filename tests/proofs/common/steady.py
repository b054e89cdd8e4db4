"""A stable input: parts that take several cycles for an answer guarantee nothing before."""

from typing import Any

from amaranth.hdl import Mux, Signal

from tests.proofs.claims import Claims


def steady_for(claims: Claims, value: Any, cycles: int, name: str) -> Any:
    """True if a value is the same as in each of the last ``cycles`` cycles.

    Parameters
    ----------
    claims : Claims
    value : Value
    cycles : int
    name : str
        For waveforms.
    """
    if cycles == 0:
        return claims.named(1, f"{name}_is_steady")
    before: Any = Signal(range(cycles + 1), name=f"{name}_has_stood_for")
    started = claims.was(1, f"{name}_has_a_past")
    same = claims.named(started & (value == claims.was(value, f"{name}_before")), f"{name}_stays")
    now: Any = claims.named(Mux(same, before + (before < cycles), 0), f"{name}_stands_for")
    claims.m.d.sync += before.eq(now)
    return claims.named(now >= cycles, f"{name}_is_steady")
