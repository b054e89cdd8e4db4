"""Exported networks in users' projects: AXI4-Stream, registers, single routers, FuseSoC."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from hydranoc import ConfigError, Design, load
from hydranoc.cli import run
from hydranoc.verbs.options import AXI_CLOCKS, DESTINATION_MODES
from rtl.endpoints import axi_ends, axi_injector
from tests.each import each
from tests.rtl.simulate import call

EXAMPLES = Path(__file__).parents[2] / "examples"
EXAMPLE = EXAMPLES / "axi_stream"
TORUS = EXAMPLES / "torus-lanes.yaml"


@pytest.mark.parametrize("mode", axi_injector.SET_MODES)
def test_the_verb_writes_the_network(mode, tmp_path, capsys):
    folders = ("a", "b") if mode == "tuser" else ("a",)
    for folder in folders:
        arguments = ["verilog", str(EXAMPLES / "fig1.yaml"), "-o", str(tmp_path / folder), "--axi-stream", mode]
        assert run([*arguments, "--json"]) == 0
        summary = json.loads(capsys.readouterr().out)
        assert [Path(name).name for name in summary["files"]] == ["noc.v", "noc.vlt", "noc.core", "manifest.json"]
    for name in ("noc.v", "noc.vlt", "noc.core", "manifest.json"):
        assert len({(tmp_path / folder / name).read_bytes() for folder in folders}) == 1
    assert json.loads((tmp_path / "a" / "manifest.json").read_text())["axi_stream"]["destination_mode"] == mode
    assert "s_axis_n4_tdest" in (tmp_path / "a" / "noc.v").read_text()


def test_without_the_option_nothing_changes(tmp_path, capsys):
    assert run(["verilog", str(EXAMPLES / "fig1.yaml"), "-o", str(tmp_path)]) == 0
    capsys.readouterr()
    assert "axi_stream" not in json.loads((tmp_path / "manifest.json").read_text())
    assert "axis" not in (tmp_path / "noc.v").read_text()


@pytest.mark.parametrize("mode", [pytest.param([], marks=pytest.mark.slow), ["--axi-stream", "tuser"]])
def test_moved_is_an_option(mode, tmp_path, capsys):
    for option, there in (("--moved", True), ("--no-moved", False)):
        folder = tmp_path / option
        assert run(["verilog", str(EXAMPLES / "fig1.yaml"), "-o", str(folder), *mode, option]) == 0
        assert bool(re.search(r"^  output \[\d+:0\] moved;$", (folder / "noc.v").read_text(), re.MULTILINE)) is there
        assert ("moved" in (folder / "manifest.json").read_text()) is there
    capsys.readouterr()


def test_the_verb_knows_the_modes_of_the_hardware():
    assert axi_injector.DESTINATION_MODES == DESTINATION_MODES
    assert axi_ends.CLOCKS == AXI_CLOCKS


def test_clocks_and_bytes(tmp_path, capsys):
    config = tmp_path / "network.yaml"
    config.write_text((EXAMPLES / "fig1.yaml").read_text().replace("flit_bits: 32", "flit_bits: 33"))
    options = ["--axi-stream", "tuser", "--axi-clocks", "separate", "--tkeep"]
    assert run(["verilog", str(config), "-o", str(tmp_path / "out"), *options]) == 0
    capsys.readouterr()
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    entry, widths = manifest["axi_stream"], {port["name"]: port["bits"] for port in manifest["ports"]}
    assert entry["clocks"] == [f"axis_n{i}_clk" for i in range(len(manifest["nodes"]))]
    assert (entry["tdata_bits"], entry["tkeep_bits"]) == (32, 4)
    for port in ("s_axis_n0", "m_axis_n0"):
        assert (widths[f"{port}_tdata"], widths[f"{port}_tkeep"]) == (32, 4)
    assert widths["axis_n3_clk"] == 1


REFUSED = {
    "fig1 --axi-clocks shared": "--axi-clocks needs --axi-stream as well",
    "fig1 --tkeep": "--tkeep needs --axi-stream as well",
    "fig1 --arrays": "--arrays needs --axi-stream as well",
    "fig1 --axi-stream tuser --axi-clocks mine": "'mine' is not one of 'network', 'shared', 'separate'",
    "fig1 --axi-stream tuser --tkeep": r"fig1.yaml:\d+: .*one bit more than whole bytes for tkeep, such as 33, not 32",
    "fig1 --axi-stream tdest": r"fig1.yaml:\d+: --axi-stream .* 'tuser' or 'leading-word' in family 'spam', not",
    "demo --axi-stream tid": "'tid' is not one of 'tuser', 'leading-word', 'tdest'",
    "demo --router 1 --axi-stream tuser": "--router is one router without ends: --axi-stream is of a network",
    **{
        f"torus-lanes --axi-stream {mode}": rf"yaml:\d+: --axi-stream .* 'tdest' in family 'torus', not {mode!r}"
        for mode in axi_injector.SET_MODES
    },
}


@each("line, message", REFUSED.items())
def test_ends_that_cannot_be_are_refused_in_one_line(line, message, tmp_path, capsys):
    name, *options = line.split()
    assert run(["verilog", str(EXAMPLES / f"{name}.yaml"), "-o", str(tmp_path / "out"), *options]) == 2
    error = capsys.readouterr().err
    assert re.search(message, error), error
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_family_without_addressing_is_bad_input(tmp_path, capsys, monkeypatch):
    plan = replace(load(EXAMPLES / "fig1.yaml").plan, addressing=None)
    monkeypatch.setattr(Design, "plan", property(lambda _: plan))
    assert run(["verilog", str(EXAMPLES / "fig1.yaml"), "-o", str(tmp_path / "out"), "--axi-stream", "tuser"]) == 2
    error = capsys.readouterr().err
    assert re.search(r"fig1.yaml:\d+: family 'spam' has no AXI4-Stream endpoints yet", error)
    assert not (tmp_path / "out").exists()


def test_the_verb_writes_a_torus(tmp_path, capsys):
    assert run(["verilog", str(TORUS), "-o", str(tmp_path), "--axi-stream", "tdest"]) == 0
    capsys.readouterr()
    entry = json.loads((tmp_path / "manifest.json").read_text())["axi_stream"]
    assert (entry["destination_mode"], entry["tdest_bits"], entry["tuser_bits"]) == ("tdest", 4, 0)
    text = (tmp_path / "noc.v").read_text()
    assert "s_axis_n15_tdest" in text
    assert "_tuser" not in text


def run_example(folder: Path, design: Path, fusesoc) -> str:
    assert run(["verilog", str(design / "network.yaml"), "--axi-stream", "tuser", "-o", str(folder / "noc")]) == 0
    roots = ["--cores-root", str(folder / "noc"), "--cores-root", str(design)]
    return fusesoc(folder, *roots, "run", "--target", "sim", "hydranoc:example:axi_stream")


def test_the_example_passes(tmp_path, fusesoc):
    out = run_example(tmp_path, EXAMPLE, fusesoc)
    verdict = re.search(r"^PASS: .*$", out, re.MULTILINE)
    assert verdict, out
    assert verdict[0] in (EXAMPLE / "README.md").read_text()


@pytest.mark.parametrize(
    ("text", "replacement", "verdict"),
    [
        ("4'b1110", "4'b0110", "FAIL: packets are missing"),
        pytest.param(
            *(".s_axis_n3_tdest(2'd1)", ".s_axis_n3_tdest(2'd3)", "FAIL: a wrong word, or an unroutable packet"),
            marks=pytest.mark.slow,
        ),
        ("{NODE, packet, word}", "{NODE, packet + 16'd1, word}", "FAIL: a wrong word"),
    ],
)
def test_the_example_sees_what_is_wrong(text, replacement, verdict, tmp_path, fusesoc):
    design = tmp_path / "design"
    shutil.copytree(EXAMPLE, design)
    source = (design / "top.v").read_text()
    assert source.count(text) == 1
    (design / "top.v").write_text(source.replace(text, replacement))
    assert verdict in run_example(tmp_path, design, fusesoc)


CORE = """CAPI=2:
name: user:soc:soc:0.1.0
filesets:
  software:
    files: [main.c]
    file_type: cSource
    depend: ["hydranoc:noc:noc"]
