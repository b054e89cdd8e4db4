"""A cycle of a block as one C++ function: it does what Verilator's evaluation does, without values of no use."""

import re
from pathlib import Path

import numpy as np
import pytest

from hydranoc.lockstep import block_build
from hydranoc.lockstep.bench_source import BenchSource, NotFromRegisters
from hydranoc.lockstep.direct import build as build_module
from hydranoc.lockstep.direct.build import build_directly
from hydranoc.lockstep.direct.cycle import cycle_function
from hydranoc.lockstep.direct.process import DirectBench

MIXING = """module part(clk, i, o);
  input clk;
  wire clk;
  input [7:0] i;
  wire [7:0] i;
  output [7:0] o;
  reg [7:0] o = 8'h00;
  reg [7:0] state = 8'h00;
  wire [7:0] mixed;
  assign mixed = (state * 8'h07) ^ i;
  always @(posedge clk) o <= {mixed[3:0], mixed[7:4]} + mixed;
  always @(posedge clk) if (mixed[0]) state <= mixed;
endmodule
"""
MIXING_TOP = """module top(clk, given, observed);
  input clk;
  input [7:0] given;
  output [15:0] observed;
  part first (
    .clk(clk),
    .i(given),
    .o(observed[7:0])
  );
  part second (
    .clk(clk),
    .i(observed[7:0]),
    .o(observed[15:8])
  );
endmodule
"""


class Mixing:
    """Model of ``MIXING``."""

    def __init__(self):
        self.state, self.output = 0, 0

    def step(self, given: int) -> None:
        mixed = (7 * self.state & 0xFF) ^ given
        self.output = ((mixed << 4 | mixed >> 4) + mixed) & 0xFF
        self.state = mixed if mixed & 1 else self.state


def mixing(part: str) -> BenchSource:
    routers = block_build.BLOCKS_FROM_ROUTERS
    return BenchSource("top", part + MIXING_TOP, ("clk", "given"), ("observed",), ("part",), routers)


@pytest.mark.parametrize("default", ["", "-std=gnu++14"])
def test_a_cycle_of_a_block_is_one_function_without_values_that_are_out_of_date(
    default, tmp_path, monkeypatch, require_tool
):
    """Also by compilers whose default is an older C++, as that of clang 14."""
    require_tool("verilator")
    monkeypatch.setenv("HYDRANOC_CACHE", str(tmp_path))
    monkeypatch.setenv("MAKEFLAGS", f"CXX=c++\\ {default}")
    functions = []

    def kept(folder, prefix):
        functions.append(cycle_function(folder, prefix))
        return functions[-1]

    monkeypatch.setattr(build_module, "cycle_function", kept)
    source = mixing(MIXING)
    given = np.random.default_rng(3).integers(0, 256, (200, 1)).astype(np.uint8)
    first, second, expected = Mixing(), Mixing(), np.zeros((200, 2), np.uint8)
    for row, (value,) in enumerate(given):
        expected[row] = first.output, second.output
        second.step(first.output)
        first.step(int(value))
    with DirectBench(source, build_directly(source)) as bench:
        assert bench.row_bytes == 2
        assert bench.run_rows("given", given, expected) is None
    (function,) = functions
    assert function is not None
    assert re.search(r"CData/\*7:0\*/ block_part__DOT__compiled__DOT__mixed;", function)
    assert "vlSelfRef.block_part__DOT__compiled__DOT__state" in function
    assert "vlSelfRef.block_part__DOT__compiled__DOT__mixed" not in function


def test_outputs_that_depend_on_inputs_end_the_run(tmp_path, monkeypatch, require_tool):
    require_tool("verilator")
    monkeypatch.setenv("HYDRANOC_CACHE", str(tmp_path))
    through = MIXING.replace("  reg [7:0] o = 8'h00;\n", "  wire [7:0] o;\n  assign o = mixed;\n")
    through = re.sub(r"  always .* o <= .*\n", "", through)
    source = mixing(through)
    with DirectBench(source, build_directly(source)) as bench, pytest.raises(NotFromRegisters, match="module part"):
        bench.run_rows("given", np.arange(20, dtype=np.uint8).reshape(20, 1), np.zeros((20, 2), np.uint8))


