"""Claims about ``TokenMonitor``: it records which rings ever had no token or more than one."""

from typing import Any

from amaranth.hdl import Mux, Signal

from rtl.min.token_monitor import TokenMonitor
from tests.proofs.claims import Claims, Describe, at_most_one
from tests.proofs.inside import Inside

SETTLING_CYCLES = 2
"""After reset no station reports the token for two cycles."""


def token_monitor(*sizes: int, clearable: bool = False) -> Describe:
    """Claims about the monitor of rings of some sizes; the stations' outputs and the clears may have any values."""

    def describe(claims: Claims) -> None:
        monitor: Any = TokenMonitor(sizes, clearable=clearable)
        claims.free_inputs(monitor)
        inside = Inside(claims, monitor)
        cycle: Any = Signal(range(SETTLING_CYCLES + 1), name="cycle")
        claims.m.d.sync += cycle.eq(Mux(cycle == SETTLING_CYCLES, cycle, cycle + 1))
        settled = claims.named(cycle == SETTLING_CYCLES, "settled")
        first = 0
        for ring, size in enumerate(sizes):
            here = claims.named(monitor.here[first : first + size], f"here_in_{ring}")
            lost, duplicated = monitor.lost[ring], monitor.duplicated[ring]
            none, many = ~here.any(), ~at_most_one(here) if size > 1 else 0
            clear = settled & monitor.clear_lost[ring] if clearable else 0
            ever = _ever(claims, settled & none, clear, f"none_{ring}")
            claims.always("lost records that there ever was no token", lost == ever)
            clear = settled & monitor.clear_duplicated[ring] if clearable else 0
            ever = _ever(claims, settled & many, clear, f"many_{ring}")
            claims.always("duplicated records that there ever were several tokens", duplicated == ever)
            first += size
        waits = inside.register("settling") == Mux(cycle == 0, 3, cycle == 1)
        claims.invariant("the first cycles are counted", waits & (cycle <= SETTLING_CYCLES))
        claims.possible("one ring alone has lost its token", (monitor.lost == 1) & ~monitor.duplicated.any())
        large = sum(1 << ring for ring, size in enumerate(sizes) if size > 1)
        claims.possible("every ring of several has had two tokens", monitor.duplicated == large)

    return describe


def _ever(claims: Claims, condition: Any, clear: Any, name: str) -> Signal:
    """True if the condition was true in any earlier cycle, until it is cleared."""
    ever: Any = Signal(name=f"ever_{name}")
    claims.m.d.sync += ever.eq(Mux(clear, 0, ever) | condition)
    return ever
