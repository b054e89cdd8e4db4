"""Parts of AXI4 interfaces: answers of multicast writes, and writes that wait until they are complete."""

import re
import subprocess
from typing import Any

import pytest

from hydranoc import load
from rtl.axi4 import export
from rtl.axi4.network import Axi4Plan
from rtl.axi4.transactions import WriteTransactions
from rtl.axi4.write_store import WriteStore
from tests.each import each
from tests.rtl.simulate import run
from tests.tb.test_axi4 import plan_of_variant
from tests.tb.test_axi4_trials import NETWORKS, plan_of
from topology.axi4.words import DECERR, OKAY, SLVERR, Axi4Format
from topology.common.flits import MAX_FLIT_BITS

AXI = Axi4Format(8, id_bits=2, outstanding=2, windows=1)


async def start(ctx: Any, part: Any, number: int, receivers: int, *, failed: bool = False) -> int:
    """Start a write; its slot."""
    ctx.set(part.asked, 1)
    ctx.set(part.id, number)
    cycles = 0
    while not ctx.get(part.granted):
        await ctx.tick()
        cycles += 1
        assert cycles < 20
    slot = ctx.get(part.slot)
    ctx.set(part.asked, 0)
    ctx.set(part.start, 1)
    ctx.set(part.receivers, receivers)
    ctx.set(part.failed, failed)
    await ctx.tick()
    ctx.set(part.start, 0)
    return slot


async def answer(ctx: Any, part: Any, slot: int, response: int) -> None:
    ctx.set(part.answered, 1)
    ctx.set(part.answer_slot, slot)
    ctx.set(part.answer, response)
    await ctx.tick()
    ctx.set(part.answered, 0)


async def next_answer(ctx: Any, part: Any) -> tuple[int, int]:
    """ID and response that the manager takes."""
    ctx.set(part.bready, 1)
    for _ in range(5):
        if ctx.get(part.bvalid):
            found = ctx.get(part.bid), ctx.get(part.bresp)
            await ctx.tick()
            return found
        await ctx.tick()
    raise AssertionError("no answer within 5 cycles")


@each("responses", [(OKAY, OKAY, OKAY), (OKAY, SLVERR, OKAY), (DECERR, SLVERR, OKAY), (OKAY, OKAY, DECERR)])
def test_a_multicast_is_answered_once_with_the_worst(responses):
    part = WriteTransactions(AXI)

    async def testbench(ctx: Any) -> None:
        slot = await start(ctx, part, 1, len(responses))
        for response in responses:
            assert not ctx.get(part.bvalid)
            await answer(ctx, part, slot, response)
        assert await next_answer(ctx, part) == (1, max(responses))
        for _ in range(5):
            assert not ctx.get(part.bvalid)
            await ctx.tick()

    run(part, testbench)


def test_answers_come_in_the_order_in_which_they_are_complete():
    part = WriteTransactions(AXI)

    async def testbench(ctx: Any) -> None:
        first = await start(ctx, part, 1, 1)
        second = await start(ctx, part, 2, 2)
        assert {first, second} == {0, 1}
        await answer(ctx, part, second, OKAY)
        await answer(ctx, part, first, SLVERR)
        await answer(ctx, part, second, OKAY)
        assert await next_answer(ctx, part) == (1, SLVERR)
        assert await next_answer(ctx, part) == (2, OKAY)
        await start(ctx, part, 3, 1, failed=True)
        assert await next_answer(ctx, part) == (3, DECERR)

    run(part, testbench)


def test_an_id_has_one_write_at_a_time():
    part = WriteTransactions(AXI)

    async def testbench(ctx: Any) -> None:
        slot = await start(ctx, part, 1, 1)
        ctx.set(part.asked, 1)
        for _ in range(10):
            await ctx.tick()
            assert not ctx.get(part.granted)
        await answer(ctx, part, slot, OKAY)
        assert await next_answer(ctx, part) == (1, OKAY)
        await start(ctx, part, 1, 1)

    run(part, testbench)


@each("whole", [True, False])
def test_a_write_is_sent_when_its_data_are_complete(whole):
    part = WriteStore(AXI, 512 if whole else 8, whole=whole)

    async def testbench(ctx: Any) -> None:
        for beat in range(4):
            while not ctx.get(part.wready):
                await ctx.tick()
            ctx.set(part.wvalid, 1)
            ctx.set(part.wdata, beat)
            ctx.set(part.wlast, beat == 3)
            await ctx.tick()
            ctx.set(part.wvalid, 0)
            for _ in range(6):  # the manager pauses
                await ctx.tick()
            assert ctx.get(part.startable) == (not whole or beat == 3)
        for beat in range(4):
            assert ctx.get(part.valid)
            assert ctx.get(part.word) & 0xFFFFFFFF == beat
            assert ctx.get(part.last) == (beat == 3)
            ctx.set(part.pop, 1)
            await ctx.tick()
            ctx.set(part.pop, 0)
        assert not ctx.get(part.valid)

    run(part, testbench)


