"""Trials of networks with AXI4 ends that wait for each other. cocotb runs `trial`.

The environment variable HYDRANOC_AXI4_TRIAL names the job (a pickled `Trial`); its result is written as JSON.
"""

import json
import os
import pickle
from dataclasses import asdict
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge

from tb.common.axi4.trial_ends import Manager, Subordinate, Wrong
from tb.common.axi4.trial_job import JOB_VARIABLE, Event, Trial, TrialResult

CLOCK_PERIOD_NS = 10
RESET_CYCLES = 4


@cocotb.test()
async def trial(dut: Any) -> None:
    """Entry point for the simulator."""
    job: Trial = pickle.loads(Path(os.environ[JOB_VARIABLE]).read_bytes())
    happened: set[Event | None] = {None}
    managers = [Manager(dut, i, job, happened.__contains__, happened.add) for i in job.transfers]
    subordinates = [Subordinate(dut, i, job, happened.__contains__, happened.add) for i in job.subordinates]
    result = TrialResult(ended={str(i): [] for i in job.transfers})
    Clock(dut.clk, CLOCK_PERIOD_NS, "ns").start()
    dut.rst.value = 1
    for end in (*managers, *subordinates):
        end.reset()
    await ClockCycles(dut.clk, RESET_CYCLES)
    dut.rst.value = 0
    try:
        while result.cycles < job.cycles and any(manager.left for manager in managers):
            await RisingEdge(dut.clk)
            for end in subordinates:
                end.step(result.cycles)
            for manager in managers:
                before = manager.left
                manager.step(result.cycles)
                result.ended[str(manager.processor)] += [result.cycles] * (before - manager.left)
            result.cycles += 1
    except Wrong as error:
        result.report = f"cycle {result.cycles}: {error}"
    Path(job.result).write_text(json.dumps(asdict(result)))
