"""Synthesis: subjects, reports of tools, and the reference router against stored figures."""

import dataclasses
import json
import statistics

import pytest

from benchmarks.router_rows import FAR, ROWS, UNICAST, RouterRow, rows, spam_row
from benchmarks.router_table import DEVICE, SEEDS, measured, multicast_costs
from fpga.common import flow
from fpga.common.area import Area, ReportError, Shortage, read_area, read_shortages
from fpga.common.devices import DEVICES
from fpga.common.subject import TOP, network_subject, representative_switches, router_subject
from fpga.common.timing import Hop, Path, Timing, own_name, path_lines, read_timing, readable, with_design_names
from hydranoc.fpga.baseline import find_entry, read_baseline, regressions
from hydranoc.fpga.run import Measurement, tool_versions
from rtl.generator.network import GeneratedDesign
from rtl.spam.network import spam_plan
from tests.each import each
from tests.networks import figure_1
from tests.rtl.simulate import check_accepted
from topology.common.regular import mesh_network
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

ECP5_CELLS = {
    "$scopeinfo": 22,
    "CCU2C": 8,
    "DP16KD": 1,
    "LUT4": 1463,
    "TRELLIS_DPR16X4": 45,
    "TRELLIS_FF": 299,
}
ICE40_CELLS = {"SB_CARRY": 34, "SB_DFFE": 680, "SB_DFFESR": 294, "SB_DFFSR": 5, "SB_LUT4": 2002}
UTILISATION = """
Info: Packing carries..
Info: Device utilisation:
Info: 	         ICESTORM_LC:    6003/   5280   113%
Info: 	        ICESTORM_RAM:       0/     30     0%
Info: 	               SB_IO:       4/     96     4%
ERROR: Unable to place cell 'x', no BELs remaining to implement cell type 'ICESTORM_LC'
"""


def stat(cells: dict[str, int]) -> str:
    return json.dumps({"creator": "Yosys", "modules": {}, "design": {"num_cells": 9, "num_cells_by_type": cells}})


def segment(kind: str, delay: float, source: str, sink: str, net: str | None = None) -> dict:
    ends = {"from": {"cell": source, "port": "Q"}, "to": {"cell": sink, "port": "A"}}
    return {"type": kind, "delay": delay, **ends, **({"net": net} if net else {})}


QUEUE, LUT, VALID = (
    "core.core.queues.older_0_1_TRELLIS_FF_Q",
    "core.core.grant_LUT4_Z_2",
    "core.core.valid_TRELLIS_FF_Q",
)
SLOW = [
    segment("clk-to-q", 0.525, QUEUE, QUEUE),
    segment("routing", 1.5, QUEUE, LUT, "core.core.queues.older_0_1"),
    segment("logic", 0.236, LUT, LUT),
    segment("routing", 0.5, LUT, VALID, "core.core.valid_TRELLIS_FF_Q_DI[3]"),
    segment("setup", 0.25, VALID, VALID),
]
FAST = [segment("clk-to-q", 0.5, QUEUE, QUEUE), segment("routing", 0.1, QUEUE, VALID, "core.core.queues.older_0_1")]
FROM_A_PIN = [segment("source", 0.0, "rst", "rst"), segment("routing", 9.0, "rst", VALID, "rst")]


def timing_report(**changes) -> str:
    report = {
        "fmax": {"clk": {"achieved": 332.1, "constraint": 12.0}},
        "critical_paths": [
            {"from": "<async>", "to": "posedge clk", "path": FROM_A_PIN},
            {"from": "posedge clk", "to": "posedge clk", "path": FAST},
            {"from": "posedge clk", "to": "posedge clk", "path": SLOW},
        ],
        "utilization": {},
    }
    return json.dumps({**report, **changes})


def test_area_on_ecp5():
    area = read_area(stat(ECP5_CELLS), DEVICES["ecp5"])
    cells = {kind: count for kind, count in ECP5_CELLS.items() if kind != "$scopeinfo"}
    assert area == Area(1463 + 2 * 8, 299, {"TRELLIS_DPR16X4": 45, "DP16KD": 1}, cells=cells)
    assert area.memory_cells == 46


