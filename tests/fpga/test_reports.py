"""Readers of tool reports, on small recorded ones."""

import json

import pytest

from fpga.common.area import Area, ReportError, Shortage, read_area, read_shortages
from fpga.common.devices import DEVICES
from fpga.common.timing import Hop, Path, own_name, path_lines, read_timing, readable, with_design_names

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
    with pytest.raises(ReportError, match="Report of Yosys must be JSON"):
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
    with pytest.raises(ReportError, match="Report of nextpnr must be JSON"):
        read_timing(text)


@pytest.mark.parametrize("changes", [{"fmax": {}}, {"critical_paths": []}])
def test_a_design_without_flip_flops_has_no_timing(changes):
    with pytest.raises(ReportError, match="must have a path between flip-flops"):
        read_timing(timing_report(**changes))


@pytest.mark.parametrize(
    ("name", "shown", "own"),
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
