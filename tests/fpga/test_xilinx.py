"""Xilinx 7: cell counts of synthesis, compared with its netlist; no clock constraint, as every report states."""

import json
import re
from collections import Counter

import pytest

from fpga.common import flow
from fpga.common.area import Area, read_area
from fpga.common.devices import DEVICES, NO_CLOCK
from fpga.common.subject import TOP, router_subject
from hydranoc import load
from hydranoc.cli import run
from tests.rtl.programs import call

XC7 = DEVICES["xc7"]
TWO = """network:
  family: spam
  topology: {switches: 2, edges: [[0, 1]], processors: [0, 1]}
  flit_bits: 16
  buffer_flits: FLITS
"""
SHALLOW, DEEP = 4, 300  # flits of a buffer in LUTs, and of one in block memory behind a front in LUTs
LUTS_OF_MEMORIES = {"RAM32M": 4, "RAM64M": 4, "RAM64X1S": 1, "RAM64X1D": 2, "SRL16E": 1, "SRLC32E": 1}
BLOCK_MEMORIES = {"RAMB18E1", "RAMB36E1"}
NOT_COUNTED = {"CARRY4", "MUXF7", "MUXF8"}


@pytest.fixture
def configuration(tmp_path):
    def written(buffer_flits: int = SHALLOW) -> str:
        path = tmp_path / "two.yaml"
        path.write_text(TWO.replace("FLITS", str(buffer_flits)))
        return str(path)

    return written


def cells_of(netlist: str) -> list[dict]:
    """All cells of the top module, which is flat; those of other modules are models of the device's cells."""
    modules = json.loads(netlist)["modules"].values()
    (top,) = (module for module in modules if int(module["attributes"].get("top", "0"), 2))
    return [cell for cell in top["cells"].values() if cell["type"] != "$scopeinfo"]


def recount(netlist: str) -> dict[str, int]:
    """LUTs, flip-flops and memories, cell by cell; a cell of an unknown kind is an error."""
    counts = Counter()
    for cell in cells_of(netlist):
        kind = cell["type"]
        if lut := re.fullmatch(r"LUT([1-6])", kind):
            assert len([pin for pin in cell["connections"] if re.fullmatch(r"I\d", pin)]) == int(lut[1])
            counts["logic_luts"] += 1
        elif kind == "INV":
            counts["logic_luts"] += 1
        elif kind in ("FDRE", "FDSE", "FDCE", "FDPE"):
            counts["flip_flops"] += 1
        elif kind in LUTS_OF_MEMORIES:
            counts["memory_luts"] += LUTS_OF_MEMORIES[kind]
        elif kind in BLOCK_MEMORIES:
            counts["block_memories"] += 1
        else:
            assert kind in NOT_COUNTED, kind
    return counts


@pytest.mark.parametrize("buffer_flits", [SHALLOW, DEEP])
def test_counts_are_those_of_the_netlist(buffer_flits, configuration, require_tool, tmp_path, capsys):
    yosys = require_tool("yosys")
    folder = tmp_path / "out"
    assert run(["fpga", configuration(buffer_flits), "--device", "xc7", "-o", str(folder), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert json.loads((folder / "fpga.json").read_text()) == summary
    (router,) = summary["results"]
    call(yosys, ["-q", flow.SCRIPT], folder / router["name"])  # the kept cells reproduce the netlist
    netlist = (folder / router["name"] / flow.NETLIST).read_text()
    counts = recount(netlist)
    block_memories = counts.pop("block_memories", 0)
    assert {key: router[key] for key in ("logic_luts", "memory_luts", "flip_flops")} == counts
    assert router["luts"] == counts["logic_luts"] + counts["memory_luts"]
    assert sum(router["memories"][kind] for kind in BLOCK_MEMORIES) == block_memories
    assert (block_memories > 0) == (buffer_flits == DEEP)
    assert router["cells"] == Counter(cell["type"] for cell in cells_of(netlist))


def test_every_report_says_that_there_is_no_clock(configuration, require_tool, tmp_path, capsys):
    require_tool("yosys")
    arguments = ["fpga", configuration(), "--device", "xc7", "--network", "-o", str(tmp_path / "out")]
    assert run(arguments) == 0
    out = capsys.readouterr().out
    assert "network: 2 switches, 2 processors\n  LUT" in out
    assert f"\n  clock   {NO_CLOCK}\n" in out
    assert "MHz" not in out
    assert "critical path" not in out
    summary = json.loads((tmp_path / "out" / "fpga.json").read_text())
    assert summary["no_clock"] == f"a clock is {NO_CLOCK}"
    assert summary["seeds"] is None
    (network,) = summary["results"]
    assert [network[key] for key in ("fits", "fmax_mhz", "critical_path")] == [None] * 3
    assert network["fmax_mhz_by_seed"] == network["shortages"] == []
    luts = [network[key] for key in ("luts", "logic_luts", "memory_luts")]
    assert "  LUT     {:,}: {:,} in logic, {:,} in memories\n".format(*luts) in out
    assert f"\n  FF      {network['flip_flops']:,}\n" in out


def test_area_counts_tables_in_logic_and_in_memories():
    cells = {"LUT1": 1, "LUT6": 20, "INV": 3, "FDRE": 7, "FDSE": 2, "RAM32M": 5, "SRL16E": 4, "RAMB36E1": 1}
    report = {"design": {"num_cells_by_type": {"$scopeinfo": 9, "CARRY4": 6, "MUXF7": 2, **cells}}}
    area = read_area(json.dumps(report), XC7)
    memories = {**dict.fromkeys(XC7.memories, 0), "RAM32M": 5, "SRL16E": 4, "RAMB36E1": 1}
    assert area == Area(24, 9, memories, 4 * 5 + 4, {**cells, "CARRY4": 6, "MUXF7": 2})


def test_the_router_is_synthesised_without_wrappers(configuration):
    subject = router_subject(load(configuration()).plan, 0)
    assert TOP not in subject.verilog(XC7)
    assert f"module {subject.module}(" in subject.verilog(XC7)
    script = flow.synthesis_script(XC7, subject.module, TOP)
    assert script.count("synth_xilinx") == 1
    assert f"-top {subject.module} -json {flow.NETLIST}\n" in script
    assert "nextpnr" not in flow.build_script(XC7, [1, 2])
