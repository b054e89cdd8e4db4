"""Resets, tables and channel counters of a harness in a ``DirectBench``, driven as by ``tb.common``."""

from collections.abc import Sequence

from hydranoc.lockstep.direct.process import DirectBench, Setting
from topology.common.counter_bus import READ_CYCLES, settling_cycles
from topology.common.host_pattern import HostBehaviour

RESET_CYCLES = 8
FIRST_CYCLE_ROWS = 10
"""Rows before cycle 0 besides a reset of ``RESET_CYCLES`` without tables: the first row, and one after the reset."""


def set_hosts(bench: DirectBench, hosts: HostBehaviour, *, dumped: bool = False) -> None:
    """Set levels and seed of the hosts; no receiver is blocked. Takes a cycle."""
    levels = (("hosts_seed", hosts.seed), ("pause_level", hosts.pause_level), ("stall_level", hosts.stall_level))
    bench.run(1, [(0, name, value) for name, value in (*levels, ("blocked", 0))], dumped=dumped)


def reset(
    bench: DirectBench, table_words: Sequence[int] = (), cycles: int = RESET_CYCLES, *, dumped: bool = False
) -> None:
    """Load tables, if there are any, under reset; the next row is that of cycle 0.

    Parameters
    ----------
    bench : DirectBench
    table_words : sequence of int
    cycles : int
        Cycles of reset after the tables.
    dumped : bool
        Write these cycles into the waveform.
    """
    settings: list[Setting] = [(0, "message_valid", 0), (0, "rst", 1)]
    row = 0
    if table_words:
        settings += [(0, "tables_load", 0), (1, "tables_load", 1)]
        settings += [(1 + number, "tables_data", word) for number, word in enumerate(table_words)]
        row = 1 + len(table_words)
        settings.append((row, "tables_load", 0))
    settings.append((row + cycles, "rst", 0))
    bench.run(row + cycles + 1, settings, dumped=dumped)


def rest_counters(bench: DirectBench) -> None:
    """Stop counting without clearing. Takes a cycle."""
    bench.run(1, [(0, f"counters_{name}", 0) for name in ("clear", "address", "enable")])


def read_counters(bench: DirectBench, channels: int, addresses: Sequence[int]) -> list[int]:
    """Stop counting before this cycle ends, and return the counters at some addresses.

    Parameters
    ----------
    bench : DirectBench
    channels : int
        Channels of the network.
    addresses : sequence of int
    """
    bench.run(settling_cycles(channels), [(0, "counters_enable", 0)])
    seen = []
    for cycle in range(len(addresses) + READ_CYCLES):
        if cycle >= READ_CYCLES:
            seen.append(bench.read("counters_data"))
        bench.run(1, [(0, "counters_address", addresses[cycle])] if cycle < len(addresses) else [])
    return seen
