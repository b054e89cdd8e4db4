"""Registers of collective planes: the map, its texts, and planes behind AXI4-Lite in Amaranth's simulator."""

import json
import re
from typing import Any

import pytest
from amaranth.sim import Simulator

from rtl.collectives.error_masks import TimeoutMask
from rtl.collectives.register_map import IDENTIFICATION, PlaneRegisters
from rtl.collectives.register_parts import FlushTimer
from rtl.collectives.register_top import PlaneRegisterTop, generate_plane_with_registers
from rtl.registers.page import c_header
from tests.each import each
from tests.rtl.plane_hosts import CHAIN, STAR, plane_plan
from tests.rtl.simulate import call, check_accepted, run
from tests.rtl.test_register_maps import STRICT_C, expected_macros
from tests.sampled import sampled

PLANES: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "chain": (CHAIN, [[0, 1, 2, 3], [1, 3]], {}),
    "barriers": (STAR, [[0, 1, 2, 3, 4]], {"operators": (), "timeouts": False}),
    "barriers with timeouts": (STAR, [[0, 4], [1, 2]], {"operators": ()}),
}


def registers_of(name: str, **more: Any) -> PlaneRegisters:
    tree, groups, parameters = PLANES[name]
    return PlaneRegisters(plane_plan(tree, groups, **parameters), timeout_cycles=20, **more)


class Bus:
    """Reads and writes registers by their names."""

    def __init__(self, ctx: Any, top: Any):
        self.ctx, self.top, self.map = ctx, top, top.registers.map
        for ready in ("s_axil_bready", "s_axil_rready"):
            ctx.set(getattr(top, ready), 1)
        ctx.set(top.s_axil_wstrb, 0xF)

    async def read(self, name: str, number: int = 0) -> int:
        ctx, top = self.ctx, self.top
        ctx.set(top.s_axil_araddr, self.map[name].address + 4 * number)
        ctx.set(top.s_axil_arvalid, 1)
        await ctx.tick().until(top.s_axil_arready)
        ctx.set(top.s_axil_arvalid, 0)
        *_, value, response = await ctx.tick().sample(top.s_axil_rdata, top.s_axil_rresp).until(top.s_axil_rvalid)
        assert response == 0, name
        return value

    async def write(self, name: str, value: int, number: int = 0) -> None:
        ctx, top = self.ctx, self.top
        ctx.set(top.s_axil_awaddr, self.map[name].address + 4 * number)
        ctx.set(top.s_axil_wdata, value)
        ctx.set(top.s_axil_awvalid, 1)
        ctx.set(top.s_axil_wvalid, 1)
        await ctx.tick().until(top.s_axil_awready)
        ctx.set(top.s_axil_awvalid, 0)
        ctx.set(top.s_axil_wvalid, 0)
        await ctx.tick()


def test_arrays_begin_at_multiples_of_their_sizes():
    """Addresses are part of the interface: programs have them from a header."""
    addresses = {register.name: register.address for register in registers_of("chain", counters=True).map}
    arrays = {
        "MISMATCHES": 0x40,
        "TIMEOUTS": 0x44,
        "MEMBERS": 0x48,
        "TOPS": 0x50,
        "TAKING_PART": 0x60,
        "COUNTERS": 0x80,
    }
    assert {name: address for name, address in addresses.items() if address >= 0x40} == arrays


@each(
    "limits, recorded_in",
    [
        ({0: 100}, 100),
        ({0: 1000, 500: 100}, 501),
        ({0: 1000, 500: 500}, 501),
        ({0: 1000, 500: 502}, 502),
        ({0: 100, 50: 200}, 200),
        ({0: 0, 50: 100}, 150),
        ({0: 10, 50: 20, 51: 5}, 10),
    ],
)
def test_a_timeout_may_change_while_a_group_waits(limits, recorded_in):
    mask = TimeoutMask(1, 2)
    simulator = Simulator(mask)
    simulator.add_clock(1e-8)
    recorded = []

    async def testbench(ctx):
        ctx.set(mask.missing, 0b10)
        ctx.set(mask.waits, 1)
        for cycle in range(600):
            is_recorded = ctx.get(mask.mask) != 0
            recorded.extend([cycle] * is_recorded)
            ctx.set(mask.clear, 0b11 * is_recorded)
            if cycle in limits:
                ctx.set(mask.limit, limits[cycle])
            await ctx.tick()

    simulator.add_testbench(testbench)
    simulator.run()
    assert recorded == [recorded_in], "once"


