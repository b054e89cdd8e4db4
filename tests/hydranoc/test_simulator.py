"""What decides how a simulator is built."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from hydranoc import load
from hydranoc.lockstep.simulator import (
    HIERARCHICAL_FROM_BYTES,
    HIERARCHICAL_FROM_ROUTERS,
    BenchSource,
    build_simulator,
    instantiated_bytes,
    is_large,
)

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
    return BenchSource("top", verilog, (), (), routers=routers)


@pytest.mark.parametrize("order", [(PART, PAIR, TOP), (TOP, PAIR, PART)])
def test_modules_count_as_often_as_they_are_instantiated(order):
    own = {text: len(text) - len(text.split("(")[0]) for text in (PART, PAIR, TOP)}
    assert instantiated_bytes(source("".join(order))) == own[TOP] + own[PAIR] + 3 * own[PART]


def test_all_routers_of_a_network_count():
    design = load(EXAMPLES / "harts.yaml")
    harness = design.harness()
    assert instantiated_bytes(harness) > 10 * len(harness.verilog)
    assert not is_large(harness)
    assert is_large(replace(harness, routers=HIERARCHICAL_FROM_ROUTERS))


def test_much_verilog_in_few_routers_is_large():
    long = PART.replace("endmodule", "  // " + "x" * (HIERARCHICAL_FROM_BYTES // 3) + "\nendmodule")
    assert is_large(source(long + PAIR + TOP))
    assert not is_large(source(long + PAIR + TOP.replace("pair both", "part both")))


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
