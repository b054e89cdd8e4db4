"""Reads the hardware's channel counters over their bus and holds them against the golden model's."""

from collections.abc import AsyncIterator

from cocotb.triggers import FallingEdge

from sim_model.common.simulation import Simulation
from topology.common.counter_bus import (
    COUNT_BITS,
    COUNTED,
    READ_CYCLES,
    counter_address,
    settling_cycles,
)


def rest_counters(dut) -> None:
    """Neither count nor clear; inputs that nobody drives would be unknown in the first cycle after a reset."""
    dut.counters_clear.value = 0
    dut.counters_address.value = 0
    dut.counters_enable.value = 0


def start_counting(dut) -> None:
    """Count from the cycle on that is under way."""
    dut.counters_enable.value = 1


async def differing_counters(dut, simulation: Simulation) -> tuple[int, list[str]]:
    """Stop counting before this cycle ends, and compare every counter.

    Returns
    -------
    compared : int
        Counters compared.
    differences : list of str
        A line for each that differs.
    """
    counts, channels = simulation.channel_counts(), simulation.model.network.channels
    wanted = [
        (
            counter_address(channel.index, kind),
            f"{name} of channel {channel.name}",
            int(getattr(counts, name)[channel.index]),
        )
        for channel in channels
        for kind, name in enumerate(COUNTED)
    ]
    dut.counters_enable.value = 0
    for _ in range(settling_cycles(len(channels))):
        await FallingEdge(dut.clk)
    seen = [value async for value in _read(dut, [address for address, _, _ in wanted])]
    differences = [
        f"{text}: hardware counted {value}, golden model {count}"
        for value, (_, text, count) in zip(seen, wanted, strict=True)
        if value != count % (1 << COUNT_BITS)
    ]
    return len(wanted), differences


async def _read(dut, addresses: list[int]) -> AsyncIterator[int | str]:
    """One address per cycle; each sum comes two cycles later. Sums with unknown bits are given as text."""
    for cycle in range(len(addresses) + READ_CYCLES):
        if cycle >= READ_CYCLES:
            value = dut.counters_data.value
            yield int(value) if value.is_resolvable else f"unknown ({value})"
        if cycle < len(addresses):
            dut.counters_address.value = addresses[cycle]
        await FallingEdge(dut.clk)
