"""Host back-pressure: hardware against the golden model."""

import random

import pytest
from amaranth.hdl import ResetInserter, Signal

from rtl.parts.host_pattern import HostPattern, PausingSource, StallingReceiver
from sim_model.parts.hosts import HostPatternTwin, PausingSourceTwin, StallingReceiverTwin
from tests.rtl.simulate import compare, run
from topology.common.host_pattern import first_state, holds_back, next_state

CYCLES = 400
PATTERNS = [(0, 0, 77), (4, 0x9E37, 230), (0x1234, 0x1234, 128), (9, 1, 0)]


def chance(numbers, probability=0.5):
    return int(numbers.random() < probability)


@pytest.mark.parametrize(("seed", "salt", "level"), PATTERNS)
def test_pattern(seed, salt, level):
    compare(HostPattern(), HostPatternTwin(), lambda: {"seed": seed, "salt": salt, "level": level}, CYCLES)


@pytest.mark.parametrize(("seed", "salt", "level"), PATTERNS)
def test_source(seed, salt, level):
    numbers = random.Random(seed)

    def stimulus():
        return {
            "seed": seed,
            "salt": salt,
            "level": level,
            "start": chance(numbers, 0.1),
            "payload_seed": numbers.getrandbits(32),
            "words.ready": chance(numbers),
        }

    compare(PausingSource(16), PausingSourceTwin(16), stimulus, CYCLES)


@pytest.mark.parametrize(("seed", "salt", "level"), PATTERNS)
def test_receiver(seed, salt, level):
    numbers = random.Random(seed)

    def stimulus():
        return {"seed": seed, "salt": salt, "level": level, "blocked": chance(numbers)}

    compare(StallingReceiver(), StallingReceiverTwin(), stimulus, CYCLES)


def test_a_reset_begins_the_pattern_anew():
    """The second cycle after a reset, however long, is cycle 0 of the pattern."""
    reset, part = Signal(), HostPattern()
    seed, level = 77, 100

    async def testbench(ctx):
        ctx.set(part.seed, seed)
        ctx.set(part.level, level)
        for reset_cycles in (1, 3):
            await ctx.tick()
            state = first_state(seed, 0)
            for cycle in range(20):
                assert ctx.get(part.holds) == holds_back(state, level), cycle
                state = next_state(state)
                await ctx.tick()
            ctx.set(reset, 1)
            for _ in range(reset_cycles):
                await ctx.tick()
            ctx.set(reset, 0)

    run(ResetInserter(reset)(part), testbench)
