"""A run that is interrupted: nothing half-written, no traceback, no process left, for every signal."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hydranoc.reports.interrupts import raise_on_signals

ROOT = Path(__file__).parents[2]


def _started(arguments: list[str], folder: Path) -> subprocess.Popen:
    """The command in a group of processes of its own, once it is at work on its results."""
    process = subprocess.Popen(
        [sys.executable, "-m", "hydranoc", *arguments, "-o", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    deadline = time.monotonic() + 60
    while not list(folder.glob(".hydranoc-*")):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, "the command never began"
        time.sleep(0.05)
    return process


def test_an_interrupted_figure_leaves_no_process_and_keeps_its_points(tmp_path, monkeypatch):
    monkeypatch.setenv("HYDRANOC_CACHE", str(tmp_path / "cache"))
    process = _started(["reproduce", "min-fig14"], tmp_path / "out")
    points = tmp_path / "cache" / "figures"
    deadline = time.monotonic() + 300
    while not list(points.glob("*.jsonl")):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, "no point was ever finished"
        time.sleep(0.2)
    process.send_signal(signal.SIGTERM)
    try:
        _, err = process.communicate(timeout=20)
        with pytest.raises(ProcessLookupError):
            os.killpg(process.pid, 0)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    assert (process.returncode, err.split()) == (130, ["interrupted"])
    assert next(points.glob("*.jsonl")).read_text().count("\n") > 0
    assert not (tmp_path / "out").exists()


def test_an_interrupted_build_leaves_no_compiler(tmp_path, monkeypatch, require_tool):
    """Compilers run in the background, in process groups of their own."""
    require_tool("verilator")
    cache = tmp_path / "cache"
    monkeypatch.setenv("HYDRANOC_CACHE", str(cache))
    process = _started(["compare", str(ROOT / "examples" / "demo.yaml")], tmp_path / "out")
    deadline = time.monotonic() + 300
    while not list(cache.glob("*.building/fast_0.cpp")):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, "nothing was ever compiled"
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    try:
        _, err = process.communicate(timeout=60)
        assert not _members(process.pid)
    finally:
        for member in _members(process.pid):
            os.kill(member, signal.SIGKILL)
    assert (process.returncode, err.split()[-1:]) == (130, ["interrupted"])
    assert not list(cache.glob("*.building"))
    assert not (tmp_path / "out").exists()


def _members(session: int) -> list[int]:
    """Processes of a session that have not ended."""
    found = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, _, own = file.read_text().rpartition(")")[2].split()[:4]
            if int(own) == session and state != "Z":
                found.append(int(file.parent.name))
    return found


SIGNALS = (signal.SIGINT, signal.SIGTERM)


@pytest.fixture(autouse=True)
def interrupts_as_at_a_terminal():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def _drop_an_interrupt(number):
    try:
        os.kill(os.getpid(), number)
        time.sleep(1)
    except BaseException:  # as a library may do
        return
    raise AssertionError("there was no interrupt")


@pytest.mark.parametrize("number", SIGNALS)
def test_an_interrupt_that_a_library_drops_is_told_at_the_end(number):
    before = [signal.getsignal(each) for each in SIGNALS]
    with pytest.raises(KeyboardInterrupt), raise_on_signals():
        _drop_an_interrupt(number)
    assert [signal.getsignal(each) for each in SIGNALS] == before


@pytest.mark.parametrize("number", SIGNALS)
def test_an_interrupt_of_which_a_library_makes_an_error_is_an_interrupt(number):
    with pytest.raises(KeyboardInterrupt), raise_on_signals():
        _make_an_error_of_an_interrupt(number)


def _make_an_error_of_an_interrupt(number):
    _drop_an_interrupt(number)
    raise ValueError("of a library")


@pytest.mark.parametrize("number", SIGNALS)
def test_an_interrupt_in_a_destructor_ends_the_work_soon(number):
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt), raise_on_signals():
        _interrupt_in_a_destructor(number)
    assert time.monotonic() - began < 30


def _interrupt_in_a_destructor(number):
    class Deaf:
        def __del__(self):
            os.kill(os.getpid(), number)
            time.sleep(1)

    Deaf()
    time.sleep(60)


def test_other_dropped_exceptions_are_told_as_ever(monkeypatch):
    class Broken:
        def __del__(self):
            raise ValueError("in a destructor")

    told = []
    monkeypatch.setattr(sys, "unraisablehook", lambda dropped: told.append(dropped.exc_type))
    with raise_on_signals():
        Broken()
    assert told == [ValueError]
