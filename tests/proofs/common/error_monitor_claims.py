"""Claims about ``ErrorMonitor``: it records the errors of each input, and counts the drained worms."""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Const, Mux, Signal

from rtl.generator.error_monitor import ErrorMonitor
from tests.proofs.claims import Claims, Describe
from tests.proofs.inside import Inside
from topology.common.input_errors import COUNT_BITS, MAX_COUNTED, sum_cycles


def error_monitor(channels: Sequence[int], count: int, *, guarded: bool = True, clearable: bool = False) -> Describe:
    """Claims about the monitor of some inputs; the routers' outputs may have any values.

    Parameters
    ----------
    channels : sequence of int
        Channel of each input.
    count : int
        Channels of the network; some may lead into no input.
    guarded, clearable : bool
        As in ``ErrorMonitor``.
    """

    def describe(claims: Claims) -> None:
        part: Any = ErrorMonitor(channels, count, guarded, clearable=clearable)
        claims.free_inputs(part)
        Inside(claims, part)
        clear = part.clear_misframed if guarded and clearable else Const(0, count)
        _remembered(claims, "misframed", part.misframed, part.guards if guarded else None, channels, clear)
        clear = part.clear_unroutable if clearable else Const(0, count)
        _remembered(claims, "unroutable", part.unroutable, part.discarding, channels, clear)
        _counted(claims, part)

    return describe


def _remembered(claims: Claims, name: str, output: Any, seen: Any, channels: Sequence[int], clear: Any) -> None:
    """A bit is set if its input was asserted in any earlier cycle. It stays set until it is cleared."""
    for channel in range(len(output)):
        ever: Any = Signal(name=f"ever_{name}_{channel}")
        if seen is not None and channel in channels:
            claims.m.d.sync += ever.eq(ever & ~clear[channel] | seen[channels.index(channel)])
        claims.always(f"{name} records the inputs that ever reported it", output[channel] == ever)
    if seen is not None:
        claims.possible(f"one channel alone is {name}", output == 1 << channels[-1])


def _counted(claims: Claims, part: Any) -> None:
    """Worms since reset or clear, up to the highest number; each counts after the latency of the sum."""
    inputs = len(part.channels)
    begins = claims.named(part.discarding & ~claims.was(part.discarding, "discarding"), "begins_reference")
    begun: Any = claims.named(sum(begins[i] for i in range(inputs)), "worms_begun")
    for cycle in range(sum_cycles(inputs)):
        begun = claims.was(begun, f"begun_{cycle + 1}_ago")
    worms: Any = Signal(COUNT_BITS, name="worms_reference")
    before = Mux(part.clear_discarded, 0, worms) if part.clearable else worms
    more: Any = claims.named(before + begun, "more_worms")
    claims.m.d.sync += worms.eq(Mux(more > MAX_COUNTED, MAX_COUNTED, more))
    claims.always("discarded is the number of worms, or the highest number", part.discarded == worms)
    claims.possible("all inputs discard at once, twice", part.discarded == 2 * inputs)