def test_a_store_that_is_too_small_is_refused():
    with pytest.raises(ValueError, match="Store of writes has 256 beats; it must have at least 258"):
        WriteStore(AXI, 256, whole=True)


def test_beats_of_all_formats_fit_in_a_flit():
    assert Axi4Format(8, data_bits=256, user_bits=64).min_request_bits <= MAX_FLIT_BITS
    with pytest.raises(ValueError, match="data_bits is 512; it must be from 32 to 256"):
        Axi4Format(8, data_bits=512)


def test_constants_of_managers():
    """A manager reaches all regions but its own, and windows with others; its own processor is no receiver."""
    plan = plan_of_variant("both")
    bits = plan.axi.processors.bit_length()
    for processor, reachable, receivers in ((1, 0b11110, (2, 1)), (4, 0b11101, (2, 2)), (7, 0b11011, (2, 1))):
        counts = sum(count << i * bits for i, count in enumerate(receivers))
        constants = plan.manager_constants(processor)
        assert constants == {"node": processor, "reachable": reachable, "receivers": counts}


@each("address_bits, suffix", [(32, "UL"), (40, "ULL")])
def test_constants_of_the_header_are_as_wide_as_addresses(address_bits, suffix):
    header = export._c_header(plan_of("spam", address_bits=address_bits), "noc")
    lines = [line for line in header.splitlines() if line.startswith("#define NOC_") and "_MAP_H" not in line]
    assert len(lines) == 3 * 5
    assert all(line.split()[-1].strip("0123456789abcdefx") == suffix for line in lines)


def plan_of_area(address_bits: int, base: int, size: int) -> Axi4Plan:
    """Return a plan whose only region has an area."""
    section = {"address_bits": address_bits, "regions": [{"processor": 1, "base": base, "size": size}]}
    axi4 = load({"network": NETWORKS["spam"], "axi4": section}).axi4
    assert axi4 is not None
    return axi4.plan


AREAS = {
    (64, 0, 1 << 64): ((2, 2), "0x0 0x0 0x80000000 0x0>, <0x80000000 0x0 0x80000000 0x0"),
    (64, 1 << 63, 1 << 63): ((2, 2), "0x80000000 0x0 0x80000000 0x0"),
    (40, 0, 1 << 40): ((2, 2), "0x0 0x0 0x100 0x0"),
    (32, 0, 1 << 32): ((1, 2), "0x0 0x1 0x0"),
    (32, 1 << 31, 1 << 31): ((1, 1), "0x80000000 0x80000000"),
}
"""Width of addresses, base and size -> cells of an address and a size in the device tree, and all of its cells."""


@each("area", AREAS)
def test_constants_of_large_regions_fit_their_types(area, tmp_path):
    address_bits, base, size = area
    header = export._c_header(plan_of_area(*area), "noc")
    assert ("NOC_N1_SIZE " in header) == (size < 1 << (64 if address_bits > 32 else 32))
    lines = ['#include "noc_map.h"', f"int base[NOC_N1_BASE == {base:#x}ULL ? 1 : -1];"]
    lines += [f"int last[NOC_N1_LAST == {base + size - 1:#x}ULL ? 1 : -1];"]
    lines += ["#ifdef NOC_N1_SIZE", f"int size[NOC_N1_SIZE == {size:#x}ULL ? 1 : -1];", "#endif"]
    (tmp_path / "noc_map.h").write_text(header)
    (tmp_path / "use.c").write_text("\n".join([*lines, ""]))
    options = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-c", "-o", "use.o"]
    subprocess.run(["cc", *options, "use.c"], cwd=tmp_path, check=True)


@each("area", AREAS)
def test_cells_of_the_device_tree_have_32_bits(area):
    counts, cells = AREAS[area]
    text = export._device_tree(plan_of_area(*area))
    assert tuple(int(count) for count in re.findall(r"#(?:address|size)-cells = <(\d)>;", text)) == counts
    assert re.findall(r"reg = <(.*)>;", text) == [cells]
    assert all(int(cell, 16) < 1 << 32 for cell in re.findall(r"0x[0-9a-f]+", text))


def test_the_device_tree_has_the_regions():
    text = export._device_tree(plan_of("spam"))
    assert [line.split()[0] for line in text.splitlines() if "@" in line] == [
        f"memory@{p * 0x1000:x}" for p in range(4)
    ]