targets:
  default:
    filesets: [software]
    toplevel: noc
    default_tool: verilator
    tools:
      verilator:
        mode: cc
"""
PROGRAM = """\
#include "noc_regs.h"
#include <stdio.h>

int main(void) {
  printf("%x %x", NOC_INTERRUPT_ENABLE, NOC_ERRORS_UNROUTABLE(0));
  return 0;
}
"""
OPTIONS = ["--axi-stream", "tuser", "--registers", "axi-lite"]


def exported(folder: Path, *options: str) -> Path:
    """The example of all registers as Verilog."""
    assert run(["verilog", str(EXAMPLES / "registers.yaml"), "-o", str(folder), *OPTIONS, *options]) == 0
    return folder


def test_a_program_of_a_dependent_core_finds_the_header(tmp_path, fusesoc, require_tool):
    """FuseSoC sets up a simulation with C code; it is compiled with the flags that the simulator would give."""
    exported(tmp_path / "noc")
    (tmp_path / "soc.core").write_text(CORE)
    (tmp_path / "main.c").write_text(PROGRAM)
    fusesoc(tmp_path, "--cores-root", ".", "run", "--setup", "user:soc:soc")
    (settings,) = (tmp_path / "build").rglob("*.vc")
    lines = settings.read_text().splitlines()
    assert not [line for line in lines if line.endswith(".h")], "the header is a source"
    flags = [flag for line in lines if line.startswith("-CFLAGS ") for flag in line.split()[1:]]
    (source,) = [line for line in lines if line.endswith("main.c")]
    checks = ["-x", "c", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
    call(require_tool("c++"), [*checks, *flags, "-o", "main", source], settings.parent)
    printed = subprocess.run([settings.parent / "main"], capture_output=True, text=True, check=True).stdout
    assert printed == "1c 40"


@pytest.mark.parametrize(("target", "top"), [("default", "noc"), ("arrays", "noc_arrays")])
def test_a_target_of_the_core_has_all_that_there_is(target, top, tmp_path, fusesoc):
    """Content of a target after FuseSoC has appended to inherited lists."""
    exported(tmp_path / "noc", "--arrays")
    core = ["--target", target, "--tool", "icarus", "hydranoc:noc:noc"]
    fusesoc(tmp_path, "--cores-root", "noc", "run", "--setup", *core)
    (settings,) = (tmp_path / "build").rglob("*.eda.yml")
    setup = yaml.safe_load(settings.read_text())
    assert setup["toplevel"] == top
    files = {Path(file["name"]).name: file for file in setup["files"]}
    assert set(files) == {"noc.v", "noc_regs.h", *(["noc_arrays.sv"] if target == "arrays" else [])}
    assert files["noc_regs.h"]["is_include_file"]


def test_without_registers_the_core_names_no_header(tmp_path):
    assert run(["verilog", str(EXAMPLES / "registers.yaml"), "-o", str(tmp_path)]) == 0
    core = yaml.safe_load((tmp_path / "noc.core").read_text())
    assert set(core["filesets"]) == {"rtl"}
    assert core["targets"]["default"]["filesets"] == ["rtl"]


ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "look_up" / "registers.md"
REGISTERS_PROGRAM = """\
#include "Vnoc.h"
#include "noc_regs.h"
#include <cstdint>
#include <cstdio>
#include <vector>

