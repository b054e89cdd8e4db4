"""A guard that is reset inside a worm counts the next one from its first flit. Proofs begin after reset, once."""

from amaranth.hdl import ResetInserter, Signal

from rtl.parts.worm_guard import WormGuard
from tests.rtl.simulate import run

LONGEST = 4


def seen_of_worm(lost_flits: int) -> tuple[list[int], list[int]]:
    """Tails, and reports, while a worm of ``LONGEST`` flits goes through a guard that was reset in another one."""
    guard, reset = WormGuard(8, LONGEST), Signal()
    tails, misframed = [], []

    async def testbench(ctx):
        ctx.set(guard.onward.ready, 1)
        for number in range(lost_flits):
            ctx.set(guard.link.valid, 1)
            ctx.set(guard.link.payload.head, number == 0)
            await ctx.tick()
        ctx.set(guard.link.valid, 0)
        ctx.set(reset, 1)
        await ctx.tick()
        ctx.set(reset, 0)
        for number in range(LONGEST):
            ctx.set(guard.link.valid, 1)
            ctx.set(guard.link.payload.head, number == 0)
            ctx.set(guard.link.payload.tail, number == LONGEST - 1)
            tails.append(ctx.get(guard.onward.payload.tail))
            await ctx.tick()
            misframed.append(ctx.get(guard.misframed))

    run(ResetInserter(reset)(guard), testbench)
    return tails, misframed


def test_a_reset_inside_a_worm():
    for lost_flits in range(LONGEST):
        assert seen_of_worm(lost_flits) == ([0, 0, 0, 1], [0, 0, 0, 0]), lost_flits
