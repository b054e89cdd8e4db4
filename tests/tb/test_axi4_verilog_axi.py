"""RAMs and a crossbar of verilog-axi beside a network with AXI4 ends: every byte that is read.

The variable HYDRANOC_VERILOG_AXI names the folder ``rtl`` of https://github.com/alexforencich/verilog-axi.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hydranoc import load
from hydranoc.benches.project import axi4_bench_project
from rtl.axi4.subordinate import ID_BITS
from tests.hydranoc.shells import passes
from tests.hydranoc.test_bench import OURS

LIBRARY = os.environ.get("HYDRANOC_VERILOG_AXI", "")
CROSSBAR = ("axi_crossbar", "axi_crossbar_addr", "axi_crossbar_wr", "axi_crossbar_rd")
CROSSBAR_PARTS = ("axi_register_wr", "axi_register_rd", "arbiter", "priority_encoder")
BUFFERS = ("axi_fifo", "axi_fifo_wr", "axi_fifo_rd")
IDS = ("awid", "bid", "arid", "rid")
"""Fields to which the crossbar adds a bit."""
CONFIGURATION: dict[str, Any] = {
    "network": {"family": "spam", "topology": {"kind": "mesh", "shape": [2, 2]}},
    "axi4": {
        "id_bits": 2,
        "regions": [{"processor": i, "base": 0x1_0000 * i, "size": 0x1_0000} for i in (1, 2)],
        "multicast": [{"processors": [1, 2], "base": 0x8_0000, "size": 0x1_0000}],
    },
}
TESTS = """
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiBurstType, AxiBus, AxiMaster, AxiResp


async def use(master, index, memories, numbers):
    for _ in range(TRANSACTIONS):
        kind = AxiBurstType.INCR
        length = numbers.randint(1, 200)
        offset = numbers.choice([0, 0x8000]) + 0x1000 * index + numbers.randint(0, 0x1000 - length)
        base = numbers.choice([0x1_0000, 0x2_0000, 0x8_0000])
        data = numbers.randbytes(length)
        if base == 0x8_0000 or numbers.random() < 0.5:
            assert (await master.write(base + offset, data, burst=kind)).resp == AxiResp.OKAY
            for memory in (1, 2) if base == 0x8_0000 else (base >> 16,):
                memories[memory][offset : offset + length] = data
        else:
            answer = await master.read(base + offset, length, burst=kind)
            assert answer.resp == AxiResp.OKAY
            assert answer.data == bytes(memories[base >> 16][offset : offset + length])


@cocotb.test(timeout_time=200, timeout_unit="us")
async def rams_keep_what_is_written(dut):
    Clock(dut.clk, 10, "ns").start(start_high=False)
    dut.rst.value = 1
    ports = ["s_axi_n0", "s_axi_n3"]
    masters = [AxiMaster(AxiBus.from_prefix(dut, port), dut.clk, dut.rst) for port in ports]
    await ClockCycles(dut.clk, 4)
    dut.rst.value = 0
    await ClockCycles(dut.clk, 2)
    memories = {1: bytearray(0x1_0000), 2: bytearray(0x1_0000)}
    users = [cocotb.start_soon(use(masters[i], i, memories, random.Random(i))) for i in range(2)]
    for user in users:
        await user
    for base in (0, 0x400, 0x1000, 0x1800, 0x8000, 0x9400):
        for master, region in ((masters[0], 1), (masters[1], 2)):
            answer = await master.read((region << 16) + base, 0x400)
            assert answer.data == bytes(memories[region][base : base + 0x400]), (region, hex(base))