def test_area_on_ice40():
    area = read_area(stat(ICE40_CELLS), DEVICES["ice40-hx8k"])
    assert area == Area(2002, 680 + 294 + 5, {"SB_RAM40_4K": 0, "SB_SPRAM256KA": 0}, cells=ICE40_CELLS)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"design": {"num_cells_by_type": {"LUT4": null}}}'])
def test_what_is_no_report_of_yosys(text):
    with pytest.raises(ReportError, match=r"Report of Yosys is .*; it must be JSON"):
        read_area(text, DEVICES["ecp5"])


def test_shortages():
    (shortage,) = read_shortages(UTILISATION)
    assert shortage == Shortage("ICESTORM_LC", 6003, 5280)
    assert str(shortage) == "6,003 ICESTORM_LC, it has 5,280"
    assert read_shortages(UTILISATION.replace("6003", "5280")) == ()


def test_timing():
    timing = read_timing(timing_report())
    assert timing.fmax_mhz == 332.1
    assert timing.path.levels == 1
    assert timing.path.logic_ns == pytest.approx(0.525 + 0.236 + 0.25)
    assert timing.path.routing_ns == pytest.approx(2.0)
    assert [hop.signal for hop in timing.path.hops] == ["queues.older_0_1", "near valid", "valid"]


def test_the_slowest_clock_counts():
    clocks = {"clk": {"achieved": 332.1}, "fast": {"achieved": 500.0}, "slow": {"achieved": 80.0}}
    assert read_timing(timing_report(fmax=clocks)).fmax_mhz == 80.0


def test_path_for_people():
    assert path_lines(read_timing(timing_report()).path) == [
        "     ns   logic  routing  signal",
        "   2.02    0.53     1.50  queues.older_0_1",
        "   2.76    0.24     0.50  near valid",
        "   3.01    0.25     0.00  valid",
    ]


@pytest.mark.parametrize("text", ["", "{}", '{"fmax": {}}', timing_report(critical_paths=[{}])])
def test_what_is_no_report_of_nextpnr(text):
    with pytest.raises(ReportError, match=r"Report of nextpnr is .*; it must be JSON"):
        read_timing(text)


@pytest.mark.parametrize("changes", [{"fmax": {}}, {"critical_paths": []}])
def test_a_design_without_flip_flops_has_no_timing(changes):
    with pytest.raises(ReportError, match="must have a path between flip-flops"):
        read_timing(timing_report(**changes))


@each(
    "name, shown, own",
    [
        ("core.core.queues.granted[3]", "queues.granted[3]", "queues.granted"),
        ("core.core__outputs__1__ready", "outputs__1__ready", "outputs__1__ready"),
        ("core.core.queues.older_0_4_LUT4_A", "near queues.older_0_4", "queues.older_0_4"),
        ("core.links__4__valid_TRELLIS_FF_Q_DI_LUT4_Z_D_LUT4_Z_2_B[3]", "near links__4__valid", "links__4__valid"),
        ("core.core.buffer_1.count_SB_DFFESR_Q_E[1]", "near buffer_1.count", "buffer_1.count"),
        ("core.core.sum_CCU2C_S0_COUT", "near sum", "sum"),
        ("score.valid", "score.valid", "score.valid"),
        ("$abc$1$n5", "$abc$1$n5", "$abc$1$n5"),
    ],
)
def test_names(name, shown, own):
    assert readable(name) == shown
    assert own_name(name) == own


