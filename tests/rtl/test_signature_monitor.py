"""The hardware that makes signatures, against their definition."""

import pytest
from amaranth.sim import Simulator

from rtl.parts.monitor import SignatureMonitor
from tests.topology.test_flits import random_flits
from topology.common.flit_signature import flit_signature
from topology.common.flits import FlitFormat


@pytest.mark.parametrize(
    ("flit_bits", "lanes"), [(8, 1), (16, 2), (31, 1), (32, 3), (64, 1), pytest.param(512, 1, id="512")]
)
def test_signatures_are_as_defined(flit_bits, lanes):
    monitor, width = SignatureMonitor(flit_bits, lanes), FlitFormat(flit_bits).width
    flits = [0, (1 << width) - 1, *(1 << bit for bit in range(width)), *random_flits(width, 100, seed=1)]

    async def bench(ctx):
        for flit in flits:
            ctx.set(monitor.flit.as_value(), flit)
            for moved in (0, *(1 << lane for lane in range(lanes))):
                ctx.set(monitor.moved, moved)
                assert ctx.get(monitor.seen) == (flit_signature(flit, width) if moved else 0)

    simulator = Simulator(monitor)
    simulator.add_testbench(bench)
    simulator.run()
