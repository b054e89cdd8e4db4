"""Interrupts that Python or a library drops still end the work, and leave no result."""

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
SIGNALS = (signal.SIGINT, signal.SIGTERM)
DROPPED = """
import os, signal, sys, time
from pathlib import Path
from hydranoc.reports.output import result_folder

class Deaf:
    def __del__(self):
        os.kill(os.getpid(), int(sys.argv[1]))
        for _ in range(1000):
            pass

try:
    with result_folder(Path(sys.argv[2])) as scratch:
        (scratch / "result").write_text("whole")
        Deaf()
        for _ in range(100):
            time.sleep(0.1)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.fixture(autouse=True)
def interrupts_as_at_a_terminal():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("number", SIGNALS)
def test_an_interrupt_in_a_destructor_ends_the_work_soon(number, tmp_path):
    began = time.monotonic()
    ended = subprocess.run(
        [sys.executable, "-c", DROPPED, str(int(number)), str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert (ended.stdout, ended.stderr) == ("interrupted\n", "")
    assert time.monotonic() - began < 8
    assert not (tmp_path / "out").exists()


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


def test_errors_without_an_interrupt_pass():
    with pytest.raises(ValueError, match="of the work"), raise_on_signals():
        raise ValueError("of the work")


def test_an_interrupt_is_told_to_the_block_around():
    with pytest.raises(KeyboardInterrupt), raise_on_signals():
        _drop_in_a_block_of_its_own()


def _drop_in_a_block_of_its_own():
    with contextlib.suppress(KeyboardInterrupt), raise_on_signals():
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(1)


def test_an_ignored_interrupt_stays_ignored():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with raise_on_signals():
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.05)


def test_other_dropped_exceptions_are_told_as_ever(monkeypatch):
    class Broken:
        def __del__(self):
            raise ValueError("in a destructor")

    told = []
    monkeypatch.setattr(sys, "unraisablehook", lambda dropped: told.append(dropped.exc_type))
    with raise_on_signals():
        Broken()
    assert told == [ValueError]