def test_paths_have_the_names_of_switches_and_of_the_source():
    signals = [
        "_00_",
        "router_s1.queues.older_0_1",
        "router_s1.queues._07_[3]",
        "near router_s0._12_",
        "router_s0.load",
    ]
    path = Path(tuple(Hop(signal, 0.1, 0.2) for signal in signals))
    named = with_design_names(path, ("core", "mgmt"))
    assert [hop.signal for hop in named.hops] == [
        "near switch mgmt.queues.older_0_1",
        "switch mgmt.queues.older_0_1",
        "near switch mgmt.queues.older_0_1",
        "near switch mgmt.queues.older_0_1",
        "switch core.load",
    ]
    assert [hop.routing_ns for hop in named.hops] == [0.2] * 5


ALLOWED = 0.05
REFERENCE = "p5-f32-n64-b2"
OTHERS = [row for row in rows() if row.name != REFERENCE]


def hold(row: RouterRow, seeds: int = SEEDS) -> None:
    entry = next((entry for entry in read_baseline() if entry.name == row.name), None)
    assert entry is not None, f"{row.name} is not in the baseline: python -m benchmarks.router_table --store"
    assert find_entry([entry], row.plan, row.switch, DEVICE) == entry
    clocks = entry.fmax_mhz_by_seed[:seeds]
    entry = dataclasses.replace(entry, fmax_mhz=statistics.median(clocks), fmax_mhz_by_seed=clocks)
    found = regressions(measured(row, seeds), entry, ALLOWED)
    tools = tool_versions(DEVICE)
    other = "" if tools == entry.tools else f" (measured with {tools}, baseline with {entry.tools})"
    assert not found, f"{row.name}: {'; '.join(found)}{other}"


@pytest.mark.slow
def test_the_reference_router_has_not_become_worse(require_tool):
    for tool in ("yosys", DEVICE.place_and_route):
        require_tool(tool)
    hold(spam_row(), 1)


@pytest.mark.slow
@pytest.mark.parametrize("row", OTHERS)
def test_no_other_router_has_become_worse(row, require_tool):
    for tool in ("yosys", DEVICE.place_and_route):
        require_tool(tool)
    hold(row)


def test_the_baseline_has_three_seeds_of_every_row():
    entries = {entry.name: entry for entry in read_baseline()}
    assert entries.keys() == {row.name for row in rows()}
    assert all(len(entry.fmax_mhz_by_seed) == SEEDS for entry in entries.values())


@each("row", ROWS["spam"])
def test_a_row_is_the_router_that_its_name_says(row: RouterRow):
    plan, switch = row.plan, row.switch
    ports, nodes = len(plan.network.input_channel[switch]), len(plan.network.processors)
    far = FAR if switch != plan.parameters["root"] else ""
    unicast = "" if "reach" in plan.routers[switch].constants else UNICAST
    buffer_flits = plan.parameters["buffer_flits"]
    assert row.name == f"p{ports}-f{plan.flit_bits}-n{nodes}-b{buffer_flits}{far}{unicast}"


