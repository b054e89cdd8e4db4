"""``hydranoc verilog --registers``: the header through FuseSoC, and together with arrays of ports."""

import subprocess
from pathlib import Path

import pytest
import yaml

from hydranoc.cli import run
from tests.rtl.programs import call

EXAMPLES = Path(__file__).parents[2] / "examples"
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
