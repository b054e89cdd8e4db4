"""Networks with AXI4 ends as components of designs: arrays of ports, Amaranth, LiteX."""

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from amaranth.hdl import unsigned
from amaranth.lib import data
from amaranth.sim import Simulator

from hydranoc import ConfigError, load
from hydranoc.cli import run
from tests.hydranoc.shells import passes
from tests.hydranoc.test_axi4 import CONFIGURATION
from tests.hydranoc.test_soc_examples import LITEX_EXAMPLE

LINE: dict[str, Any] = {
    "network": {"family": "spam", "topology": {"kind": "mesh", "shape": [1, 2]}},
    "axi4": {"id_bits": 2, "user_bits": 3, "regions": [{"processor": 1, "base": 0x1000, "size": 0x1000}]},
}
MAX_CYCLES = 100


@pytest.mark.parametrize("given", [LINE, pytest.param(CONFIGURATION, marks=pytest.mark.slow)])
def test_ports_are_arrays_in_the_order_of_the_manifest(given, tmp_path, require_tool):
    verilator = require_tool("verilator")
    made = load(given).axi4_verilog(arrays=True)
    for name, text in made.files.items():
        (tmp_path / name).write_text(text)
    arrays = made.files[made.manifest["port_arrays"]["file"]]
    for prefix, ends in (("s_axi", "managers"), ("m_axi", "subordinates")):
        for index, port in enumerate(made.manifest["axi4"][ends].values()):
            assert f".{port}_awaddr({prefix}_awaddr[{index}])" in arrays
    command = [*verilator.command, "--lint-only", "-Wall", "--top-module", "noc_arrays", "noc.v", "noc_arrays.sv"]
    subprocess.run(command, cwd=tmp_path, check=True, env=verilator.environment)


def test_arrays_are_an_option_of_both_commands(tmp_path, capsys):
    (tmp_path / "net.yaml").write_text(json.dumps(LINE))
    for verb, name in (("verilog", "noc_arrays.sv"), ("bench", "noc/noc_arrays.sv")):
        assert run([verb, str(tmp_path / "net.yaml"), "--axi4", "--arrays", "-o", str(tmp_path / verb)]) == 0
        assert (tmp_path / verb / name).exists()
    capsys.readouterr()


async def until(ctx: Any, signal: Any) -> None:
    """Wait until a signal is high."""
    cycles = 0
    while not ctx.get(signal):
        await ctx.tick()
        cycles += 1
        assert cycles < MAX_CYCLES


async def given_to(ctx: Any, stream: Any, **fields: int) -> None:
    """Give a beat to a stream."""
    for name, value in fields.items():
        ctx.set(stream.payload[name], value)
    ctx.set(stream.valid, 1)
    await until(ctx, stream.ready)
    await ctx.tick()
    ctx.set(stream.valid, 0)


async def taken_from(ctx: Any, stream: Any) -> Any:
    """Take a beat from a stream."""
    ctx.set(stream.ready, 1)
    await until(ctx, stream.valid)
    beat = ctx.get(stream.payload)
    await ctx.tick()
    ctx.set(stream.ready, 0)
    return beat


def test_an_amaranth_component_has_a_stream_per_channel():
    given = copy.deepcopy(LINE)
    given["axi4"]["timeout_cycles"] = 1000
    design = load(given).axi4_component()
    manager, subordinate = design.managers[0], design.subordinates[1]
    assert design.manager_n0 is manager
    assert design.m_axi_n1_error.shape() == unsigned(1)
    assert manager.r.payload.shape() == data.StructLayout({"id": 2, "data": 32, "resp": 2, "last": 1, "user": 3})
    assert list(subordinate.w.payload.shape().members) == ["data", "strb", "last", "user"]

    async def testbench(ctx: Any) -> None:
        await given_to(ctx, manager.aw, id=2, addr=0x1234, size=2, burst=1, user=5)
        await given_to(ctx, manager.w, data=0xCAFE, strb=0xF, last=1, user=6)
        request = await taken_from(ctx, subordinate.aw)
        assert (request.addr, request.len, request.size, request.user) == (0x1234, 0, 2, 5)
        word = await taken_from(ctx, subordinate.w)
        assert (word.data, word.strb, word.last, word.user) == (0xCAFE, 0xF, 1, 6)
        await given_to(ctx, subordinate.b, resp=2)
        answer = await taken_from(ctx, manager.b)
        assert (answer.id, answer.resp) == (2, 2)
        await given_to(ctx, manager.ar, id=3, addr=0x5000)
        assert (await taken_from(ctx, manager.r)).resp == 3

    simulator = Simulator(design)
    simulator.add_clock(1e-8)
    simulator.add_testbench(testbench)
    simulator.run()


