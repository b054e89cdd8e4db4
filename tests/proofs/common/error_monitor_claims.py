"""Claims about ``ErrorMonitor``: it tells for good which inputs met what, and counts the worms that were drained."""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Mux, Signal

from rtl.common.error_monitor import ErrorMonitor
from tests.proofs.claims import Claims, Describe
from tests.proofs.inside import Inside
from topology.common.input_errors import COUNT_BITS, MOST_COUNTED, sum_cycles


def error_monitor(channels: Sequence[int], count: int, *, guarded: bool = True) -> Describe:
    """Claims about the monitor of some inputs; what the routers say may be anything.

    Parameters
    ----------
    channels : sequence of int
        Channel of each input.
    count : int
        Channels of the network; some may lead into no input.
    guarded : bool
        As in ``ErrorMonitor``.
    """

    def describe(claims: Claims) -> None:
        part: Any = ErrorMonitor(channels, count, guarded)
        claims.free_inputs(part)
        Inside(claims, part)
        _remembered(claims, "misframed", part.misframed, part.guards if guarded else None, channels)
        _remembered(claims, "unroutable", part.unroutable, part.discarding, channels)
        _counted(claims, part)

    return describe


def _remembered(claims: Claims, name: str, output: Any, seen: Any, channels: Sequence[int]) -> None:
    """A bit is set if its input has said so in any earlier cycle. Once it is, it stays so."""
    for channel in range(len(output)):
        ever: Any = Signal(name=f"ever_{name}_{channel}")
        if seen is not None and channel in channels:
            claims.m.d.sync += ever.eq(ever | seen[channels.index(channel)])
        claims.always(f"{name} tells of the inputs that ever said so", output[channel] == ever)
    if seen is not None:
        claims.possible(f"one channel alone is {name}", output == 1 << channels[-1])


def _counted(claims: Claims, part: Any) -> None:
    """Worms since reset, up to the highest number, as of so many cycles ago as the sum takes."""
    inputs = len(part.channels)
    begins = claims.named(part.discarding & ~claims.was(part.discarding, "discarding"), "begins_reference")
    worms: Any = Signal(COUNT_BITS, name="worms_reference")
    more: Any = claims.named(worms + sum(begins[i] for i in range(inputs)), "more_worms")
    claims.m.d.sync += worms.eq(Mux(more > MOST_COUNTED, MOST_COUNTED, more))
    earlier: Any = worms
    for cycle in range(sum_cycles(inputs)):
        earlier = claims.was(earlier, f"worms_{cycle + 1}_ago")
    claims.always("discarded is the number of worms, or the highest number", part.discarded == earlier)
    claims.possible("all inputs discard at once, twice", part.discarded == 2 * inputs)
