"""The C code of docs/look_up/registers.md runs: with the generated header, against the network in Verilator."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from hydranoc.cli import run

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "look_up" / "registers.md"
PROGRAM = """\
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
    code = PROGRAM.replace("@LOAD@", load).replace("@COUNT@", count.replace("/* ... */", "send();"))
    (folder / "main.cc").write_text(code)
    build = "verilator --cc --exe --build -Wno-fatal -CFLAGS -I.. --top-module noc noc.v main.cc"
    command = [sys.executable, "-m", "hydranoc", "tool", *build.split()]
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    program = [folder / "obj_dir" / "Vnoc"]
    return subprocess.run(program, cwd=folder, capture_output=True, text=True, check=True, timeout=60).stdout


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
