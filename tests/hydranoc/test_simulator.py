"""Choice of the way a simulator is built."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from hydranoc import load
from hydranoc.lockstep.bench_source import BenchSource
from hydranoc.lockstep.block_choice import BLOCKS_FROM_BYTES, BLOCKS_FROM_ROUTERS, WHOLE_WAVES_ROUTERS, has_blocks
from hydranoc.lockstep.simulator import build_simulator
from hydranoc.lockstep.verilog_modules import VerilogModules

PART = """module part(clk);
  input clk;
endmodule
"""
PAIR = """module pair(clk);
  input clk;
  part first (
    .clk(clk)
  );
  part second (
    .clk(clk)
  );
endmodule
"""
TOP = """module top(clk);
  input clk;
  pair both (
    .clk(clk)
  );
  part third (
    .clk(clk)
  );
endmodule
"""
EXAMPLES = Path(__file__).parents[2] / "examples"


def source(verilog: str, routers: int = 1) -> BenchSource:
    return BenchSource("top", verilog, (), (), ("part",), routers)


def instantiated_bytes(source: BenchSource) -> int:
    return VerilogModules(source.verilog).instantiated_bytes(source.top)


@pytest.mark.parametrize("order", [(PART, PAIR, TOP), (TOP, PAIR, PART)])
def test_modules_count_as_often_as_they_are_instantiated(order):
    own = {text: len(text) for text in (PART, PAIR, TOP)}
    assert instantiated_bytes(source("".join(order))) == own[TOP] + own[PAIR] + 3 * own[PART]


def test_all_routers_of_a_network_count():
    design = load(EXAMPLES / "harts.yaml")
    harness = design.harness()
    assert instantiated_bytes(harness) > 10 * len(harness.verilog)
    assert not has_blocks(harness, waves=False)
    assert has_blocks(replace(harness, routers=BLOCKS_FROM_ROUTERS), waves=False)


def test_much_verilog_in_few_routers_is_compiled_in_blocks():
    long = PART.replace("endmodule", "  // " + "x" * (BLOCKS_FROM_BYTES // 3) + "\nendmodule")
    assert has_blocks(source(long + PAIR + TOP), waves=False)
    assert not has_blocks(source(long + PAIR + TOP.replace("pair both", "part both")), waves=False)


def test_waveforms_show_the_insides_of_routers_unless_there_are_very_many():
    assert not has_blocks(source(PART + PAIR + TOP, WHOLE_WAVES_ROUTERS), waves=True)
    assert has_blocks(source(PART + PAIR + TOP, WHOLE_WAVES_ROUTERS + 1), waves=True)


def test_builds_need_no_program_called_python(tmp_path, monkeypatch, require_tool):
    """Debian has python3 only, and small designs make Verilator's makefile call Python."""
    require_tool("verilator")
    useless = tmp_path / "bin" / "python"
    useless.parent.mkdir()
    useless.write_text("#!/bin/sh\nexit 127\n")
    useless.chmod(0o755)
    monkeypatch.setenv("HYDRANOC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{useless.parent}{os.pathsep}{os.environ['PATH']}")
    built = build_simulator(source(PART + PAIR + TOP), "verilator", waves=False)
    assert (built.folder / "top").exists()
