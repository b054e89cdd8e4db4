"""Modules that are compiled once: simulators with and without them show the same."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from hydranoc import load
from hydranoc.lockstep import block_build
from hydranoc.lockstep.blocks import Port, VerilogModules, blocks_of, calls, network_with_calls, wrapper
from hydranoc.lockstep.compare import Comparison, compare_network
from hydranoc.lockstep.simulator import BenchSource, NotFromRegisters, build_simulator, run_bench

PART = """module part(clk, added, i, o);
  input clk;
  wire clk;
  input [79:0] added;
  wire [79:0] added;
  input [79:0] i;
  wire [79:0] i;
  output [79:0] o;
  reg [79:0] o;
  always @(posedge clk) o <= i + added;
endmodule
"""
TOP = """module top(clk, given, seen);
  input clk;
  input [79:0] given;
  output [79:0] seen;
  wire [79:0] between;
  part first (
    .added(80'h00010000000000000000),
    .clk(clk),
    .i(given),
    .o(between)
  );
  part second (
    .added(80'h00000000000000000005),
    .clk(clk),
    .i(between),
    .o(seen)
  );
endmodule
"""
MESH = """network:
  family: torus
  topology: {kind: mesh, rows: 2, columns: 3}
  flit_bits: 32
traffic: {kind: random, seed: 3, cycles: 400, messages_per_node_per_cycle: 0.02, flits: 6}
"""
CYCLES = 500


def source(verilog: str) -> BenchSource:
    return BenchSource("top", verilog, ("clk", "given"), ("seen",), ("part",), block_build.BLOCKS_FROM_ROUTERS)


def test_ports_that_are_tied_everywhere_are_constants():
    modules = VerilogModules(PART + TOP)
    (block,) = blocks_of(modules, "top", ["part"])
    assert block.constants == [Port("added", 80, True)]
    assert (block.inputs, block.outputs) == ([Port("i", 80, True)], [Port("o", 80, False)])
    called = network_with_calls(modules, "top", [block])
    assert "always @(posedge clk) o <= i + added" not in called
    assert "always @(posedge clk) o <= i + added" in wrapper(block)
    assert called.endswith(TOP)
    assert calls(block).count("model->eval()") == 3
    loose = VerilogModules(PART + TOP.replace("80'h00000000000000000005", "between"))
    assert not blocks_of(loose, "top", ["part"])[0].constants


def run(verilog: str, folder: Path, monkeypatch) -> None:
    monkeypatch.setenv("HYDRANOC_CACHE", str(folder / "cache"))
    built = build_simulator(source(verilog), "verilator", waves=False)
    assert (built.folder / "bench.v").read_text().count("_step(") == 2
    run_bench(built, "tests.tb.block_bench", {}, folder)


def test_blocks_give_what_their_modules_give(tmp_path, monkeypatch, require_tool):
    require_tool("verilator")
    run(PART + TOP, tmp_path, monkeypatch)


def test_outputs_that_depend_on_inputs_within_a_cycle_end_the_run(tmp_path, monkeypatch, require_tool):
    require_tool("verilator")
    through = PART.replace("output [79:0] o;\n  reg", "output [79:0] o;\n  wire")
    through = through.replace("always @(posedge clk) o <=", "assign o =")
    with pytest.raises(NotFromRegisters, match="module part: outputs depend on inputs within a cycle"):
        run(through + TOP, tmp_path, monkeypatch)


def compared(verilog, design, harness, folder: Path, cycles: int = CYCLES):
    job = Comparison(design.model, design.messages, 0, cycles, replace(harness, verilog=verilog))
    return compare_network(job, "verilator", folder).result


@pytest.mark.slow
def test_a_fault_of_one_router_among_blocks_is_reported_by_name(tmp_path, monkeypatch, require_tool):
    """The router uses its neighbour's number, so a worm that is to turn there goes on or leaves."""
    require_tool("verilator")
    monkeypatch.setattr(block_build, "BLOCKS_FROM_ROUTERS", 1)
    (tmp_path / "mesh.yaml").write_text(MESH)
    design = load(tmp_path / "mesh.yaml")
    harness = design.harness()
    sound = compared(harness.verilog, design, harness, tmp_path)
    assert (sound.compared_cycles, sound.mismatches) == (CYCLES, 0)
    faulty = compared(with_other_column(harness.verilog, "router_s4"), design, harness, tmp_path)
    assert faulty.mismatches == 1
    assert "s4->" in faulty.report


def with_other_column(verilog: str, router: str) -> str:
    """Verilog in which one router has the column number 0."""
    before, found, rest = verilog.partition(f" {router} (\n")
    pins, end, after = rest.partition(");\n")
    altered, columns = re.subn(r"\.column\((\d+)'h\w+\)", r".column(\1'h0)", pins)
    assert found
    assert columns == 1
    return before + found + altered + end + after
