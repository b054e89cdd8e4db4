"""Channel counters of a network: the list of them, and the protocol for reading them."""

from typing import Any, NamedTuple


class ChannelCounts(NamedTuple):
    """Counts of each channel, in the order of their addresses.

    This is the only list of counters: hardware, golden model, manifest, comparison and ``channels.csv`` follow it.

    Members:
        flits, stalled_cycles, bubbles (int64[channels]): Flits that moved, cycles in which one waited in the output
            register (valid without ready), and cycles without a flit in the middle of a message.
    """

    flits: Any
    stalled_cycles: Any
    bubbles: Any


COUNTED = ChannelCounts._fields
"""Names of the counters."""

KIND_BITS = 2
COUNT_BITS = 32
READ_CYCLES = 2
"""Cycles from an address to its data."""

MIN_SWEEP_CYCLES = 4


def counter_address(channel: int, kind: int) -> int:
    """Return the address of a sum; ``kind`` is a position in ``COUNTED``."""
    return channel << KIND_BITS | kind


def sweep_cycles(channels: int) -> int:
    """Return the cycles in which the sweep visits every channel once."""
    return max(channels, MIN_SWEEP_CYCLES)


def settling_cycles(channels: int) -> int:
    """Return the cycles after the last counted one until all sums are exact."""
    return sweep_cycles(channels) + 2
