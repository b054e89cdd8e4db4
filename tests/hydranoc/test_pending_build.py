"""Simulators that are built in the background: waits, stops, and errors that are reported."""

import os
import sys
import threading
import time
from pathlib import Path

import pytest

from hydranoc.lockstep.bench_source import BenchSource, BuiltSimulator, SimulatorFailed
from hydranoc.lockstep.commands import Commands, Stopped
from hydranoc.lockstep.pending_build import BUILDING, PendingBuild

SOURCE = BenchSource("top", "", (), ())
BUILT = BuiltSimulator("verilator", "top", Path("missing"), "1", 0.0, waves=False)
SLEEPS = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(60)', sys.argv[1]])"


def test_the_wait_is_named():
    """A finished build causes no wait and no message."""
    told, go = [], threading.Event()

    def build(*_, **__):
        assert go.wait(30)
        return BUILT

    def progress(work, *_):
        told.append(work)
        go.set()

    with PendingBuild(SOURCE, waves=False, build=build) as pending:
        assert pending.result(progress) is BUILT
        assert set(told) == {BUILDING}
        told.clear()
        assert pending.result(progress) is BUILT
    assert told == []


def test_an_error_of_the_build_reaches_the_one_that_waits():
    def build(*_, **__):
        raise SimulatorFailed("no space")

    with PendingBuild(SOURCE, waves=False, build=build) as pending, pytest.raises(SimulatorFailed, match="no space"):
        pending.result(None)


def test_the_end_of_the_context_stops_all_programs():
    """A compiler is a child of make, which is a child of the build."""
    mark, ended = f"mark-{os.getpid()}-{time.monotonic_ns()}", []

    def build(*_, commands, **__):
        try:
            commands.run([sys.executable, "-c", SLEEPS, mark], os.environ)
        except Stopped:
            ended.append(True)
            raise
        raise AssertionError

    with PendingBuild(SOURCE, waves=False, build=build):
        deadline = time.monotonic() + 60
        while len(_running(mark)) < 2:
            assert time.monotonic() < deadline, "the programs never began"
            time.sleep(0.05)
    assert ended == [True]
    deadline = time.monotonic() + 10
    while _running(mark):
        assert time.monotonic() < deadline, "programs still run"
        time.sleep(0.05)


def test_nothing_is_started_in_a_build_that_is_stopped():
    commands = Commands()
    commands.stop()
    with pytest.raises(Stopped):
        commands.run(["true"], os.environ)


def test_a_program_gives_its_code_and_all_that_it_said():
    text = "import sys; print('out', flush=True); print('err', file=sys.stderr, flush=True); sys.exit(3)"
    assert Commands().run([sys.executable, "-c", text], os.environ) == (3, "out\nerr\n")


def _running(mark: str) -> list[str]:
    """Processes with a mark among their arguments."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "cmdline").read_bytes().split(b"\0"):
                found.append(folder.name)
        except OSError:
            continue
    return found