@pytest.mark.parametrize("name", sampled(PLANES, ("barriers with timeouts",)))
def test_constants_are_those_of_the_plan(name):
    registers = registers_of(name, counters=True)
    plan, top = registers.plan, PlaneRegisterTop(registers)

    async def testbench(ctx):
        bus = Bus(ctx, top)
        assert await bus.read("ID") == IDENTIFICATION
        assert await bus.read("PROCESSORS") == len(plan.tree.processors)
        for group in plan.tables.groups:
            assert await bus.read("MEMBERS", group.number) == sum(1 << member for member in group.members)
            assert await bus.read("TOPS", group.number) == plan.tables.top_switch[group.number]
        groups = len(plan.tables.groups)
        for row, masks in enumerate(plan.tables.taking_part.tolist()):
            for group, mask in enumerate(masks):
                assert await bus.read("TAKING_PART", groups * row + group) == mask

    run(top, testbench)


def test_members_of_many_processors_take_several_words():
    star = {0: None}
    tree = type(CHAIN)({**star, 1: 0}, (0,) * 20 + (1,) * 20)
    registers = PlaneRegisters(plane_plan(tree, [[0, 39], range(40)], operators=()))
    assert registers.members == [1, 1 << 7, 2**32 - 1, 2**8 - 1]
    assert "word w of group g is number 2 g + w" in registers.map["MEMBERS"].description


def test_barriers_timeouts_flushes_and_counters():
    """One barrier ends; one waits until its timeout, which interrupts and is cleared; a flush ends it."""
    registers = registers_of("barriers with timeouts", counters=True)
    top = PlaneRegisterTop(registers)

    async def barrier(ctx, processors, groups):
        for processor in processors:
            ctx.set(getattr(top, f"barrier_request_n{processor}"), groups)
        await ctx.tick()
        for processor in processors:
            ctx.set(getattr(top, f"barrier_request_n{processor}"), 0)

    async def testbench(ctx):
        bus = Bus(ctx, top)
        assert await bus.read("TIMEOUT") == 20
        await bus.write("COUNTERS_CONTROL", 1)
        await bus.write("INTERRUPT_ENABLE", 2)
        await barrier(ctx, (0, 4), 0b01)
        await ctx.tick().until(top.barrier_done_n4 == 1)
        await ctx.tick()
        assert await bus.read("COUNTERS", 0) == 1
        assert await bus.read("COUNTERS", 4) == 0
        await bus.write("TIMEOUT", 5)
        await barrier(ctx, (2,), 0b10)
        assert ctx.get(top.irq) == 0
        await ctx.tick().until(top.irq)
        missing = registers.branch_bits[0] + [b.number for b in registers.plan.tree.branches_of(0)].index(2)
        assert await bus.read("TIMEOUTS") == 1 << missing
        assert await bus.read("INTERRUPT_PENDING") == 2
        await bus.write("FLUSH", 0b10)
        assert ctx.get(top.irq) == 1
        await bus.write("TIMEOUTS", 1 << missing)
        assert await bus.read("TIMEOUTS") == 0
        assert ctx.get(top.irq) == 0
        assert await bus.read("FLUSHING") == 0
        await barrier(ctx, (1, 2), 0b10)
        await ctx.tick().until(top.barrier_done_n1 == 2)
        await ctx.tick()
        assert await bus.read("COUNTERS", 4) == 1
        await bus.write("COUNTERS_COMMAND", 1)
        assert await bus.read("COUNTERS", 4) == 0

    run(top, testbench)


