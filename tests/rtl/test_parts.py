"""Small parts against references: deep rings, host patterns, signatures, flit layouts, guards, error monitors."""

import random
import re
from itertools import pairwise
from typing import Any

import pytest
from amaranth.hdl import ResetInserter, Signal
from amaranth.sim import Simulator

from rtl.endpoints.harness import message_fields
from rtl.generator.error_monitor import ErrorMonitor
from rtl.generator.verilog import ModuleLibrary
from rtl.parts.deep_ring import DeepRing, front_slots
from rtl.parts.flit import flit_layout, link_signature
from rtl.parts.host_pattern import HostPattern
from rtl.parts.injector import descriptor_layout
from rtl.parts.input_buffer import InputBuffer
from rtl.parts.monitor import SignatureMonitor
from rtl.parts.worm_guard import WormGuard
from rtl.spam.network import spam_plan
from tests.networks import ring
from tests.rtl.simulate import call, run
from tests.topology.test_flits import random_flits
from topology.common.flit_signature import flit_signature
from topology.common.flits import FlitFormat, HeaderFormat
from topology.common.host_pattern import first_state, holds_back, next_state
from topology.common.input_errors import sum_cycles
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

# Deep rings: readable flits, refused parameters, and deep buffers in block RAM.

BITS, CYCLES, BURST_CYCLES = 16, 4_000, 50
SYNTHESIS = "read_verilog buffer.v\nsynth_ecp5 -nowidelut -top buffer\nflatten\ntee -q -o figures.txt stat\n"


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


# Host back-pressure: hardware against the golden model.


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


# The hardware that makes signatures, against their definition.


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


# The hardware's flit and descriptor layouts are those of topology.common.flits, bit for bit.


@pytest.mark.parametrize("flit_bits", [8, 9, 32, 64, 512])
def test_flit(flit_bits):
    layout, flits, numbers = flit_layout(flit_bits), FlitFormat(flit_bits), random.Random(flit_bits)
    assert layout.size == flits.width
    for _ in range(20):
        data, head, tail = numbers.getrandbits(flit_bits), numbers.random() < 0.5, numbers.random() < 0.5
        packed = layout.const({"data": data, "head": head, "tail": tail}).as_value().value
        assert packed == flits.pack(data=data, head=head, tail=tail)
        view = layout.from_bits(packed)
        assert (view.data, bool(view.head), bool(view.tail)) == flits.unpack(packed)


def test_link_carries_flits():
    assert link_signature(16).members["payload"].shape == flit_layout(16)


def test_descriptor_holds_whole_header_flits():
    header = HeaderFormat((("lca", 5), ("source", 4)), 30, 16)
    fields = {name: (field.offset, field.width) for name, field in descriptor_layout(header)}
    assert fields == {"header": (0, 48), "header_flits": (48, 2), "flits": (50, 16)}


def test_harness_message_is_a_descriptor_and_a_seed():
    plan = spam_plan(SpamRouting(SpamLabels(ring(4)), 8))
    assert message_fields(plan) == {
        "header": (0, 16),
        "header_flits": (16, 2),
        "flits": (18, 16),
        "payload_seed": (34, 32),
    }


# A guard that is reset inside a worm counts the next one from its first flit. Proofs begin after reset, once.

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


# Error monitors of more channels than fit into a machine word.

CHANNELS, WATCHED, MONITORED_CYCLES = 90, 70, 120


def test_an_error_monitor_of_many_channels():
    rng = random.Random(1)
    channels = rng.sample(range(CHANNELS), WATCHED)
    monitor: Any = ErrorMonitor(channels, CHANNELS, True)
    inputs = [[rng.random() < 0.2 for _ in channels] for _ in range(MONITORED_CYCLES)]
    inputs = [
        [now or before for now, before in zip(*two, strict=True)] for two in pairwise(inputs)
    ]  # two cycles or more
    worms = sum(
        now > before for two in pairwise([[False] * WATCHED, *inputs]) for before, now in zip(*two, strict=True)
    )

    async def bench(ctx):
        for bits in inputs:
            ctx.set(monitor.discarding, sum(bit << i for i, bit in enumerate(bits)))
            ctx.set(monitor.guards, 1 << WATCHED - 1)
            await ctx.tick()
        ctx.set(monitor.discarding, 0)
        await ctx.tick().repeat(sum_cycles(WATCHED) + 1)
        assert ctx.get(monitor.discarded) == worms
        assert ctx.get(monitor.unroutable) == sum(1 << channel for channel in channels)
        assert ctx.get(monitor.misframed) == 1 << channels[-1]

    run(monitor, bench)
