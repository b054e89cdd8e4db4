"""The AXI4-Stream bench. cocotb runs `packets` inside the simulator.

The environment variable HYDRANOC_AXI_JOB names the job (a pickled `AxiJob`), and the result is written as JSON to its
``result``.
"""

import json
import os
import pickle
from dataclasses import asdict
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles

from tb.common.axi.endpoints import Endpoints
from tb.common.axi.job import JOB_VARIABLE, AxiJob, AxiResult, Phase
from tb.common.axi.scoreboard import PacketScoreboard, PacketWrong

CLOCK_PERIOD_NS = 10
RESET_CYCLES = 4
POLL_CYCLES = 20
PATIENCE_CYCLES = 3_000
"""A phase fails after this number of cycles without an arrival."""
QUIET_CYCLES = 80
"""Cycles after the last expected packet; a packet that arrives in them is one too many."""


async def reset(dut, job: AxiJob) -> None:
    """Start the clocks and leave reset."""
    dut.rst.value = 1
    for port, period_ps in set(job.clocks):
        Clock(getattr(dut, port), period_ps, "ps").start()
    Clock(dut.clk, CLOCK_PERIOD_NS, "ns").start()
    await ClockCycles(dut.clk, RESET_CYCLES)
    dut.rst.value = 0
    await ClockCycles(dut.clk, 1)


async def run_phase(dut, endpoints: Endpoints, job: AxiJob, phase: Phase, result: AxiResult) -> None:
    """Send all packets of a phase and wait until all have arrived."""
    scoreboard = PacketScoreboard(phase.packets, job.nodes, job.sinks, ordered=job.ordered, sets=job.sets)
    endpoints.pause(phase.idle, phase.backpressure)
    for packet in phase.packets:
        endpoints.send(packet)
    cycles = quiet = since_arrival = 0
    while quiet < QUIET_CYCLES and since_arrival < PATIENCE_CYCLES:
        await ClockCycles(dut.clk, POLL_CYCLES)
        before = scoreboard.deliveries
        for node, packet in endpoints.received():
            scoreboard.receive(node, packet)
        since_arrival = 0 if scoreboard.deliveries > before else since_arrival + POLL_CYCLES
        quiet = quiet + POLL_CYCLES if scoreboard.complete and endpoints.idle else 0
        cycles += POLL_CYCLES
    scoreboard.check_complete()
    result.deliveries += scoreboard.deliveries
    result.overtaken += scoreboard.overtaken
    result.cycles.append(cycles)


def _check_errors(job: AxiJob, phases_done: int, errors: int) -> None:
    packets = (packet for phase in job.phases[:phases_done] for packet in phase.packets)
    due = sum(not packet.receivers(job.nodes) for packet in packets)
    if errors != due:
        raise PacketWrong(f"{errors} pulses of error and not {due}")


async def run_job(dut, job: AxiJob) -> AxiResult:
    """Run all phases; the first fault ends the run."""
    endpoints, result = Endpoints(dut, job), AxiResult()
    await reset(dut, job)
    try:
        for number, phase in enumerate(job.phases):
            await run_phase(dut, endpoints, job, phase, result)
            _check_errors(job, number + 1, endpoints.errors)
            if endpoints.rule_broken:
                raise PacketWrong(endpoints.rule_broken)
    except PacketWrong as error:
        result.report = f"phase {len(result.cycles)}: {error}"
    result.swallowed = endpoints.errors
    return result


@cocotb.test()
async def packets(dut):
    """Entry point for the simulator."""
    job: AxiJob = pickle.loads(Path(os.environ[JOB_VARIABLE]).read_bytes())
    result = await run_job(dut, job)
    Path(job.result).write_text(json.dumps(asdict(result)))
