"""The lock-step bench: a network's Verilog next to its golden model, every cycle, every field.

cocotb runs `lockstep` inside the simulator. The environment variable HYDRANOC_JOB names the job (a pickled
`LockstepJob`), and the result is written as JSON to its ``result``. The golden model runs some hundred cycles ahead,
and the hardware is compared with its recording: no data flow from hardware to model, so the order is free. The bench
samples at the falling clock edge, when all registers have settled, and then sets the descriptors for the rising edge
that ends the cycle. It computes the cycles of message offers itself (``host_rules.py``).
"""

import json
import os
import pickle
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from sim_model.engines.simulation import Simulation
from tb.common.counters import differing_counters, rest_counters, start_counting
from tb.common.descriptors import Descriptors
from tb.common.expectation import Expectation
from tb.common.host_rules import HostRules, offers_by_row
from tb.common.hosts import HostDriver
from tb.common.job import JOB_VARIABLE, MAX_COUNTER_LINES, LockstepJob, LockstepResult
from tb.common.message_flits import MessageFlits
from tb.common.report import CHUNK_CYCLES, MismatchReport

RESET_CYCLES = 4


class Offers:
    """Drives descriptors onto the harness's ports in the cycles in which hosts offer them.

    Parameters:
        dut (the harness)
        names: Names of the injectors, see ``ChannelNetwork.injection_names``.
    """

    def __init__(self, dut, descriptors: Descriptors, names: Sequence[str]):
        self._dut = dut
        self._names = names
        self._descriptors = descriptors
        self._ports: dict[int, Any] = {}
        self._valid = 0

    def drive(self, offered: list[tuple[int, int]]) -> None:
        """Offer these (injector, message) pairs in this cycle."""
        valid = 0
        for injector, message in offered:
            if injector not in self._ports:
                self._ports[injector] = getattr(self._dut, f"message_{self._names[injector]}")
            self._ports[injector].value = self._descriptors.pack(message)
            valid |= 1 << injector
        if valid != self._valid:
            self._dut.message_valid.value = valid
            self._valid = valid


async def reset(dut, table_words: tuple[int, ...] = (), cycles: int = RESET_CYCLES) -> None:
    """Load tables, if there are any, under reset; returns at the falling edge of cycle 0.

    Cycle 0 is the second one after reset, the first in which any output is ready.

    Parameters
    ----------
    dut : cocotb handle
    table_words : tuple of int
    cycles : int
        Further cycles of reset after them.
    """
    dut.message_valid.value = 0
    dut.rst.value = 1
    if table_words:
        await _load_tables(dut, table_words)
    for _ in range(cycles):
        await FallingEdge(dut.clk)
    dut.rst.value = 0
    await FallingEdge(dut.clk)


async def _load_tables(dut, table_words: tuple[int, ...]) -> None:
    dut.tables_load.value = 0
    await FallingEdge(dut.clk)
    dut.tables_load.value = 1
    for word in table_words:
        dut.tables_data.value = word
        await FallingEdge(dut.clk)
    dut.tables_load.value = 0


async def compare(dut, job: LockstepJob) -> LockstepResult:
    """Run the job; the first difference ends it."""
    flits, result = MessageFlits(job.model, job.messages), LockstepResult()
    Clock(dut.clk, 10, "ns").start()
    for number, cycles in enumerate(job.runs):
        simulation = _simulation(job)
        simulation.record(0)  # loads the compiled model, which is not timed
        hosts = HostDriver(dut, job.model.network, job.hosts)
        if job.counters:
            rest_counters(dut)
        if number:
            await reset(dut, cycles=1)  # a longer reset would hide registers without reset
        else:
            await reset(dut, job.table_words)
        if job.counters:
            start_counting(dut)
        await _compare_run(dut, job, simulation, flits, hosts, result, cycles)
        if result.mismatches and job.stop_at_mismatch:
            return result
    if job.counters and not result.mismatches:
        await _compare_counters(dut, simulation, result)
    return result


def _simulation(job: LockstepJob) -> Simulation:
    """Return the golden model before its first cycle."""
    return Simulation(job.model, job.messages, job.startup_cycles, count_channels=job.counters, hosts=job.hosts)


async def _compare_run(dut, job, simulation, flits, hosts, result, cycles) -> None:
    """Compare some cycles from cycle 0 of a simulation on."""
    expectation = Expectation(flits, job.observed)
    descriptors = Descriptors(flits, job.model.routing.header.multicast_flits)
    offers = Offers(dut, descriptors, job.model.network.injection_names)
    rules = HostRules(job.model.network, job.messages, job.startup_cycles, job.hosts)
    falling, observed = FallingEdge(dut.clk), dut.observed
    started, end = time.process_time(), result.compared_cycles + cycles
    while result.compared_cycles < end:
        first = simulation.cycle
        Path(job.progress).write_text(str(result.compared_cycles))
        recording = simulation.record(min(CHUNK_CYCLES, end - result.compared_cycles))
        offered = offers_by_row(rules.offers(first, recording))
        for cycle, expected in enumerate(expectation.rows(recording)):
            seen = str(observed.value)
            if seen != expected and not result.mismatches:
                result.mismatches = 1
                result.mismatch_cycle = result.compared_cycles
                report = MismatchReport(_simulation(job), flits, job.observed)
                result.report = report.of(first + cycle, result.compared_cycles, seen, expected)
                if job.stop_at_mismatch:
                    return
            offers.drive(offered.get(cycle, []))
            hosts.drive(first + cycle)
            result.compared_cycles += 1
            await falling
    result.cpu_seconds += time.process_time() - started


async def _compare_counters(dut, simulation: Simulation, result: LockstepResult) -> None:
    result.compared_counters, differences = await differing_counters(dut, simulation)
    if differences:
        result.mismatches = 1
        result.report = "\n".join(["channel counters differ", *differences[:MAX_COUNTER_LINES]])


@cocotb.test()
async def lockstep(dut):
    """Entry point for the simulator."""
    job: LockstepJob = pickle.loads(Path(os.environ[JOB_VARIABLE]).read_bytes())
    result = await compare(dut, job)
    Path(job.result).write_text(json.dumps(asdict(result)))
