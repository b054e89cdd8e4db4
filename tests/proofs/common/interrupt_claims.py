"""Claims about the parts around a register block: the interrupt, and the time until sums are exact."""

from typing import Any

from amaranth.hdl import Mux, Signal

from rtl.parts.selection import concat
from rtl.registers.interrupts import InterruptController, SettlingTimer
from tests.proofs.claims import Claims, Describe
from tests.proofs.inside import Inside


def interrupts(**masks: tuple[int, int]) -> Describe:
    """Claims about a controller whose masks may be anything: bit and width of each, by name."""

    def describe(claims: Claims) -> None:
        part: Any = InterruptController(masks)
        claims.free_inputs(part)
        Inside(claims, part)
        for name, (bit, _) in masks.items():
            marked = claims.was(getattr(part, name) != 0, f"{name}_marked")
            claims.always("pending marks the masks that had a bit set one cycle ago", part.pending[bit] == marked)
        used = {bit for bit, _ in masks.values()}
        unused = concat(part.pending[bit] for bit in range(len(part.pending)) if bit not in used)
        claims.always("a bit without a mask is never pending", ~unused.any())
        enabled = claims.was((part.pending & part.enable) != 0, "enabled")
        claims.always("the interrupt is the or of what was pending and enabled one cycle ago", part.irq == enabled)
        claims.possible("an interrupt comes and goes", claims.was(part.irq, "irq") & ~part.irq)

    return describe


def settling_timer(cycles: int, reasons: int) -> Describe:
    """Claims about a timer."""

    def describe(claims: Claims) -> None:
        part: Any = SettlingTimer(cycles, reasons)
        claims.free_inputs(part)
        inside = Inside(claims, part)
        busy = claims.named(part.busy != 0, "is_busy")
        quiet: Any = Signal(range(cycles + 1), name="quiet_cycles")
        claims.m.d.sync += quiet.eq(Mux(busy, 0, quiet + (quiet < cycles)))
        settled = ~busy & (quiet == cycles)
        claims.always("sums are exact if nothing happens now or did in so many cycles before", part.settled == settled)
        claims.invariant("the remaining time is that without quiet cycles", inside.register("left") == cycles - quiet)
        claims.possible("sums are exact", part.settled)

    return describe