@each("row", ROWS["min"])
def test_a_row_is_the_switch_that_its_name_says(row: RouterRow):
    plan, switch = row.plan, row.switch
    ports = len(plan.network.input_channel[switch])
    assert len(plan.network.output_channel[switch]) == ports
    kind, radix = ("bi", ports // 2) if "-bi" in row.name else ("uni", ports)
    constants = plan.routers[switch].constants
    unicast = "" if "reach" in constants else UNICAST
    buffer_flits = plan.parameters["buffer_flits"]
    assert row.name == f"min-{kind}{radix}-f{plan.flit_bits}-n{len(plan.network.processors)}-b{buffer_flits}{unicast}"
    assert ("release_flits" in constants) == (not unicast)


@each("row", ROWS["torus"])
def test_a_row_is_the_switch_of_a_torus_that_its_name_says(row: RouterRow):
    plan, router = row.plan, row.plan.shapes[row.plan.routers[row.switch].shape]()
    parameters = plan.parameters
    grid = plan.network.grid
    sizes = f"torus-{grid.rows}x{grid.columns}-l{parameters['lanes']}-b{parameters['buffer_flits']}-f{plan.flit_bits}"
    assert row.name.startswith(f"{sizes}-r{parameters['routing_cycles']}")
    assert router.shape.inputs == router.shape.outputs == 5
    assert (parameters["lane_reuse"] == "empty") == row.name.endswith("-empty")
    assert (parameters["injection_priority"] == "low") == row.name.endswith("-low")
    assert (parameters["lane_rule"] == "dateline") == row.name.endswith("-dateline")


def test_rows_have_names_of_their_own():
    assert len({row.name for row in rows()}) == len(rows())
    assert ROWS["spam"][0].name == REFERENCE


def test_multicast_costs_are_differences():
    def found(row: RouterRow, lut4: int, mhz: float) -> Measurement:
        subject = router_subject(row.plan, row.switch)
        return Measurement(subject, Area(lut4, 300, {"TRELLIS_DPR16X4": 40}), (Timing(mhz, Path(())),))

    small = spam_row(nodes=16)
    figures = {
        small.name: found(small, 1200, 100.0),
        f"{small.name}-unicast": found(spam_row(nodes=16, multicast=False), 1000, 110.0),
        "p3": found(spam_row(ports=3), 500, 90.0),
    }
    assert multicast_costs(figures) == ["multicast in p5-f32-n16-b2: +200 LUT4 (+20%), +0 FF, +0 RAM, -10.0 MHz"]


TIMED = [device for device in DEVICES.values() if device.has_clock]


def plan_of(network, **settings):
    return spam_plan(SpamRouting(SpamLabels(network), 16), **settings)


def test_one_switch_per_shape_and_the_root_for_its_own():
    plan = plan_of(mesh_network((4, 4)))
    root = plan.parameters["root"]
    chosen = representative_switches(plan)
    assert list(chosen) == ["spam_router_p3", "spam_router_p4", "spam_router_p5"]
    assert chosen["spam_router_p5"] == root
    for shape, switch in chosen.items():
        assert plan.routers[switch].shape == shape

    def ones(switch: int) -> int:
        return sum(value.bit_count() for value in plan.routers[switch].constants.values())

    for switch, instance in enumerate(plan.routers):
        if instance.shape != "spam_router_p5":
            assert ones(switch) <= ones(chosen[instance.shape])


@pytest.mark.parametrize("switch", [-1, 6])
def test_a_switch_that_is_not_there(switch):
    with pytest.raises(ValueError, match=f"Switch is {switch}; it must be 0 to 5"):
        router_subject(plan_of(figure_1()), switch)


@pytest.mark.parametrize("device", ["ecp5", "ice40-hx8k"])
@pytest.mark.parametrize("whole", [False, True])
def test_the_verilog_is_clean(device, whole, require_tool, tmp_path):
    plan = plan_of(figure_1())
    subject = network_subject(plan) if whole else router_subject(plan, 3)
    made = GeneratedDesign("design", {}, {"design.v": subject.verilog(DEVICES[device])})
    check_accepted(made, require_tool, tmp_path, ["verilator"], TOP)
    assert f"module {subject.module}(" in made.files["design.v"]


@pytest.mark.parametrize("device", TIMED, ids=lambda device: device.name)
def test_scripts_name_files_without_a_path(device):
    script = flow.synthesis_script(device, "router", TOP)
    assert f"{device.synthesis} -top router\n" in script
    assert script.index("-top router") < script.index("design -reset") < script.index(f"-top {TOP}")
    arguments = flow.place_and_route_arguments(device, 7)
    assert arguments[arguments.index("--seed") + 1] == "7"
    assert "/" not in script + "".join(arguments)
    build = flow.build_script(device, [1, 7])
    assert build.count(f"\n{device.place_and_route} ") == 2
    assert "--seed 7 " in build


def test_whole_networks_have_options_of_their_own():
    device = DEVICES["ecp5"]
    usual, network = (flow.place_and_route_arguments(device, 1, network=whole) for whole in (False, True))
    assert "router2" not in usual
    assert network[network.index("--router") + 1] == "router2"
    assert "--router router2" in flow.build_script(device, [1], network=True)
