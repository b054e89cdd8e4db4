"""Progress bars: when they are there, and when not."""

import io
import time

import pytest

from hydranoc.reports import progress
from hydranoc.reports.progress import progress_bars


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


def test_without_a_terminal_there_is_nothing(stderr):
    terminal = stderr(False)
    with progress_bars("building"):
        time.sleep(0.8)
    assert terminal.getvalue() == ""
