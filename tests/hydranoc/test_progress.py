"""Progress: bars on a terminal, lines without one, nothing if it is disabled."""

import io
import time
from pathlib import Path

import pytest
import yaml

from hydranoc import load
from hydranoc.lockstep import simulator
from hydranoc.lockstep.pending_build import BUILDING
from hydranoc.reports import progress
from hydranoc.reports.progress import Work, progress_bars

EXAMPLE = Path(__file__).parents[2] / "examples" / "fig1.yaml"
SETTING_UP = ["building routing tables", "drawing messages", "setting up the golden model"]


class Terminal(io.StringIO):
    """Stand-in for stderr."""

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


def test_lines_say_in_what_it_is_counted_and_what_is_left(stderr):
    terminal = stderr(False)
    with progress_bars() as report:
        report(Work("simulating", "cycles", "no deliveries"), 1_000, 5_000)
        time.sleep(0.4)
        report(Work("simulating", "cycles", "3 of 9 deliveries"), 2_000, 5_000)
        time.sleep(0.4)
    line = terminal.getvalue().splitlines()[0]
    assert line.startswith("simulating: 40%, 2,000 of 5,000 cycles, 3 of 9 deliveries, ")
    assert line.endswith(" s, 1 s left")  # 3,000 cycles at 2,500 per second


def test_a_run_tells_of_cycles_and_deliveries():
    told = []
    outcome = load(EXAMPLE).simulate(lambda *call: told.append(call))
    work, done, total = [call for call in told if call[0] == "simulating"][-1]
    deliveries = outcome.figures["deliveries"]
    assert (work.unit, work.note) == ("cycles", f"{deliveries} of {deliveries} deliveries")
    assert done == total == outcome.figures["cycles"]


def test_a_run_that_lags_behind_takes_as_long_as_what_is_left_of_it():
    """Its last message starts early, so the deliveries measure the progress."""
    told = []
    messages = [{"source": 0, "destinations": [1], "flits": 4000, "start_cycle": 0} for _ in range(10)]
    design = load({**yaml.safe_load(EXAMPLE.read_text()), "traffic": {"kind": "list", "messages": messages}})
    cycles = design.simulate(lambda *call: told.append(call)).figures["cycles"]
    totals = [total for work, _, total in told if work == "simulating"]
    assert totals[len(totals) // 2] == pytest.approx(cycles, rel=0.3)


@pytest.mark.parametrize("is_terminal", [True, False])
def test_progress_can_be_turned_off(is_terminal, stderr, monkeypatch):
    terminal = stderr(is_terminal)
    monkeypatch.setenv(progress.SWITCH, "off")
    with progress_bars("building") as report:
        report("building", 1, 2)
        time.sleep(0.8)
    assert terminal.getvalue() == ""


def test_no_work_stands_at_its_end_while_the_next_one_runs(tmp_path, monkeypatch):
    """Summaries are made after the golden model's last cycle, and then the simulator is built."""
    design, told = load(EXAMPLE), []

    def stopped(*_, **__):
        told.append("built")
        raise InterruptedError

    monkeypatch.setattr(simulator, "build_simulator", stopped)
    with pytest.raises(InterruptedError):
        design.compare("icarus", tmp_path, progress=lambda work, *_: told.append(work))
    works = ["writing Verilog", *SETTING_UP, "simulating", "statistics", BUILDING, "built"]
    assert list(dict.fromkeys(told)) == works


@pytest.mark.parametrize(
    ("loop", "text"),
    [
        ("run_planes_torus_5_2_4", "the torus engine"),
        ("run_cycles_min", "the MIN engine"),
        ("write_signals", "write signals"),
    ],
)
def test_loops_are_named_by_their_family(loop, text):
    assert progress.compiling_text(loop) == f"compiling {text}, once per machine"
