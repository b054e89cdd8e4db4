"""Changes to a netlist for lint preserve its function: proved by Yosys for every kind of cell that they change."""

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Module, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from rtl.generator.rtlil import operators
from rtl.generator.rtlil.netlist import read_modules
from rtl.generator.rtlil.yosys import verilog_of
from tests.rtl.programs import call

PROOF = """
read_rtlil gold.il
proc
rename top gold
design -stash gold
read_verilog gate.v
proc
rename top gate
design -stash gate
design -copy-from gold -as gold gold
design -copy-from gate -as gate gate
miter -equiv -flatten -make_assert gold gate miter
sat -verify -prove-asserts miter
"""


class Specimen(wiring.Component):
    """Comparisons and sums of all widths and signs, selections, and bits that nothing reads."""

    wide: In(6)
    narrow: In(3)
    signed_wide: In(signed(5))
    signed_narrow: In(signed(2))
    choice: In(3)
    compared: Out(12)
    total: Out(3)
    chosen: Out(6)
    some: Out(2)
    counted: Out(2)

    def elaborate(self, _platform):
        m = Module()
        pairs = [(self.wide, self.narrow), (self.signed_wide, self.signed_narrow)]
        results = [result for a, b in pairs for result in (a == b, a != b, a < b, a <= b, a > b, a >= b)]
        for bit, result in zip(self.compared, results, strict=True):
            m.d.comb += bit.eq(result)
        both = Signal(6)
        m.d.comb += [both.eq((self.wide + self.narrow)[:6]), self.total.eq(both - self.signed_narrow)]
        with m.Switch(self.choice):
            with m.Case(0):
                m.d.comb += self.chosen.eq(self.wide)
            with m.Case(2, 3):
                m.d.comb += self.chosen.eq(self.narrow)
            with m.Case(5):
                m.d.comb += self.chosen.eq(self.signed_wide)
            with m.Default():
                m.d.comb += self.chosen.eq(0b101101)
        masked, count = Signal(6), Signal(4)
        with m.If(self.narrow == 0):
            m.d.comb += masked.eq(self.wide & ~self.chosen)
        m.d.comb += self.some.eq(masked[2:4])
        m.d.comb += count.eq(self.signed_wide - self.narrow)
        m.d.comb += self.counted.eq(count[1:3])
        return m


@pytest.fixture(scope="module")
def netlist():
    return rtlil.convert(Specimen(), name="top", emit_src=False)


def proof(netlist, folder, tool):
    (folder / "gold.il").write_text(netlist)
    (folder / "gate.v").write_text(verilog_of(netlist, {}))
    (folder / "proof.ys").write_text(PROOF)
    return call(tool, ["-q", "proof.ys"], folder)


def test_the_function_is_the_same(netlist, require_tool, tmp_path):
    proof(netlist, tmp_path, require_tool("yosys"))


def test_a_wrong_extension_is_seen(netlist, require_tool, tmp_path, monkeypatch):
    monkeypatch.setattr(operators, "select", lambda *range_: ["1" * range_[-1]])
    with pytest.raises(AssertionError):
        proof(netlist, tmp_path, require_tool("yosys"))


def test_lint_of_the_specimen(netlist, require_tool, tmp_path):
    (tmp_path / "top.v").write_text(verilog_of(netlist, {}))
    call(require_tool("verilator"), ["--lint-only", "-Wall", "top.v"], tmp_path)


def test_what_yosys_writes_is_read_and_written_alike():
    text = """\
module \\top
  wire width 8 input 1 \\a
  wire width 8 output 2 \\y
  wire $1
  cell $not $2
    parameter \\A_SIGNED 0
    parameter \\A_WIDTH 4
    parameter \\Y_WIDTH 1
    connect \\A { \\a [7:6] 2'x0 }
    connect \\Y $1
  end
  connect \\y { \\a [0] 6'001001 $1 }
end
"""
    [module] = read_modules(text)
    assert "\n".join(module.text()) + "\n" == text


def test_other_lines_are_refused():
    with pytest.raises(ValueError, match="must have modules of wires, cells and connections, not '  memory size 4"):
        read_modules("module \\top\n  memory size 4 \\words\nend\n")
