"""Verilog of a plane for lock-step: all inputs in one port."""

from hydranoc.lockstep.bench_source import BenchSource
from hydranoc.lockstep.plane.fields import PlaneFields
from rtl.collectives.endpoint import PlaneEndpoint
from rtl.collectives.generate import generate_plane
from rtl.collectives.plan import PlanePlan, make_switch

TOP, PLANE = "plane_bench", "plane"
GIVEN = "given"


def plane_source(plan: PlanePlan, verilog: str | None = None) -> BenchSource:
    """Return a plane as Verilog for a lock-step bench.

    Its top has the ports ``clk``, ``given`` (all inputs of the plane) and ``observed``.

    Parameters:
        plan
        verilog: Of the plane with its observed fields, if it is another than that of the plan.
    """
    text = verilog or generate_plane(plan, PLANE, observes=True).files[f"{PLANE}.v"]
    plane = plan.parameters
    ends = [] if plane.barriers_only else [PlaneEndpoint(plane)]
    parts = [*(make_switch(shape) for shape in plan.shapes.values()), *ends]
    return BenchSource(
        top=TOP,
        verilog=text + "\n" + _top(PlaneFields(plan)),
        public_inputs=("clk", GIVEN),
        public_outputs=("observed",),
        shapes=tuple(dict.fromkeys(f"{PLANE}_{part.module_name}" for part in parts)),
        routers=len(plan.tree.switches),
    )


def _top(fields: PlaneFields) -> str:
    pins, low = [".clk(clk)", ".observed(observed)"], 0
    for name, bits in fields.ports:
        pins.append(f".{name}({GIVEN}[{low + bits - 1}:{low}])")
        low += bits
    connections = ",\n    ".join(pins)
    return f"""\
module {TOP}(clk, {GIVEN}, observed);
  input clk;
  input [{low - 1}:0] {GIVEN};
  output [{fields.observed_packing.bits - 1}:0] observed;
  {PLANE} dut (
    {connections}
  );
endmodule
"""
