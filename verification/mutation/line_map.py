"""Lines of ``rtl/`` that a test runs, and its cost: a plugin of pytest that writes a row per test.

    pytest -p verification.mutation.line_map --line-map FILE [--line-map-hardware rtl] tests/rtl

Lines of a test are those that run in its own process, fixtures included. Shared setup counts for the first of several
tests alone.
"""

import json
import os
import resource
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import pytest


class LineTracer:
    """Collects lines that run below a folder.

    Members:
        lines (dict of str to set of int): Line numbers by the file's path below the folder; the reader empties them.
    """

    def __init__(self, folder: Path):
        self.lines: dict[str, set[int]] = defaultdict(set)
        self._prefix = f"{folder.resolve()}{os.sep}"
        self._names: dict[str, str | None] = {}

    def __call__(self, frame: FrameType, _event: str, _argument: Any) -> Any:
        """Return the local trace function, for each call of a function, as ``sys.settrace`` requires."""
        path = frame.f_code.co_filename
        if path not in self._names:
            full = os.path.realpath(path)
            self._names[path] = full.removeprefix(self._prefix) if full.startswith(self._prefix) else None
        name = self._names[path]
        if name is None:
            return None
        seen = self.lines[name]
        seen.add(frame.f_lineno)

        def lines(inner: FrameType, event: str, _argument: Any) -> Any:
            if event == "line":
                seen.add(inner.f_lineno)
            return lines

        return lines


def cpu_seconds() -> float:
    """Return the CPU time of this process and of its ended children."""
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, whose))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of this plugin."""
    parser.addoption("--line-map", help="file for a row of JSON per test")
    parser.addoption("--line-map-hardware", default="rtl", help="folder whose lines are recorded")


def pytest_configure(config: pytest.Config) -> None:
    """Start tracing, if a file is named."""
    if config.getoption("--line-map"):
        config.pluginmanager.register(_Recorder(config), "line map recorder")


class _Recorder:
    """Records every test that passes."""

    def __init__(self, config: pytest.Config):
        self.file = Path(str(config.getoption("--line-map")))
        self.tracer = LineTracer(Path(str(config.getoption("--line-map-hardware"))))
        self.passed = True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.passed, before = True, cpu_seconds()
        self.tracer.lines.clear()
        sys.settrace(self.tracer)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            if self.passed and self.tracer.lines:
                self._write(item.nodeid, cpu_seconds() - before)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.passed = self.passed and report.passed

    def _write(self, test: str, seconds: float) -> None:
        lines = {file: f"{sum(1 << line for line in seen):x}" for file, seen in self.tracer.lines.items()}
        with self.file.open("a") as rows:
            rows.write(json.dumps({"test": test, "cpu_seconds": round(seconds, 2), "lines": lines}) + "\n")


@dataclass(frozen=True)
class MappedTest:
    """A test that passed.

    Members:
        name: Test name for pytest.
        cpu_seconds
        lines: Bit n of a file's number: line n runs.
    """

    name: str
    cpu_seconds: float
    lines: dict[str, int]


def read_line_map(file: Path) -> list[MappedTest]:
    """Return the tests by cost, the cheapest first; of repeated tests the last row counts."""
    rows = {}
    for text in file.read_text().splitlines() if file.exists() else ():
        row = json.loads(text)
        lines = {name: int(mask, 16) for name, mask in row["lines"].items()}
        rows[row["test"]] = MappedTest(row["test"], row["cpu_seconds"], lines)
    return sorted(rows.values(), key=lambda test: test.cpu_seconds)
