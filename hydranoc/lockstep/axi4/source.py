"""Verilog of networks with AXI4 ends for lock-step: all inputs in one port, and all outputs in another."""

from hydranoc.lockstep.axi4.fields import Axi4Fields
from hydranoc.lockstep.bench_source import BenchSource
from hydranoc.lockstep.rows.benches import GIVEN
from rtl.axi4.network import Axi4Plan, Axi4Top
from rtl.generator.verilog import ModuleLibrary

TOP, NETWORK = "axi4_bench", "noc"


def axi4_source(plan: Axi4Plan) -> BenchSource:
    """Return networks with AXI4 ends as Verilog for a lock-step bench with the ports ``clk``, ``given``, ``observed``.

    Parameters:
        plan
    """
    library = ModuleLibrary(prefix=f"{NETWORK}_")
    library.add(Axi4Top(plan, moved=True), NETWORK)
    text = library.verilog() + "\n" + _top(Axi4Fields(plan))
    return BenchSource(top=TOP, verilog=text, public_inputs=("clk", GIVEN), public_outputs=("observed",))


def _top(fields: Axi4Fields) -> str:
    wires = "".join(f"  wire [{bits - 1}:0] {name};\n" for name, bits in fields.observed)
    pins, low = [".clk(clk)", *(f".{name}({name})" for name, _ in fields.observed)], 0
    for name, bits in fields.inputs:
        pins.append(f".{name}({GIVEN}[{low + bits - 1}:{low}])")
        low += bits
    bits = sum(width for _, width in fields.observed)
    connections, seen = (
        ",\n    ".join(pins),
        ",\n    ".join(_seen(fields, *field) for field in reversed(fields.observed)),
    )
    return f"""\
module {TOP}(clk, {GIVEN}, observed);
  input clk;
  input [{low - 1}:0] {GIVEN};
  output [{bits - 1}:0] observed;
{wires}  {NETWORK} dut (
    {connections}
  );
  assign observed = {{
    {seen}
  }};
endmodule
"""


def _seen(fields: Axi4Fields, name: str, bits: int) -> str:
    """Return an output; a payload is 0 without ``valid``."""
    return f"({{{bits}{{{fields.valid[name]}}}}} & {name})" if name in fields.valid else name
