"""Simulators: how they are built, in the background, kept between runs, and dropped."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from hydranoc.cli import run
from hydranoc.lockstep.bench_source import BenchSource, SimulatorFailed
from hydranoc.lockstep.commands import Commands
from hydranoc.lockstep.kept import drop, drop_beyond, find_or_build, in_use, is_whole, kept_simulators, remove_leftovers
from hydranoc.lockstep.pending_build import PendingBuild
from hydranoc.lockstep.simulator import build_simulator
from hydranoc.lockstep.simulator_cache import limit_gb
from hydranoc.measurement.kept_points import KeptPoints
from hydranoc.reports.failures import MAX_LOGS, keep_log

ROOT = Path(__file__).parents[2]
NAME = "icarus-0123"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HYDRANOC_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("HYDRANOC_CACHE_GB", raising=False)
    return tmp_path / "cache"


def builder(built: list[Path], size: int = 100):
    def build(work: Path) -> None:
        built.append(work)
        (work / "sim.vvp").write_bytes(b"x" * size)
        (work / "build.log").write_text("")
        (work / "part.o").write_text("object")

    return build


DAMAGE = {
    "cut off": lambda folder: (folder / "sim.vvp").write_bytes(b"x" * 50),
    "altered": lambda folder: (folder / "sim.vvp").write_bytes(b"y" * 100),
    "empty": lambda folder: (folder / "sim.vvp").write_bytes(b""),
    "missing": lambda folder: (folder / "sim.vvp").unlink(),
    "a folder in its place": lambda folder: [(folder / "sim.vvp").unlink(), (folder / "sim.vvp").mkdir()],
    "nothing said of it": lambda folder: (folder / "whole.json").unlink(),
    "half of that": lambda folder: (folder / "whole.json").write_text('{"program": "sim.'),
    "something else": lambda folder: (folder / "whole.json").write_text("[1]"),
    "a file in place of the folder": lambda folder: [folder.rename(f"{folder}-old"), folder.write_text("")],
    "a dangling link": lambda folder: [folder.rename(f"{folder}-old"), folder.symlink_to("missing")],
}


@pytest.mark.parametrize("case", DAMAGE)
def test_a_damaged_simulator_is_built_anew(case):
    built: list[Path] = []
    folder, _ = find_or_build(NAME, "sim.vvp", builder(built))
    assert find_or_build(NAME, "sim.vvp", builder(built)) == (folder, 0.0)
    assert len(built) == 1
    assert sorted(path.name for path in folder.iterdir()) == ["build.log", "sim.vvp", "whole.json"]
    DAMAGE[case](folder)
    again, seconds = find_or_build(NAME, "sim.vvp", builder(built))
    assert (again, len(built)) == (folder, 2)
    assert seconds > 0
    assert is_whole(folder)


def test_a_build_that_fails_leaves_nothing(cache):
    def fail(_work: Path) -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        find_or_build(NAME, "sim.vvp", fail)
    assert [path.name for path in cache.iterdir()] == ["locks"]


def test_two_who_need_the_same_simulator_build_it_once():
    built: list[Path] = []
    waited = []

    def slow(work: Path) -> None:
        time.sleep(0.5)
        builder(built)(work)

    def need() -> None:
        find_or_build(NAME, "sim.vvp", slow, lambda: waited.append(1))

    threads = [threading.Thread(target=need) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(built) == 1
    assert waited == [1, 1]


def started(code: str, ready: Path) -> subprocess.Popen:
    """A process that works until it is killed, once it is at work."""
    process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT)
    deadline = time.monotonic() + 60
    while not ready.exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return process


def test_what_a_killed_build_leaves_goes_with_the_next_run(cache, tmp_path):
    code = (
        "import time\n"
        "from pathlib import Path\n"
        "from hydranoc.lockstep.kept import find_or_build\n"
        "def build(work):\n"
        "    (work / 'half').write_text('')\n"
        f"    Path({str(tmp_path / 'ready')!r}).write_text('')\n"
        "    time.sleep(60)\n"
        f"find_or_build({NAME!r}, 'sim.vvp', build)\n"
    )
    process = started(code, tmp_path / "ready")
    remove_leftovers()
    assert (cache / f"{NAME}.building" / "half").exists(), "another process builds here"
    process.send_signal(signal.SIGKILL)
    process.wait()
    find_or_build("icarus-other", "sim.vvp", builder([]))
    assert sorted(path.name for path in cache.iterdir()) == ["icarus-other", "locks"]


def several(*used: int) -> None:
    for number, when in enumerate(used):
        folder, _ = find_or_build(f"icarus-{number}", "sim.vvp", builder([], size=1_000_000))
        os.utime(folder / "whole.json", (when, when))


def names() -> list[str]:
    return [simulator.name for simulator in kept_simulators()]


def test_the_least_recently_used_goes_first():
    several(30, 10, 20, 40)
    assert names() == ["icarus-3", "icarus-0", "icarus-2", "icarus-1"]
    assert drop_beyond(10e6) == []
    assert drop_beyond(3.5e6) == ["icarus-1"]
    with in_use(kept_folder("icarus-2")):
        assert not drop("icarus-2")
        assert drop_beyond(2.5e6) == ["icarus-0"]
    assert drop_beyond(0) == ["icarus-2"]
    assert names() == ["icarus-3"], "the one used last stays"


def kept_folder(name: str) -> Path:
    return Path(os.environ["HYDRANOC_CACHE"]) / name


def test_the_limit_is_five_gigabytes_or_what_the_user_says(cache, monkeypatch, capsys):
    assert limit_gb() == 5
    assert run(["cache", "--limit", "2.5"]) == 0
    assert limit_gb() == 2.5
    monkeypatch.setenv("HYDRANOC_CACHE_GB", "1")
    assert limit_gb() == 1
    for odd in ("much", "-1", "nan", ""):
        monkeypatch.setenv("HYDRANOC_CACHE_GB", odd)
        assert limit_gb() == 2.5
    (cache / "limit.json").write_text("half")
    assert limit_gb() == 5
    capsys.readouterr()
    for odd in ("-1", "nan", "inf"):
        assert run(["cache", "--limit", odd]) == 2
        assert f"--limit is {float(odd)}; it must be a number of GB, 0 or more" in capsys.readouterr().err


def test_the_cache_is_listed_limited_and_cleared(cache, capsys):
    several(30, 10, 20)
    keep_log("yosys", "ERROR")
    KeptPoints(cache / "sweeps" / "ab.jsonl").add("point", {})
    assert run(["cache"]) == 0
    out = capsys.readouterr().out
    words = " ".join(out.split())
    assert words.startswith(f"folder {cache} simulators 3, 0.00 GB of at most 5 points of interrupted sweeps 0.0 MB ")
    assert "logs of programs that failed 0.0 MB " in words
    assert out.index("icarus-0 ") < out.index("icarus-2 ") < out.index("icarus-1 ")
    assert run(["cache", "--limit", "0.0021", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["dropped"] == ["icarus-1"]
    assert [simulator["name"] for simulator in said["simulators"]] == ["icarus-0", "icarus-2"]
    with in_use(kept_folder("icarus-2")):
        assert run(["cache", "--clear", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["in_use"] == ["icarus-2"]
    assert run(["cache", "--clear", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["simulators"] == []
    assert said["other_bytes"] == dict.fromkeys(("figures", "sweeps", "logs", "tools", "commands", "loops"), 0)
    assert not (cache / "sweeps").exists()


def test_a_cache_that_cannot_be_written_is_named(monkeypatch, capsys):
    monkeypatch.setenv("HYDRANOC_CACHE", "/dev/null")
    assert run(["cache", "--limit", "3"]) == 3
    assert capsys.readouterr().err == "error: /dev/null: file exists\n"


def test_logs_are_kept_but_not_for_ever(cache):
    for number in range(MAX_LOGS + 3):
        log = keep_log("yosys", str(number))
        assert log is not None
        assert log.read_text() == str(number)
        os.utime(log, (number, number))
    assert len(list((cache / "logs").iterdir())) <= MAX_LOGS + 1


def test_a_simulator_that_was_dropped_before_its_run_is_built_once_more():
    """Another process may drop it after its build, while the golden model is compiled."""
    built: list[Path] = []
    folder, _ = find_or_build(NAME, "sim.vvp", builder(built))

    def rebuild() -> None:
        find_or_build(NAME, "sim.vvp", builder(built))

    assert drop(NAME)
    with in_use(folder, rebuild):
        assert is_whole(folder)
        assert not drop(NAME)
    with in_use(folder, rebuild):
        assert len(built) == 2


@pytest.mark.parametrize("simulator", ["icarus", pytest.param("verilator", marks=pytest.mark.slow)])
def test_a_dropped_simulator_is_built_by_its_run(simulator, require_tool):
    require_tool(simulator)
    source = BenchSource("top", "module top(input clk); endmodule\n", ("clk",), ())
    built = build_simulator(source, simulator, waves=False)
    assert drop(built.folder.name)
    with in_use(built.folder, built.rebuild):
        assert is_whole(built.folder)


SOURCE = BenchSource("top", "", (), ())


def test_an_error_of_the_build_reaches_the_one_that_waits():
    def build(*_, **__):
        raise SimulatorFailed("no space")

    with PendingBuild(SOURCE, waves=False, build=build) as pending, pytest.raises(SimulatorFailed, match="no space"):
        pending.result(None)


SLEEPS = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(60)', sys.argv[1]])"


def test_the_end_of_the_context_stops_all_programs():
    """A compiler is a child of make, which is a child of the build."""
    mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"

    def build(*_, commands, **__):
        commands.run([sys.executable, "-c", SLEEPS, mark], os.environ)
        raise AssertionError

    with PendingBuild(SOURCE, waves=False, build=build):
        assert _running(mark, 2), "the programs never began"
        began = time.monotonic()
    assert _running(mark, 0)
    assert time.monotonic() - began < 30, "they have not been stopped"


def _running(mark: str, wanted: int) -> bool:
    """True once a number of processes with a mark among their arguments run, False if that takes too long."""
    for _ in range(1200):
        found = 0
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                found += mark.encode() in (folder / "cmdline").read_bytes().split(b"\0")
        if found == wanted:
            return True
        time.sleep(0.05)
    return False


def test_a_program_gives_its_code_and_all_that_it_said():
    text = "import sys; print('out', flush=True); print('err', file=sys.stderr, flush=True); sys.exit(3)"
    assert Commands().run([sys.executable, "-c", text], os.environ) == (3, "out\nerr\n")


PART = """module part(clk);
  input clk;
endmodule
"""


@pytest.mark.slow
def test_builds_need_no_program_called_python(tmp_path, monkeypatch, require_tool):
    """Debian has python3 only, and small designs make Verilator's makefile call Python."""
    require_tool("verilator")
    useless = tmp_path / "bin" / "python"
    useless.parent.mkdir()
    useless.write_text("#!/bin/sh\nexit 127\n")
    useless.chmod(0o755)
    monkeypatch.setenv("HYDRANOC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{useless.parent}{os.pathsep}{os.environ['PATH']}")
    built = build_simulator(BenchSource("part", PART, (), (), ("part",), 1), "verilator", waves=False)
    assert (built.folder / "part").exists()