static const uint32_t NOC = 0x40000000;
static Vnoc top;

static void cycle() {
  top.clk = 0;
  top.eval();
  top.clk = 1;
  top.eval();
}

static uint32_t read32(uint32_t address) {
  top.s_axil_araddr = address - NOC;
  top.s_axil_arvalid = top.s_axil_rready = 1;
  while (!top.s_axil_arready) cycle();
  cycle();
  top.s_axil_arvalid = 0;
  while (!top.s_axil_rvalid) cycle();
  uint32_t data = top.s_axil_rdata;
  if (top.s_axil_rresp != 0) printf("FAIL: read of %x refused\\n", address);
  cycle();
  return data;
}

static void write32(uint32_t address, uint32_t value) {
  top.s_axil_awaddr = address - NOC;
  top.s_axil_wdata = value;
  top.s_axil_wstrb = 15;
  top.s_axil_awvalid = top.s_axil_wvalid = top.s_axil_bready = 1;
  while (!top.s_axil_awready) cycle();
  cycle();
  top.s_axil_awvalid = top.s_axil_wvalid = 0;
  while (!top.s_axil_bvalid) cycle();
  if (top.s_axil_bresp != 0) printf("FAIL: write to %x refused\\n", address);
  cycle();
}

// A word from node 0 to nodes 1 and 3.
static void send() {
  top.s_axis_n0_tdata = 0xcafe;
  top.s_axis_n0_tuser = 1 << 1 | 1 << 3;
  top.s_axis_n0_tlast = top.s_axis_n0_tvalid = 1;
  top.m_axis_n1_tready = top.m_axis_n3_tready = 1;
  int seen = 0;
  for (int k = 0; k < 200; k++) {
    bool taken = top.s_axis_n0_tready;
    seen |= (top.m_axis_n1_tvalid && top.m_axis_n1_tdata == 0xcafe) << 1;
    seen |= (top.m_axis_n3_tvalid && top.m_axis_n3_tdata == 0xcafe) << 3;
    cycle();
    if (taken) top.s_axis_n0_tvalid = 0;
  }
  if (seen != (1 << 1 | 1 << 3)) printf("FAIL: seen by %x\\n", seen);
}

