"""Protocol for reading the channel counters of a network, for hardware and benches."""

COUNTED = ("flits", "stalled_cycles", "bubbles")
"""Counts per channel, in the order of the addresses: flits that moved, cycles in which a flit waited
(valid without ready), and cycles without a flit in the middle of a message."""

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
