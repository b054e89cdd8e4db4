"""Structures: refused parameters, and their text."""

import pytest

from rtl.generator.structure import Constant, SharedModule, Slice, Structure, width_of
from rtl.generator.structure_verilog import structure_verilog
from rtl.parts.arbiter import RoundRobinArbiter
from rtl.parts.monitor import TransferMonitor

TEXT = """\
module top(
  clk,
  rst,
  valid,
  ready,
  moved
);
  input clk;
  input rst;
  input [2:0] valid;
  input [2:0] ready;
  output [2:0] moved;
  wire [2:0] unused_0;
  wire [2:0] arbiter__chosen;
  wire [4:0] \\release ;
  assign \\release  = {3'h5, valid[1:0]};
  round_robin_arbiter_3 silent (
    .chosen(unused_0),
    .clk(clk),
    .eligible(valid),
    .rst(rst)
  );
  round_robin_arbiter_3 arbiter (
    .chosen(arbiter__chosen),
    .clk(clk),
    .eligible({\\release [4], ready[0], valid[2]}),
    .rst(rst)
  );
  assign moved = arbiter__chosen;
endmodule
"""


def module_of(part):
    return part.module_name, ("clk", "rst")


@pytest.fixture
def structure():
    return Structure(TransferMonitor(3))


@pytest.fixture
def arbiter():
    return SharedModule(lambda: RoundRobinArbiter(3))


def test_text(structure, arbiter):
    valid, ready = structure.ports["valid"], structure.ports["ready"]
    structure.instance("silent", arbiter).connect("eligible", valid)
    instance = structure.instance("arbiter", arbiter)
    keyword = structure.name("release", (Slice(valid, 0, 2), Constant(5, 3)))
    instance.connect("eligible", (Slice(valid, 2, 1), Slice(ready, 0, 1), Slice(keyword, 4, 1)))
    structure.outputs["moved"] = instance.output("chosen")
    assert structure_verilog("top", structure, module_of) == TEXT


def test_width_of_a_concatenation():
    assert width_of((Constant(1, 3), (Constant(0, 4), Constant(0, 5)))) == 12


def test_wrong_width(structure, arbiter):
    instance = structure.instance("arbiter", arbiter)
    with pytest.raises(ValueError, match=r"^Port eligible of arbiter must get 3 bits, not 4$"):
        instance.connect("eligible", Constant(0, 4))


def test_something_open(structure, arbiter):
    instance = structure.instance("arbiter", arbiter)
    with pytest.raises(ValueError, match=r"^Input eligible of arbiter must be connected$"):
        structure_verilog("top", structure, module_of)
    instance.connect("eligible", Constant(0, 3))
    with pytest.raises(ValueError, match=r"^Output moved of top must be connected$"):
        structure_verilog("top", structure, module_of)