def test_a_component_needs_the_section():
    with pytest.raises(ConfigError, match="key 'axi4' is missing"):
        load({"network": LINE["network"]}).axi4_component()


SYSTEM = """
import sys
from pathlib import Path
from types import SimpleNamespace
from litex.gen import LiteXModule
from litex.gen.fhdl.verilog import convert
from litex.soc.interconnect.axi import AXI2AXILite, AXILiteInterface, AXILiteSRAM
from migen import ClockDomain, Signal
from noc import Noc


class Memories(LiteXModule):
    def __init__(self, folder):
        self.cd_sys = ClockDomain("sys")
        self.noc = Noc(None, folder)
        for port in self.noc.subordinates.values():
            lite = AXILiteInterface(port.data_width, port.address_width)
            self.submodules += AXI2AXILite(port, lite), AXILiteSRAM(0x1000, bus=lite)
        self.ios = {self.cd_sys.clk, self.cd_sys.rst}
        for i, port in self.noc.managers.items():
            pads = SimpleNamespace()
            for field in port.get_ios()[0][2:]:
                bits = sum(len(pins.identifiers) for pins in field.constraints)
                setattr(pads, field.name, Signal(bits, name=f"s_axi_n{i}_{field.name}"))
            self.comb += port.connect_to_pads(pads, mode="slave")
            self.ios |= set(vars(pads).values())


system = Memories(sys.argv[1])
Path(sys.argv[2]).write_text(str(convert(system, system.ios, name="system")))
"""
"""A memory of LiteX's at each subordinate; the managers' ports are those of the module."""
TESTS = """
import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiBus, AxiMaster, AxiResp


@cocotb.test(timeout_time=200, timeout_unit="us")
async def the_memories_keep_what_is_written(dut):
    Clock(dut.sys_clk, 10, "ns").start()
    dut.sys_rst.value = 1
    await ClockCycles(dut.sys_clk, 4)
    dut.sys_rst.value = 0
    master = AxiMaster(AxiBus.from_prefix(dut, "s_axi_n0"), dut.sys_clk, dut.sys_rst)
    for address, data in ((0x1000, bytes(range(64))), (0x4101, b"unaligned"), (0x8200, bytes(range(99, 139)))):
        assert (await master.write(address, data)).resp == AxiResp.OKAY
    for address, data in ((0x1001, bytes(range(1, 64))), (0x4101, b"unaligned")):
        assert bytes((await master.read(address, len(data))).data) == data
    for address in (0x1200, 0x4200):
        assert bytes((await master.read(address, 40)).data) == bytes(range(99, 139))
    assert (await master.write(0x9000, b"lost")).resp == AxiResp.DECERR
"""


@pytest.fixture(scope="module")
def litex_system(tmp_path_factory, require_package):
    """A bench of a system of LiteX with memories at the subordinates."""
    require_package("litex")
    folder: Path = tmp_path_factory.mktemp("litex")
    (folder / "net.yaml").write_text(json.dumps(CONFIGURATION))
    assert run(["bench", str(folder / "net.yaml"), "--axi4", "-o", str(folder / "mine")]) == 0
    (folder / "mine" / "own").mkdir()
    command = [sys.executable, "-B", "-c", SYSTEM, folder / "mine" / "noc", folder / "mine" / "own" / "system.v"]
    subprocess.run(command, cwd=LITEX_EXAMPLE, check=True)
    (folder / "mine" / "noc_tests.py").write_text(TESTS)
    return folder / "mine"


@pytest.mark.slow
def test_litex_connects_every_port(litex_system):
    instance = (litex_system / "own" / "system.v").read_text()
    for port in json.loads((litex_system / "noc" / "manifest.json").read_text())["ports"]:
        assert instance.count(f".{port['name']} ") == 1, port["name"]


@pytest.mark.slow
def test_memories_of_litex_keep_what_is_written(litex_system, require_tool):
    for name in ("verilator", "make", "c++", "perl"):
        require_tool(name)
    waived = "-Wno-WIDTH -Wno-COMBDLY -Wno-CASEINCOMPLETE -Wno-CASEOVERLAP -CFLAGS -O0"
    assert "PASS=1 FAIL=0" in passes("make", litex_system, EXTRA_ARGS=waived)