def test_words_mismatches_and_reset():
    """A reduction counts words and stalls; a wrong operator marks a branch of the lowest switch; a reset."""
    registers = registers_of("chain", counters=True)
    top = PlaneRegisterTop(registers)

    async def contribute(ctx, operators, words=1):
        for word in range(words):
            last = word == words - 1
            for processor, operator in enumerate(operators):
                for port, value in (("tdata", 5), ("tdest", 0), ("tuser", operator), ("tlast", last), ("tvalid", 1)):
                    ctx.set(getattr(top, f"s_axis_n{processor}_{port}"), value)
            await ctx.tick().until(top.s_axis_n0_tready)
        for processor in range(len(operators)):
            ctx.set(getattr(top, f"s_axis_n{processor}_tvalid"), 0)

    async def result_error(ctx):
        *_, error = await ctx.tick().sample(top.m_axis_n0_tuser).until(top.m_axis_n0_tvalid)
        return error

    async def testbench(ctx):
        bus = Bus(ctx, top)
        await bus.write("COUNTERS_CONTROL", 1)
        await contribute(ctx, (0, 0, 0, 0), words=2)
        await ctx.tick().until(top.m_axis_n0_tvalid)
        assert ctx.get(top.m_axis_n0_tdata) == 20
        await ctx.tick().repeat(6)
        for processor in range(4):
            ctx.set(getattr(top, f"m_axis_n{processor}_tready"), 1)
        await ctx.tick().repeat(6)
        counts = [await bus.read("COUNTERS", number) for number in range(8)]
        assert counts[:3] == [1, 2, 0]
        assert counts[3] >= 6
        assert counts[4:] == [0] * 4
        assert await bus.read("MISMATCHES") == 0
        await contribute(ctx, (0, 0, 0, 1))
        assert await result_error(ctx) == 1
        marked = await bus.read("MISMATCHES")
        assert marked.bit_count() == 1
        assert await bus.read("INTERRUPT_PENDING") == 1
        assert marked >= 1 << registers.branch_bits[2]
        await bus.write("MISMATCHES", marked)
        assert await bus.read("MISMATCHES") == 0
        await bus.write("CONTROL", 1)
        assert ctx.get(top.s_axis_n0_tready) == 0
        await bus.write("CONTROL", 0)
        await contribute(ctx, (0, 0, 0, 0))
        assert await result_error(ctx) == 0

    run(top, testbench)


@pytest.mark.parametrize("cycles", [1, 3, 10])
def test_a_flush_has_its_length(cycles):
    timer = FlushTimer(2, cycles)

    async def testbench(ctx):
        ctx.set(timer.begin, 0b10)
        await ctx.tick()
        ctx.set(timer.begin, 0)
        seen = []
        for _ in range(cycles + 3):
            seen.append(ctx.get(timer.flush))
            await ctx.tick()
        assert seen == [0b10] * cycles + [0] * 3

    run(timer, testbench)


@pytest.mark.parametrize("name", sampled(PLANES, ("chain",)))
def test_texts_agree_and_the_header_compiles(name, require_tool, tmp_path):
    registers = registers_of(name, counters=name == "chain")
    made = generate_plane_with_registers(registers, "noc")
    manifest = json.loads(made.files["manifest.json"])
    assert manifest == made.manifest
    assert [one["name"] for one in manifest["registers"]["registers"]] == [one.name for one in registers.map]
    assert set(manifest["files"]) == set(made.files)
    header = c_header(registers.map, "noc")
    assert made.files["noc_regs.h"] == header
    macros = set(re.findall(r"#define (\w+)", header)) - {"NOC_REGS_H"}
    wanted = {macro.partition("(")[0] for macro in expected_macros(registers.map)}
    assert macros - {f"NOC_{mask.upper()}_BITS" for mask in registers.masks} == wanted
    (tmp_path / "noc_regs.h").write_text(header)
    (tmp_path / "one.c").write_text('#include "noc_regs.h"\nunsigned id(void);\nunsigned id(void) { return NOC_ID; }\n')
    call(require_tool("c++"), [*STRICT_C, "-c", "one.c"], tmp_path)


@pytest.mark.parametrize("name", sampled(PLANES, ("barriers with timeouts",)))
def test_lint(name, require_tool, tmp_path):
    made = generate_plane_with_registers(registers_of(name, counters=True), "noc")
    check_accepted(made, require_tool, tmp_path, ["verilator", "icarus"])
