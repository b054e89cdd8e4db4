"""A generated network beside files of other projects: their lint warnings are shown, and ours adds none."""

import pytest

from tests.rtl.programs import call
from tests.rtl.test_verilog import design

# a library with a fault of each kind that was once switched off for all files
FOREIGN = """\
`timescale 1ns / 1ps
module foreign(
  input wire clk, input wire rst, input wire [7:0] \\_1_ ,
  input wire [3:0] number, output reg [3:0] count, output wire one
);
  reg [3:0] state = 4'h0;
  wire _0_;
  assign _0_ = number[0];
  assign one = !number;
  always @(posedge clk) state <= state + 4'h1;
  always @*
    casez (state)
      4'b???1: count = 4'h1;
      4'b??1?: count = {3'h0, number == 1'h1};
      default: count = 4'h0;
    endcase
endmodule
"""
FAULTS = {"CASEOVERLAP", "DECLFILENAME", "PROCASSINIT", "UNUSEDSIGNAL", "WIDTHEXPAND", "WIDTHTRUNC"}


def kinds(text: str) -> list[str]:
    """Kinds of the warnings in Verilator's output."""
    return [line.split(":")[0].removeprefix("%Warning-") for line in text.splitlines() if line.startswith("%Warning-")]


@pytest.fixture(scope="module")
def network():
    return design("fast").files


@pytest.mark.parametrize("control", [[], ["noc.vlt"]], ids=["bare", "with-control-file"])
@pytest.mark.parametrize("order", [("noc.v", "library.v"), ("library.v", "noc.v")], ids=["before", "behind"])
def test_all_faults_of_a_foreign_file_are_shown(network, order, control, require_tool, tmp_path):
    for name, text in {**network, "library.v": FOREIGN}.items():
        (tmp_path / name).write_text(text)
    tops = ["--lint-only", "-Wall", "-Wno-fatal", "-Wno-MULTITOP"]
    shown = call(require_tool("verilator"), [*tops, *control, *order], tmp_path)
    assert {kind for kind in kinds(shown) if kind != "MULTITOP"} == FAULTS
    assert not [line for line in shown.splitlines() if line.startswith("%Warning") and "noc.v:" in line]


def test_a_library_with_a_timescale_does_not_miss_one_here(network, require_tool, tmp_path):
    (tmp_path / "noc.v").write_text(network["noc.v"])
    (tmp_path / "other.v").write_text("`timescale 1ns / 1ps\nmodule other;\nendmodule\n")
    arguments = ["--lint-only", "-Wall", "-Wno-MULTITOP", "other.v", "noc.v"]
    assert "TIMESCALEMOD" not in call(require_tool("verilator"), arguments, tmp_path)


def test_the_head_switches_nothing_off_but_for_its_own_file(network):
    text = network["noc.v"]
    assert [line for line in text.splitlines() if "lint_off" in line] == ["/* verilator lint_off DECLFILENAME */"]
    assert [line for line in text.splitlines() if line.startswith("`")] == ["`timescale 1ns / 1ps"]
    assert "lint_off" not in network["noc.vlt"]
