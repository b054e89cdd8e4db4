"""A bench on a pair of blocks in a row, see ``test_benches.py``."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

CYCLES = 20


@cocotb.test()
async def what_goes_in_comes_out_two_cycles_later(dut):
    """The blocks' constants are added on the way."""
    Clock(dut.clk, 10, "ns").start()
    sent = []
    for cycle in range(CYCLES):
        await FallingEdge(dut.clk)
        if cycle > 2:
            assert int(dut.seen.value) == (sent[-2] + 0x1_0000_0000_0000_0000 + 5) % (1 << 80)
        sent.append(cycle * 0x1234_5678_9ABC_DEF1)
        dut.given.value = sent[-1]
