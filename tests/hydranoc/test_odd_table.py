"""Over 500 odd inputs and environment failures: no traceback, no hang, the right exit code, nothing half-written."""

import contextlib
import os
import resource
import shutil
import signal
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from hydranoc.cli import run
from hydranoc.lockstep import tools
from rtl.generator.rtlil import yosys
from tests.hydranoc.odd_table import GOOD, TABLE, Case

MAX_CPU_SECONDS = 5
MAX_SECONDS = 120
"""Limit of waiting without work; a busy machine may take long for five seconds of CPU time."""


def _too_slow(*_: object) -> None:
    raise AssertionError("not done in time")


@contextlib.contextmanager
def _timed() -> Iterator[None]:
    """Fail a command that works or waits too long."""
    before = {number: signal.signal(number, _too_slow) for number in (signal.SIGPROF, signal.SIGALRM)}
    signal.setitimer(signal.ITIMER_PROF, MAX_CPU_SECONDS)
    signal.setitimer(signal.ITIMER_REAL, MAX_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _limited(what: int, most: int) -> Iterator[None]:
    before = resource.getrlimit(what)
    resource.setrlimit(what, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(what, before)


def _program(path: Path, end: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n[ $# -gt 1 ] && {{ {end}; }}\necho Version 1\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def _trouble(text: str, patch: pytest.MonkeyPatch) -> contextlib.AbstractContextManager[None]:
    """Cause the environment failure of ``Case.trouble``."""
    kind, _, how = text.partition(" ")
    if kind == "disk":
        return _limited(resource.RLIMIT_FSIZE, int(how))
    if kind == "files":
        return _limited(resource.RLIMIT_NOFILE, int(how))
    if kind == "yosys":
        patch.setattr(yosys.sys, "executable", str(_program(Path("bin/python").absolute(), how)))
    if kind == "icarus":
        program = _program(Path("bin/iverilog").absolute(), how)
        patch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    if kind == "cache":
        patch.setenv("HYDRANOC_CACHE", how)
    if kind == "programs":
        patch.setattr(tools.importlib.util, "find_spec", lambda _: None)
        patch.setattr(shutil, "which", lambda *_, **__: None)
    return contextlib.nullcontext()


@pytest.fixture(scope="module", autouse=True)
def warm(tmp_path_factory):
    """Load and compile once, so that the first case does not count as a hang."""
    folder = tmp_path_factory.mktemp("warm")
    for file, content in GOOD.items():
        (folder / file).write_bytes(content)
    for verb in ("model", "draw", "verilog"):
        assert run([verb, str(folder / "c.yaml"), "-o", str(folder / verb)]) == 0


def test_there_are_more_than_500():
    assert len(TABLE) > 500


@pytest.mark.parametrize("name", TABLE)
def test_odd_things_end_well(name, tmp_path, capfd, monkeypatch):
    case: Case = TABLE[name]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HYDRANOC_CACHE", str(tmp_path / "cache"))
    for file, content in case.files.items():
        Path(file).write_bytes(content)
    with _trouble(case.trouble, monkeypatch), _timed():
        code = run([*case.arguments])
    out, err = capfd.readouterr()
    assert (code, out) == (case.code, ""), err
    assert err.startswith("error: "), err
    assert err.count("\n") == 1, err
    assert len(err) < 2000
    left = {path.name for path in tmp_path.iterdir()} - {*case.files, "bin", "cache"}
    assert not left, "half-written results"
