"""The bench of a board's self-test. cocotb runs `self_test` inside the simulator.

It acts as a user at a terminal with a button. The environment variable HYDRANOC_BOARD_JOB names the job (`BoardJob` as
JSON); the lines on the serial line are written as JSON to its ``result``. The bench wakes up once per bit and not once
per cycle.
"""

import json
import os
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer, with_timeout

from tb.common.board.job import JOB_VARIABLE, BoardJob

CLOCK_PERIOD_NS = 2
RESET_CYCLES = 4
PRESSED_CYCLES = 20
DATA_BITS = 8


def cycles(count: int) -> Timer:
    """Return a timer of some cycles."""
    return Timer(count * CLOCK_PERIOD_NS, "ns")


async def reset(dut) -> None:
    """Start the clock and leave reset."""
    dut.rst.value = 1
    dut.inject_error.value = 0
    Clock(dut.clk, CLOCK_PERIOD_NS, "ns").start()
    for _ in range(RESET_CYCLES):
        await FallingEdge(dut.clk)
    dut.rst.value = 0


async def press(dut, job: BoardJob) -> None:
    """Press and release the button in the cycles that the job names."""
    now = 0
    for cycle in job.inject_cycles:
        await cycles(cycle - now)
        dut.inject_error.value = 1
        await cycles(PRESSED_CYCLES)
        dut.inject_error.value = 0
        now = cycle + PRESSED_CYCLES


async def read_byte(dut, job: BoardJob) -> int:
    """Return the next byte on the line."""
    await FallingEdge(dut.uart_tx)
    await cycles(job.cycles_per_bit // 2)
    byte = 0
    for bit in range(DATA_BITS):
        await cycles(job.cycles_per_bit)
        byte |= int(dut.uart_tx.value) << bit
    await cycles(job.cycles_per_bit)
    assert int(dut.uart_tx.value) == 1, "the stop bit is missing"
    return byte


async def read_lines(dut, job: BoardJob) -> list[str]:
    """Return all lines up to the first one that begins after the end of the test."""
    lines: list[str] = []
    ended = False
    while not ended:
        line = bytearray()
        while not line.endswith(b"\r\n"):
            line.append(await read_byte(dut, job))
            if len(line) == 1:
                ended = not int(dut.running.value)
        lines.append(line.decode("ascii").removesuffix("\r\n"))
    return lines


@cocotb.test()
async def self_test(dut):
    """Entry point for the simulator."""
    job = BoardJob(**json.loads(Path(os.environ[JOB_VARIABLE]).read_text()))
    await reset(dut)
    cocotb.start_soon(press(dut, job))
    lines = await with_timeout(read_lines(dut, job), job.most_cycles * CLOCK_PERIOD_NS, "ns")
    Path(job.result).write_text(json.dumps(lines))
