"""RAMs of verilog-axi beside a network with AXI4 ends: every byte that is read.

The variable HYDRANOC_VERILOG_AXI names the folder ``rtl`` of https://github.com/alexforencich/verilog-axi.
"""

import os
from pathlib import Path
from typing import Any

import pytest

from hydranoc import load
from hydranoc.benches.project import axi4_bench_project
from rtl.axi4.subordinate import ID_BITS
from tests.hydranoc.shells import passes
from tests.hydranoc.test_bench import OURS

LIBRARY = os.environ.get("HYDRANOC_VERILOG_AXI", "")
RAM = "axi_ram.v"
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
    Clock(dut.clk, 10, "ns").start()
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


def system(manifest: dict[str, Any]) -> str:
    """The network with a RAM at each subordinate."""
    ports = {port["name"]: port for port in manifest["ports"]}
    inside = [name for name in ports if name.startswith("m_axi_")]
    outside = [declared(port["direction"], port["bits"], name) for name, port in ports.items() if name not in inside]
    lines = [declared("wire", ports[name]["bits"], name) + ";" for name in inside]
    for i in (1, 2):
        fields = [name.removeprefix(f"m_axi_n{i}_") for name in inside if name.startswith(f"m_axi_n{i}_")]
        pins = [f".s_axi_{name}(m_axi_n{i}_{name})" for name in fields if not name.endswith("qos")]
        lines.append(f"axi_ram #(.ID_WIDTH({ID_BITS})) ram_{i} (.clk(clk), .rst(rst), {', '.join(pins)});")
    lines.append(f"noc network ({', '.join(f'.{name}({name})' for name in ports)});")
    text = "\n".join(lines)
    return f"`timescale 1ns / 1ps\nmodule system (\n{', '.join(outside)});\n{text}\nendmodule\n"


@pytest.mark.slow
@pytest.mark.skipif(not LIBRARY, reason="HYDRANOC_VERILOG_AXI is not set")
def test_rams_of_another_library(tmp_path, require_tool):
    for name in ("icarus", "make"):
        require_tool(name)
    design = load(CONFIGURATION)
    for name, text in axi4_bench_project(design).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / RAM).write_text((Path(LIBRARY) / RAM).read_text())
    (tmp_path / "own" / "system.v").write_text(system(design.axi4_verilog().manifest))
    (tmp_path / "noc_tests.py").write_text(TESTS.replace("TRANSACTIONS", str(TRANSACTIONS)))
    assert "PASS=1 FAIL=0" in passes("make SIM=icarus", tmp_path, **OURS)
