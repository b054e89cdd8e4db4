"""Deep rings: readable flits, refused parameters, and deep buffers in block RAM."""

import random
import re

import pytest

from rtl.generator.verilog import ModuleLibrary
from rtl.parts.deep_ring import MISSING_FLITS, DeepRing, front_slots
from rtl.parts.input_buffer import InputBuffer
from tests.rtl.programs import call
from tests.rtl.simulate import run

BITS, CYCLES, BURST_CYCLES = 16, 4_000, 50
RATES = (0.1, 0.5, 0.9, 1.0)
SYNTHESIS = "read_verilog buffer.v\nsynth_ecp5 -nowidelut -top buffer\nflatten\ntee -q -o figures.txt stat\n"


def longest_prefix(depth: int, slots: int, readable: int) -> None:
    """Random traffic; the first flits are compared with those of a queue in every cycle."""
    numbers, part = random.Random(depth), DeepRing(BITS, depth, slots)

    async def testbench(ctx):
        queue: list[int] = []
        dropped, most, rates = 0, 0, (0.0, 0.0)
        for cycle in range(CYCLES):
            if cycle % BURST_CYCLES == 0:
                rates = numbers.choice(RATES), numbers.choice(RATES)
            writes = len(queue) < depth and numbers.random() < rates[0]
            pops = bool(queue) and numbers.random() < rates[1]
            entry = numbers.getrandbits(BITS)
            ctx.set(part.write, writes)
            ctx.set(part.entry, entry)
            ctx.set(part.pop, pops)
            for k in range(min(len(queue), readable)):
                ctx.set(part.position, (dropped + k) % slots)
                assert ctx.get(part.read) == queue[k], f"flit {k} of {len(queue)} in cycle {cycle}"
            await ctx.tick()
            queue += [entry] * writes
            most = max(most, len(queue))
            dropped += pops
            queue = queue[pops:]
        assert most == depth

    run(part, testbench)


@pytest.mark.parametrize(("depth", "slots"), [(9, 8), (24, 8), (40, 16)])
def test_first_flits(depth, slots):
    longest_prefix(depth, slots, slots - MISSING_FLITS)


def test_no_more_than_that_can_be_read():
    """Shorter fronts fail, so the length is minimal."""
    with pytest.raises(AssertionError, match=r"^flit \d+ of \d+ in cycle"):
        longest_prefix(24, 8, 8 - MISSING_FLITS + 1)


@pytest.mark.parametrize(("readable", "slots"), [(1, 32), (30, 32), (31, 64), (62, 64), (63, 128)])
def test_front_slots(readable, slots):
    assert front_slots(readable) == slots


def test_what_is_refused():
    with pytest.raises(ValueError, match=r"^Front must have a power of two of slots, at least 8, not 12$"):
        DeepRing(8, 40, 12)
    with pytest.raises(ValueError, match=r"^Deep ring must hold more than the 32 flits of its front, not 32$"):
        DeepRing(8, 32, 32)


@pytest.mark.parametrize(
    ("shape", "is_block"), [((32, 32), False), ((32, 64), True), ((32, 512), True), ((16, 128, 3, 5), True)], ids=str
)
def test_deep_buffers_become_block_ram(shape, is_block, require_tool, tmp_path):
    library = ModuleLibrary()
    library.add(InputBuffer(*shape), "buffer")
    (tmp_path / "buffer.v").write_text(library.verilog())
    (tmp_path / "synthesis.ys").write_text(SYNTHESIS)
    call(require_tool("yosys"), ["-q", "synthesis.ys"], tmp_path)
    figures = (tmp_path / "figures.txt").read_text()
    assert bool(re.search(r"\bDP16KD\b", figures)) is is_block
    assert re.search(r"\bTRELLIS_DPR16X4\b", figures)
