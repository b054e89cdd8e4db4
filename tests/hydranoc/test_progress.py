"""Progress: bars on a terminal, lines without one, nothing if it is not wanted."""

import io
import time
from pathlib import Path

import pytest

from hydranoc import Design, load
from hydranoc.reports import progress
from hydranoc.reports.progress import progress_bars

EXAMPLE = Path(__file__).parents[2] / "examples" / "fig1.yaml"


class Terminal(io.StringIO):
    """Stands for stderr."""

    def __init__(self, is_terminal: bool):
        super().__init__()
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


@pytest.fixture
def stderr(monkeypatch):
    """Replaces stderr; bars come after a quarter of the usual time."""

    def replace(is_terminal: bool) -> Terminal:
        terminal = Terminal(is_terminal)
        monkeypatch.setattr("sys.stderr", terminal)
        monkeypatch.setattr(progress, "SHOWN_AFTER_SECONDS", 0.5)
        monkeypatch.setattr(progress, "REFRESH_SECONDS", 0.05)
        monkeypatch.setattr(progress, "LINE_SECONDS", 0.5)
        monkeypatch.delenv(progress.SWITCH)
        return terminal

    return replace


def test_long_work_that_does_not_report_shows_how_long_it_has_been_going_on(stderr):
    terminal = stderr(True)
    with progress_bars("building"):
        time.sleep(0.8)
    assert "building 00:00" in terminal.getvalue()


def test_work_that_reports_shows_how_far_it_is(stderr):
    terminal = stderr(True)
    with progress_bars("preparing") as report:
        report("simulating", 0, 50)
        time.sleep(0.7)
        report("simulating", 25, 50)
        time.sleep(0.2)
    assert "preparing" not in terminal.getvalue()
    assert "25/50" in terminal.getvalue()


def test_short_work_shows_nothing(stderr):
    terminal = stderr(True)
    with progress_bars("building") as report:
        report("simulating", 1, 2)
    assert terminal.getvalue().strip() == ""


def test_without_a_terminal_there_is_a_line_now_and_then(stderr):
    terminal = stderr(False)
    with progress_bars("building"):
        time.sleep(1.4)
    lines = terminal.getvalue().splitlines()
    assert len(lines) == 2
    assert lines[0] in ("building: 0 s", "building: 1 s")
    assert "\r" not in terminal.getvalue()


def test_lines_say_how_far_it_is(stderr):
    terminal = stderr(False)
    with progress_bars("preparing") as report:
        report("simulating", 25, 50)
        time.sleep(0.8)
    assert terminal.getvalue().startswith("simulating: 50%, ")


def test_works_that_follow_each_other_quickly_are_told_as_well(stderr):
    terminal = stderr(False)
    with progress_bars() as report:
        for number in range(4):
            report(f"step {number}", 0, 0)
            time.sleep(0.2)
    assert terminal.getvalue().count("\n") == 1
    assert terminal.getvalue().startswith("step ")


@pytest.mark.parametrize("is_terminal", [True, False])
def test_progress_can_be_turned_off(is_terminal, stderr, monkeypatch):
    terminal = stderr(is_terminal)
    monkeypatch.setenv(progress.SWITCH, "off")
    with progress_bars("building") as report:
        report("building", 1, 2)
        time.sleep(0.8)
    assert terminal.getvalue() == ""


def test_a_stderr_that_nobody_reads_ends_no_work(stderr, monkeypatch):
    terminal = stderr(False)

    def broken(_: str):
        raise BrokenPipeError

    monkeypatch.setattr(terminal, "write", broken)
    with progress_bars("building"):
        time.sleep(0.8)


def test_no_work_stands_at_its_end_while_the_next_one_runs(tmp_path, monkeypatch):
    """Verilog is made after the golden model has run, and summaries after its last cycle."""
    design, told = load(EXAMPLE), []

    def stopped(_: Design):
        told.append("harness")
        raise InterruptedError

    monkeypatch.setattr(Design, "harness", stopped)
    with pytest.raises(InterruptedError):
        design.compare("icarus", tmp_path, progress=lambda work, *_: told.append(work))
    assert list(dict.fromkeys(told)) == ["simulating", "statistics", "writing Verilog", "harness"]
