"""Reads the hardware's channel counters over their bus and compares them with the golden model's."""

from collections.abc import AsyncIterator

from cocotb.triggers import FallingEdge

from sim_model.engines.simulation import Simulation
from tb.common.counter_values import counter_differences, expected_counters
from topology.common.counter_bus import READ_CYCLES, settling_cycles


def rest_counters(dut) -> None:
    """Neither count nor clear; undriven inputs would be unknown in the first cycle after a reset."""
    dut.counters_clear.value = 0
    dut.counters_address.value = 0
    dut.counters_enable.value = 0


def start_counting(dut) -> None:
    """Count from the current cycle on."""
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
    expected = expected_counters(simulation)
    dut.counters_enable.value = 0
    for _ in range(settling_cycles(len(simulation.model.network.channels))):
        await FallingEdge(dut.clk)
    seen = [value async for value in _read(dut, [address for address, _, _ in expected])]
    return len(expected), counter_differences(seen, expected)


async def _read(dut, addresses: list[int]) -> AsyncIterator[int | str]:
    """Yield one address per cycle; each sum comes two cycles later. Sums with unknown bits are given as text."""
    for cycle in range(len(addresses) + READ_CYCLES):
        if cycle >= READ_CYCLES:
            value = dut.counters_data.value
            yield int(value) if value.is_resolvable else f"unknown ({value})"
        if cycle < len(addresses):
            dut.counters_address.value = addresses[cycle]
        await FallingEdge(dut.clk)