int main() {
  std::vector<uint32_t> words;
  unsigned word;
  FILE *file = fopen("noc_tables.hex", "r");
  while (fscanf(file, "%x", &word) == 1) words.push_back(word);
  top.rst = 1;
  cycle();
  top.rst = 0;
  if (read32(NOC + NOC_ID) != NOC_ID_VALUE) printf("FAIL: identification\\n");
  if (words.size() != NOC_TABLES_WORDS_VALUE) printf("FAIL: words\\n");
  uint32_t i, stalled_cycles, channel = 0, flits = 0;
@LOAD@
@COUNT@
  for (channel = 0; channel < NOC_CHANNELS_VALUE; channel++) flits += read32(NOC + NOC_COUNTERS(4 * channel));
  printf("%u %u\\n", stalled_cycles, flits);
  return 0;
}
"""


def printed_by(page: str, folder: Path) -> str:
    """Output of the program with the code of a page, in an empty folder."""
    config = str(ROOT / "examples" / "registers.yaml")
    options = ["--registers", "axi-lite", "--axi-stream", "tuser", "--no-moved"]
    assert run(["verilog", config, "-o", str(folder), *options]) == 0
    load, count = re.findall(r"(?ms)^```c\n(.*?)^```$", page)
    assert count.count("/* ... */") == 1
    code = REGISTERS_PROGRAM.replace("@LOAD@", load).replace("@COUNT@", count.replace("/* ... */", "send();"))
    (folder / "main.cc").write_text(code)
    build = "verilator --cc --exe --build -Wno-fatal -CFLAGS -I.. --top-module noc noc.v main.cc"
    command = [sys.executable, "-m", "hydranoc", "tool", *build.split()]
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    program = [folder / "obj_dir" / "Vnoc"]
    return subprocess.run(program, cwd=folder, capture_output=True, text=True, check=True, timeout=60).stdout


@pytest.mark.slow
def test_the_code_of_the_page_runs(tmp_path, require_tool):
    """Tables are loaded as the page describes, then a multicast is sent while counters count."""
    require_tool("verilator")
    stalled_cycles, flits = printed_by(PAGE.read_text(), tmp_path).split()
    assert stalled_cycles == "0"
    # header and word over the first channel, and over the three or more links to two destinations
    assert int(flits) >= 8


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "replacement", "printed"),
    [
        ("NOC_COUNTERS_CONTROL_ENABLE_MASK", "0", "0 0"),
        ("NOC_TABLES_DATA", "NOC_TABLES_OUT", r"(FAIL: write to 40000038 refused\n)+FAIL: seen by 0\n0 [0-9]+"),
    ],
)
def test_wrong_code_is_seen(text, replacement, printed, tmp_path, require_tool):
    require_tool("verilator")
    page = PAGE.read_text()
    assert page.count(text) == 1
    assert re.fullmatch(printed, printed_by(page.replace(text, replacement), tmp_path).strip())


@pytest.mark.parametrize("name", ["demo.yaml", "min.yaml", "harts.yaml", "torus-lanes.yaml", "hypercube.yaml"])
def test_a_router_is_clean_and_its_ports_are_links(name, tmp_path, require_tool, capsys):
    verilator = require_tool("verilator")
    assert run(["verilog", str(EXAMPLES / name), "-o", str(tmp_path), "--router", "1", "--top", "mine", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["top"] == "mine"
    manifest = json.loads((tmp_path / "mine.json").read_text())
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(manifest["files"])
    text = (tmp_path / "mine.v").read_text()
    assert set(re.findall(r"^module (\w+)\(", text, re.M)) == set(manifest["modules"])
    design = load(EXAMPLES / name)
    switch = design.network.vertex_name(1)
    assert manifest["name"] == switch
    assert all(channel.endswith(f"->{switch}") for channel in manifest["input_channels"])
    assert all(channel.startswith(f"{switch}->") for channel in manifest["output_channels"])
    for side in ("input", "output"):
        numbers = {
            int(found) for port in manifest["ports"] for found in re.findall(rf"^{side}s__(\d+)__", port["name"])
        }
        assert numbers == set(range(len(manifest[f"{side}_channels"])))
    command = [*verilator.command, "--lint-only", "-Wall", "--top-module", "mine", "mine.v"]
    linted = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, **verilator.environment}, capture_output=True, text=True, check=False
    )
    assert linted.returncode == 0, linted.stderr
    assert "%Warning" not in linted.stderr


def test_switches_have_names_and_numbers():
    design = load(EXAMPLES / "fig1.yaml")
    assert design.network.switch_names == ("1", "2", "3", "4", "6", "7")
    assert design.router("6").manifest["switch"] == 4
    assert design.router(0).manifest["name"] == "1"
    with pytest.raises(
        ConfigError, match=r"fig1.yaml:8: a router must be that of a switch \(1 to 7, or 0 to 5\), not 9"
    ):
        design.router(9)
