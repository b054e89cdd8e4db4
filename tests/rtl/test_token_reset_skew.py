"""Reset skew that a token ring tolerates, and the report of more: docs/look_up/timing.md, "Reset"."""

import random

import pytest

from rtl.generator.network import NetworkTop
from rtl.min.network import min_plan
from tests.rtl.simulate import run
from tests.rtl.skewed_resets import SkewedResets
from topology.min.graph import MinNetwork
from topology.min.routing import MinRouting

FIRST = 0
"""The switch that begins with the token; it leaves reset in cycle ``START``."""
RING = (0, 1, 2, 3)
START = 10
EARLIEST, LATEST = -START, 2
"""Cycles before or after the first switch in which all other parts may leave reset."""
SETTLED = 50
"""Cycles after which the token has visited every station, or none."""
SOUND, LOST, DUPLICATED = (0, 0), (1, 0), (0, 1)


class RingUnderReset:
    """A network whose first ring is reset again and again."""

    def __init__(self, link_cycles: int):
        plan = min_plan(MinRouting(MinNetwork("baseline", 2, 3), 16), link_cycles=link_cycles)
        self.platform = SkewedResets("router_s", "wire_token_in_s", "token")
        self.top = NetworkTop(plan)
        self.whole = self.top.elaborate(self.platform)
        self.wires = [f"wire_token_in_s{k}" for k in RING] if link_cycles > 1 else []

    async def status(self, ctx, delays: dict[str, int]) -> tuple[int, int]:
        """Report of the watch after a reset of all parts that ends with these delays."""
        for cycle in range(START + SETTLED):
            for name, reset in self.platform.resets.items():
                ctx.set(reset, cycle < START + delays.get(name, 0))
            await ctx.tick()
        return self._status(ctx)

    async def after_reset_of(self, ctx, name: str, phase: int) -> tuple[int, int]:
        """Report of the watch if then one part alone is reset for a cycle."""
        await self.status(ctx, {})
        for cycle in range(phase + SETTLED):
            ctx.set(self.platform.resets[name], cycle == phase)
            await ctx.tick()
        return self._status(ctx)

    def _status(self, ctx) -> tuple[int, int]:
        return ctx.get(self.top.token_lost) & 1, ctx.get(self.top.token_duplicated) & 1


@pytest.mark.parametrize("link_cycles", [1, 3])
def test_two_cycles_later_and_any_time_earlier_are_sound(link_cycles):
    """Switches and wires alike; the watch must not begin before there can be a token."""
    ring, numbers = RingUnderReset(link_cycles), random.Random(1)

    async def testbench(ctx):
        for extremes in (True,) * 6 + (False,) * 12:
            parts = [*(f"router_s{k}" for k in RING if k != FIRST), *ring.wires]
            choices = (EARLIEST, LATEST) if extremes else range(EARLIEST, LATEST + 1)
            delays = {**{name: numbers.choice(choices) for name in parts}, "token": numbers.randrange(START)}
            assert await ring.status(ctx, delays) == SOUND, delays

    run(ring.whole, testbench)


@pytest.mark.parametrize("link_cycles", [1, 3])
def test_a_switch_may_leave_reset_until_the_token_comes_and_not_later(link_cycles):
    ring = RingUnderReset(link_cycles)

    async def testbench(ctx):
        for switch in RING[1:]:
            limit = 1 + switch * link_cycles
            seen = [await ring.status(ctx, {f"router_s{switch}": delay}) for delay in range(limit - 1, limit + 3)]
            assert seen == [SOUND, SOUND, LOST, LOST], switch

    run(ring.whole, testbench)


def test_a_wire_that_leaves_reset_too_late_loses_the_token():
    ring = RingUnderReset(3)

    async def testbench(ctx):
        seen = [await ring.status(ctx, {"wire_token_in_s1": LATEST + later}) for later in (0, 1, 2)]
        assert seen == [SOUND, LOST, LOST]

    run(ring.whole, testbench)


def test_a_watch_that_begins_too_early_misses_the_token():
    ring = RingUnderReset(1)

    async def testbench(ctx):
        assert [await ring.status(ctx, {"token": delay}) for delay in (-2, -1, 0, 1)] == [LOST, LOST, SOUND, SOUND]

    run(ring.whole, testbench)


def test_a_reset_of_one_switch_alone_is_reported():
    """In cycle p of the four, the token comes to switch p + 1, and to the first one in p = 3.

    The first switch begins with a new token two cycles later, and if the old one comes in just that cycle they are one.
    """
    ring = RingUnderReset(1)

    async def testbench(ctx):
        first = [await ring.after_reset_of(ctx, f"router_s{FIRST}", phase) for phase in RING]
        other = [await ring.after_reset_of(ctx, "router_s2", phase) for phase in RING]
        assert first == [DUPLICATED, SOUND, DUPLICATED, LOST]
        assert other == [SOUND, LOST, SOUND, SOUND]

    run(ring.whole, testbench)