ROOT = "Vb___024root"


def evaluated(step: str) -> str:
    """Function that calls a step."""
    return f"""void {ROOT}___eval_{step}({ROOT}* vlSelf) {{
    auto& vlSelfRef = std::ref(*vlSelf).get();
    // Body
    if ((1ULL & vlSelfRef.__V{step}Triggered[0U])) {{
        {ROOT}___{step}_sequent__TOP__0(vlSelf);
    }}
}}
"""


STEPS = f"""#include "Vb__pch.h"
void {ROOT}___ico_sequent__TOP__0({ROOT}* vlSelf) {{
    auto& vlSelfRef = std::ref(*vlSelf).get();
    // Body
    vlSelfRef.mixed = (vlSelfRef.state ^ vlSelfRef.i0);
    if (vlSelfRef.mixed) {{
        vlSelfRef.sometimes = 1U;
    }}
    vlSelfRef.again = (1U + vlSelfRef.again);
    vlSelfRef.shown = vlSelfRef.i0;
    vlSelfRef.o0 = vlSelfRef.i0;
}}
{evaluated("ico")}void {ROOT}___nba_sequent__TOP__0({ROOT}* vlSelf) {{
    auto& vlSelfRef = std::ref(*vlSelf).get();
    // Body
    vlSelfRef.state = vlSelfRef.mixed;
    vlSelfRef.mixed = (vlSelfRef.state ^ vlSelfRef.i0);
}}
{evaluated("nba")}void {ROOT}___eval_other({ROOT}* vlSelf) {{
    auto& vlSelfRef = std::ref(*vlSelf).get();
    // Body
    vlSelfRef.other = vlSelfRef.shown;
}}
"""
MEMBERS = "    VL_IN8(i0,7,0);\n    VL_OUT8(o0,7,0);\n" + "".join(
    f"    CData/*7:0*/ {name};\n" for name in ("mixed", "sometimes", "again", "shown", "other", "state")
)


def function_of(folder: Path, steps: str) -> str | None:
    (folder / f"{ROOT}__0.cpp").write_text(steps)
    (folder / f"{ROOT}.h").write_text(MEMBERS)
    return cycle_function(folder, "Vb")


def test_only_values_that_are_overwritten_in_all_cases_and_seen_by_no_one_else_are_local(tmp_path):
    function = function_of(tmp_path, STEPS)
    assert function is not None
    assert re.findall(r"(?m)^    CData/\*7:0\*/ (\w+);", function) == ["mixed"]
    assert function.count("vlSelfRef.state") == 3


@pytest.mark.parametrize(
    ("found", "other"),
    [
        (f"        {ROOT}___nba_sequent__TOP__0(vlSelf);\n", f"        {ROOT}_part___nba_sequent(vlSymsp->part);\n"),
        (f"        {ROOT}___nba_sequent__TOP__0(vlSelf);\n", "        vlSelfRef.state = vlSelfRef.mixed;\n"),
        ("vlSelfRef.state = vlSelfRef.mixed", "vlSelfRef.state = vlSelfRef.__VnbaTriggered[0U]"),
        ("vlSelfRef.state = vlSelfRef.mixed", f"{ROOT}___part(vlSelf)"),
        ("    // Body\n    vlSelfRef.state", "    CData/*7:0*/ mixed;\n    // Body\n    vlSelfRef.state"),
        ("1ULL & vlSelfRef.__VicoTriggered", "2ULL & vlSelfRef.__VicoTriggered"),
        ("__TOP__0(vlSelf);\n    }\n", "__TOP__0(vlSelf);\n    }\n    vlSelfRef.state = 0U;\n"),
    ],
)
def test_code_of_another_structure_is_evaluated_as_it_is(tmp_path, found, other):
    assert found in STEPS
    assert function_of(tmp_path, STEPS.replace(found, other)) is None
