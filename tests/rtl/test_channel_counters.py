"""Channel counters against a reference count."""

import random

import pytest

from rtl.generator.channel_counters import ChannelCounters
from tests.counted import events_of
from tests.rtl.simulate import run
from topology.common.counter_bus import COUNTED, counter_address, settling_cycles

CYCLES = 400


class PlainCounts:
    def __init__(self, channels):
        self.sums = [[0] * len(COUNTED) for _ in range(channels)]
        self.in_message = [0] * channels

    def step(self, valid, ready, tail, enable):
        for channel, sums in enumerate(self.sums):
            v, r, last = (word >> channel & 1 for word in (valid, ready, tail))
            for kind, happened in enumerate(events_of(v, r, self.in_message[channel])):
                sums[kind] += happened & enable
            if v and r:
                self.in_message[channel] = 1 - last


async def read_all(ctx, part, channels):
    """All sums, pipelined: one address per cycle, its data two cycles later."""
    addresses = [counter_address(channel, kind) for channel in range(channels) for kind in range(len(COUNTED))]
    seen = []
    for address in [*addresses, 0, 0]:
        ctx.set(part.address, address)
        await ctx.tick()
        seen.append(ctx.get(part.data))
    words = seen[1:-1]
    kinds = len(COUNTED)
    return [words[kinds * channel : kinds * channel + kinds] for channel in range(channels)]


@pytest.mark.parametrize("channels", [1, 3, 4, 5, 17])
def test_sums(channels):
    part, numbers = ChannelCounters(channels), random.Random(channels)

    async def testbench(ctx):
        plain = PlainCounts(channels)
        for round_number in range(3):
            for _ in range(CYCLES):
                words = [numbers.getrandbits(channels) | numbers.getrandbits(channels) for _ in range(3)]
                enable = int(numbers.random() < 0.9)
                for port, value in zip(("valid", "ready", "tail"), words, strict=True):
                    ctx.set(getattr(part, port), value)
                ctx.set(part.enable, enable)
                plain.step(*words, enable)
                await ctx.tick()
            for port in ("valid", "enable"):
                ctx.set(getattr(part, port), 0)
            await ctx.tick().repeat(settling_cycles(channels))
            assert await read_all(ctx, part, channels) == plain.sums
            if round_number == 1:
                ctx.set(part.clear, 1)
                await ctx.tick()
                ctx.set(part.clear, 0)
                plain.sums = [[0] * len(COUNTED) for _ in range(channels)]
                await ctx.tick().repeat(numbers.randrange(1, 4))

    run(part, testbench)


def test_every_cycle_of_a_full_sweep_counts():
    """The short counters are just wide enough for a channel that is busy all the time."""
    part = ChannelCounters(7)

    async def testbench(ctx):
        for port in ("valid", "ready", "enable"):
            ctx.set(getattr(part, port), -1 if port != "enable" else 1)
        await ctx.tick().repeat(1_000)
        ctx.set(part.enable, 0)
        await ctx.tick().repeat(settling_cycles(7))
        assert await read_all(ctx, part, 7) == [[1_000] + [0] * (len(COUNTED) - 1)] * 7

    run(part, testbench)