"""
TRANSACTIONS = 24


def declared(kind: str, bits: int, name: str) -> str:
    return f"{kind} [{bits - 1}:0] {name}"


def ram(name: str, id_bits: int, address_bits: int, pins: dict[str, str]) -> str:
    parameters = f".ID_WIDTH({id_bits}), .ADDR_WIDTH({address_bits})"
    ports = ", ".join(f".s_axi_{field}({wire})" for field, wire in pins.items() if not field.endswith("qos"))
    return f"axi_ram #({parameters}) {name} (.clk(clk), .rst(rst), {ports});"


def rams(bits: dict[str, int]) -> list[str]:
    """A RAM at each subordinate."""
    return [ram(f"ram_{i}", ID_BITS, 16, {field: f"m_axi_n{i}_{field}" for field in bits}) for i in (1, 2)]


def late(field: str, wire: str, inputs: str) -> str:
    """Return what the crossbar gets in a field; X until time 0 is over where the field is an input.

    Icarus runs ``always @*`` when an input changes. Without a change before the first edge, registers of the crossbar
    take the X of their next values.
    """
    is_input = (field[0] in inputs) != field.endswith("ready")
    return f"(awake ? {wire} : 'bx)" if is_input else f"({wire})"


def crossbar(bits: dict[str, int]) -> list[str]:
    """A crossbar between both subordinates and two RAMs: the lower half of each region, and the upper one.

    Both receivers of a multicast write may need one RAM. Each therefore asks the crossbar for it only when it has all
    data of the write: its worm goes on when both receivers take its data.
    """
    widths = {field: width + (field in IDS) for field, width in bits.items()}
    lines = [declared("wire", 2 * width, f"from_{field}") + ";" for field, width in bits.items()]
    lines += [declared("wire", 2 * width, f"to_{field}") + ";" for field, width in widths.items()]
    lines.append("reg awake;\ninitial begin #0 awake = 1'b1; end")
    for i in (1, 2):
        pins = [f".s_axi_{field}{late(field, f'm_axi_n{i}_{field}', 'aw')}" for field in bits]
        pins += [f".m_axi_{field}(from_{field}[{(i - 1) * width} +: {width}])" for field, width in bits.items()]
        parameters = f".ID_WIDTH({ID_BITS}), .WRITE_FIFO_DEPTH(512), .WRITE_FIFO_DELAY(1)"
        lines.append(f"axi_fifo #({parameters}) fifo_{i} (.clk(clk), .rst(rst), {', '.join(pins)});")
    pins = [f".s_axi_{field}{late(field, f'from_{field}', 'aw')}" for field in bits]
    pins += [f".m_axi_{field}{late(field, f'to_{field}', 'br')}" for field in bits]
    bases = ", ".join(f"32'h{region + half:x}" for half in (0x8000, 0) for region in (0x2_0000, 0x1_0000))
    parameters = f".S_COUNT(2), .M_COUNT(2), .S_ID_WIDTH({ID_BITS}), .M_REGIONS(2), .M_BASE_ADDR({{{bases}}})"
    parameters += ", .M_ADDR_WIDTH({4{32'd15}})"
    lines.append(f"axi_crossbar #({parameters}) crossbar (.clk(clk), .rst(rst), {', '.join(pins)});")
    for i in range(2):
        parts = {field: f"to_{field}[{i * width} +: {width}]" for field, width in widths.items()}
        lines.append(ram(f"ram_{i}", ID_BITS + 1, 18, parts))
    return lines


def system(manifest: dict[str, Any], memories: Callable[[dict[str, int]], list[str]]) -> str:
    """The network with memories at its subordinates."""
    ports = {port["name"]: port for port in manifest["ports"]}
    inside = [name for name in ports if name.startswith("m_axi_")]
    outside = [declared(port["direction"], port["bits"], name) for name, port in ports.items() if name not in inside]
    lines = [declared("wire", ports[name]["bits"], name) + ";" for name in inside]
    first = "m_axi_n1_"
    lines += memories({name.removeprefix(first): ports[name]["bits"] for name in inside if name.startswith(first)})
    lines.append(f"noc network ({', '.join(f'.{name}({name})' for name in ports)});")
    text = "\n".join(lines)
    return f"`timescale 1ns / 1ps\nmodule system (\n{', '.join(outside)});\n{text}\nendmodule\n"


@pytest.mark.slow
@pytest.mark.skipif(not LIBRARY, reason="HYDRANOC_VERILOG_AXI is not set")
@pytest.mark.parametrize(("memories", "files"), [(rams, ()), (crossbar, (*CROSSBAR, *CROSSBAR_PARTS, *BUFFERS))])
def test_memories_of_another_library(memories, files, tmp_path, require_tool):
    for name in ("icarus", "make"):
        require_tool(name)
    design = load(CONFIGURATION)
    for name, text in axi4_bench_project(design).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "own").mkdir()
    for name in ("axi_ram", *files):
        (tmp_path / "own" / f"{name}.v").write_text((Path(LIBRARY) / f"{name}.v").read_text())
    (tmp_path / "own" / "system.v").write_text(system(design.axi4_verilog().manifest, memories))
    (tmp_path / "noc_tests.py").write_text(TESTS.replace("TRANSACTIONS", str(TRANSACTIONS)))
    assert "PASS=1 FAIL=0" in passes("make SIM=icarus", tmp_path, **OURS)
