"""Environment failures: exit code 3, one line with cause and place, nothing half-written."""

import contextlib
import os
import resource
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from hydranoc.cli import run
from hydranoc.fpga.run import _run
from hydranoc.lockstep.tools import Tool
from hydranoc.measurement.kept_points import measure_points
from hydranoc.reports.failures import cause_in
from hydranoc.reports.output import result_folder
from rtl.generator.rtlil import yosys
from tests.each import each
from tests.hydranoc.shells import ROOT, python
from topology.common.errors import MachineTrouble

NETWORK = "network:\n  family: spam\n  topology: {kind: ring, switches: 4}\n"
TRAFFIC = "traffic: {kind: list, messages: [{source: 0, destinations: [1], flits: 8}]}\n"


@pytest.fixture
def good(tmp_path):
    path = tmp_path / "good.yaml"
    path.write_text(NETWORK + TRAFFIC)
    return str(path)


@contextlib.contextmanager
def limited(what: int, most: int) -> Iterator[None]:
    """A disk that is nearly full for one file, or files that may be open."""
    before = resource.getrlimit(what)
    resource.setrlimit(what, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(what, before)


def program(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def one_line(capsys) -> str:
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1, err
    return err


def test_a_full_disk_under_the_results_is_named(good, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("hydranoc.design.Design.draw", lambda *_, **__: {"svg": b"x" * 5000})
    with limited(resource.RLIMIT_FSIZE, 4096):
        assert run(["draw", good, "-o", str(tmp_path / "out")]) == 3
    assert one_line(capsys) == f"error: {tmp_path / 'out'}: cannot write results: file too large\n"
    assert not (tmp_path / "out").exists()


@each("verb", ["check", "draw", "verilog", "model"])
def test_files_that_cannot_be_opened_are_trouble(verb, good, capsys):
    assert run(["check", good]) == 0  # modules are loaded
    capsys.readouterr()
    with limited(resource.RLIMIT_NOFILE, 0):
        assert run([verb, good]) == 3
    one_line(capsys)


@each("end", ["kill -9 $$", "echo 'error: no space left on device'; exit 1"])
def test_a_simulator_that_cannot_be_built_is_trouble(end, good, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("HYDRANOC_CACHE", str(tmp_path / "cache"))
    (tmp_path / "bin").mkdir(exist_ok=True)
    program(tmp_path / "bin" / "iverilog", f"[ $# -gt 1 ] && {{ {end}; }}\necho Version 1")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    assert run(["compare", good, "--sim", "icarus", "-o", str(tmp_path / "out")]) == 3
    one_line(capsys)
    assert not (tmp_path / "out").exists()


def test_an_error_about_another_file_is_not_taken_for_a_result(tmp_path):
    def elsewhere() -> None:
        with result_folder(tmp_path / "out"):
            Path("/dev/null/x").write_text("")

    with pytest.raises(NotADirectoryError):
        elsewhere()


@pytest.mark.parametrize(
    ("script", "ending"),
    [
        ("cat > /dev/null; kill -9 $$", "it was killed (SIGKILL)"),
        (
            "cat >/dev/null; printf 'T:\\n  File x\\nIOError: no\\nCaused by:\\n    full (error 28)\\n' >&2; exit 1",
            "it ended with code 1 (IOError: no Caused by: full (error 28))",
        ),
        ("exit 4", "it ended with code 4"),
    ],
)
def test_a_yosys_that_crashes_is_named(script, ending, good, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(yosys.sys, "executable", program(tmp_path / "python", script))
    assert run(["verilog", good, "-o", str(tmp_path / "out")]) == 3
    assert one_line(capsys) == f"error: Yosys could not write the Verilog: {ending}\n"
    assert not (tmp_path / "out").exists()


def test_a_tool_that_is_killed_is_named_with_a_log_that_exists(tmp_path, monkeypatch):
    monkeypatch.setenv("HYDRANOC_CACHE", str(tmp_path / "cache"))
    tool = Tool("yosys", (program(tmp_path / "yosys", "echo working; kill -9 $$"),), {})
    with pytest.raises(MachineTrouble, match=r"^yosys was killed \(SIGKILL\): working; its log is ") as failed:
        _run(tool, [], tmp_path, "yosys.log")
    assert Path(str(failed.value).split()[-1]).read_text() == "working\n"


def test_without_a_place_for_a_log_the_cause_is_still_told(tmp_path, monkeypatch):
    monkeypatch.setenv("HYDRANOC_CACHE", "/dev/null")
    monkeypatch.setattr("hydranoc.reports.failures.tempfile.mkstemp", _full)
    tool = Tool("yosys", (program(tmp_path / "yosys", "echo working; echo ERROR: no; echo bye; exit 1"),), {})
    with pytest.raises(MachineTrouble, match=r"^yosys ended with code 1: ERROR: no$"):
        _run(tool, [], tmp_path, "yosys.log")


def _full(*_args: object, **_kwargs: object):
    raise OSError(28, "No space left on device")


def test_the_cause_is_the_line_with_the_error():
    assert cause_in("a\ncc1plus: fatal error: x.o: No space left on device\nmake: *** [x.o] Error 1\n").startswith(
        "cc1"
    )
    assert cause_in("0 errors\nterrors\nbye\n") == "bye"
    assert cause_in("") == ""
    assert len(cause_in("error " * 100)) < 210


def test_memory_that_runs_out_is_trouble(good, capsys, monkeypatch):
    def too_much(_self: object) -> None:
        raise MemoryError

    monkeypatch.setattr("hydranoc.design.Design.check", too_much)
    assert run(["check", good]) == 3
    assert one_line(capsys) == "error: the machine has too little memory for this network and traffic\n"


@dataclass
class Point:
    """Measurement of a process."""

    value: int


def _killed(task: int) -> Point:
    os.kill(os.getpid(), signal.SIGKILL)
    return Point(task)


def test_a_process_that_was_killed_is_trouble(good, capsys, monkeypatch):
    def share(_self: object) -> None:
        measure_points(_killed, [1, 2], point_type=Point, processes=2)

    monkeypatch.setattr("hydranoc.design.Design.check", share)
    assert run(["check", good]) == 3
    assert one_line(capsys) == ("error: a process that shares the work was killed; the machine may lack memory\n")


@pytest.mark.parametrize(("place", "own"), [("HOME", True), ("XDG_CACHE_HOME", False)])
def test_pictures_need_no_folder_of_the_users(place, own, good, tmp_path):
    cache = str(tmp_path / "cache") if own else "/dev/null/cache"
    empty = {"XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": "", "MPLCONFIGDIR": ""}
    variables = {**empty, "HYDRANOC_CACHE": cache, place: "/dev/null"}
    ended = python("-m", "hydranoc", "draw", good, "-o", tmp_path / "out", **variables)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert (tmp_path / "cache" / "tools").exists() == own


CLOSED = {
    "full": ("check {} > /dev/full", 3, "error: cannot print the summary: no space left on device\n"),
    "full, for help": ("--help > /dev/full", 3, "error: no space left on device\n"),
    "full, for errors": ("chekc > /dev/full 2> /dev/full", 2, ""),
    "closed": ("check {} >&-", 0, ""),
    "both closed": ("check {} >&- 2>&-", 0, ""),
    "a reader that has seen enough": ("check {} | exit", 0, ""),
}


@each("case", CLOSED)
def test_what_cannot_be_printed_changes_no_verdict(case, good):
    text, code, err = CLOSED[case]
    line = f"set -o pipefail; {sys.executable} -m hydranoc {text.format(good)}"
    ended = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (ended.returncode, ended.stderr) == (code, err)


INTERRUPTED_AFTER = (
    "import os, signal, sys, threading\n"
    "from hydranoc.cli import main\n"
    "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "sys.argv = ['hydranoc', 'model', sys.argv[2], '-o', sys.argv[3]]\n"
    "threading.Timer(float(sys.orig_argv[3]), os.kill, (os.getpid(), signal.SIGINT)).start()\n"
    "main()\n"
)


@pytest.mark.parametrize("seconds", [0.02, 0.2, 0.6])
def test_an_interrupt_while_modules_load_is_one_word(seconds, tmp_path):
    long = tmp_path / "long.yaml"  # which is still at work, however fast the machine is
    traffic = "{kind: random, cycles: 1000000000, messages_per_node_per_cycle: 0.001, flits: 8}"
    long.write_text(f"{NETWORK}traffic: {traffic}\n")
    ended = python("-c", INTERRUPTED_AFTER, str(seconds), long, tmp_path / "out")
    # once all is loaded, a line that is being written is ended first
    assert (ended.returncode, ended.stdout, ended.stderr.removeprefix("\n")) == (130, "", "interrupted\n")
    assert not (tmp_path / "out").exists()


def test_an_interrupt_while_python_ends_is_one_word():
    script = (
        "import os, signal, sys, threading\n"
        "from hydranoc.cli import main\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def late():\n"
        "    threading.main_thread().join()\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "threading.Thread(target=late).start()\n"
        "sys.argv = ['hydranoc', '--version']\n"
        "main()\n"
    )
    ended = python("-c", script)
    assert (ended.returncode, ended.stderr) == (130, "interrupted\n")
    assert ended.stdout.startswith("hydranoc ")


def test_a_fault_of_the_program_is_not_taken_for_wrong_hardware(good):
    line = (
        "import sys, hydranoc.design\n"
        "hydranoc.design.Design.check = lambda self: 1 / 0\n"
        "from hydranoc.cli import main\n"
        "sys.argv = ['hydranoc', 'check', sys.argv[1]]\n"
        "main()\n"
    )
    ended = python("-c", line, good)
    assert ended.returncode == 3
    assert "ZeroDivisionError" in ended.stderr
