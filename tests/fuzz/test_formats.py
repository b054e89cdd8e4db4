"""No random input of any format ends a command in another way than documented, and the harness finds planted faults."""

import shlex
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

import click
import numpy as np
import pytest
from hypothesis import strategies as st

from hydranoc.command import exit_code_of
from hydranoc.errors import ConfigError
from hydranoc.reports.output import result_folder
from tests.fuzz.case import CONFIGURATION, RESULTS, Case, Format
from tests.fuzz.explore import campaign, explore, prepare, run_case
from tests.fuzz.formats import FORMATS
from tests.fuzz.watch import bounded_memory, watched

SAMPLE, ALL = 30, 10_000
COMMANDS, ALL_COMMANDS = 1, 20
"""Cases of each format that the installed command runs as well, each in a process of its own."""
COMMANDED = ("configurations", "graphml", "chakra", "command lines")
"""Formats whose process runs are done without ``--slow`` too: a start takes seconds."""
COMMAND = (sys.executable, "-m", "hydranoc")
STARTS_WORK = ("command lines", "sweep axes", "hardware")
"""Formats whose valid cases take minutes; only invalid ones are given to the command."""


@pytest.fixture
def cases(request) -> int:
    wanted = request.config.getoption("--fuzz-cases")
    return wanted or (ALL if request.config.getoption("--slow") else SAMPLE)


@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda form: form.name)
def test_input_at_random_is_taken_or_refused(form: Format, cases, tmp_path):
    codes = []

    def judge(case: Case) -> None:
        ended, wrong = run_case(form, case, tmp_path / "case")
        assert not wrong, "\n".join([*wrong, f"hydranoc {shlex.join(case.arguments)}", ended.stack])
        codes.append(ended.code)

    prepare(form, tmp_path / "case")
    explore(form, cases, 0, judge)
    assert 2 in codes  # otherwise no input is damaged
    assert {0, 1} & {*codes}  # otherwise all input is refused early


@pytest.mark.parametrize(
    "form",
    [pytest.param(form, marks=() if form.name in COMMANDED else pytest.mark.slow) for form in FORMATS.values()],
    ids=lambda form: form.name,
)
def test_the_installed_command_ends_in_the_same_way(form: Format, request, tmp_path):
    wanted = ALL_COMMANDS if request.config.getoption("--slow") else COMMANDS
    with tempfile.TemporaryDirectory() as apart:
        found: list[tuple[Case, int]] = []

        def keep(case: Case) -> None:
            ended, _ = run_case(form, case, Path(apart) / "case")
            if ended.code is not None and (ended.code == 2 or form.name not in STARTS_WORK):
                found.append((case, ended.code))

        explore(form, 2 * wanted + 10, 1, keep)
    assert len(found) >= wanted
    for case, code in islice(found, len(found) // 2 % wanted, None, len(found) // wanted):
        if not any("\0" in word for word in case.arguments):
            assert _of_command(form, case, tmp_path) == (code, [])


def _of_command(form: Format, case: Case, folder: Path) -> tuple[int | None, list[str]]:
    """Exit code of a case that a process of its own runs, and its faults."""

    def command(arguments: tuple[str, ...]) -> int:
        done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=120, check=False)
        sys.stderr.write(done.stderr)
        return done.returncode

    ended, wrong = run_case(form, case, folder / "case", command)
    return ended.code, wrong


CASE = Case({CONFIGURATION: b"network: {}\n"}, ("model", CONFIGURATION, "-o", RESULTS))
FORM = Format("planted", st.just(CASE), about=(f"{CONFIGURATION}:",))
SECONDS = 0.3


def wrong_with(work, tmp_path: Path, form: Format = FORM) -> list[str]:
    """Faults that the harness reports for a command that does this."""
    return run_case(form, CASE, tmp_path / "case", lambda _: exit_code_of(work), SECONDS)[1]


def refuse(message: str = "no"):
    raise ConfigError(message, file=CONFIGURATION, line=1)


def test_what_is_right_passes(tmp_path):
    def write() -> int:
        with result_folder(Path(RESULTS)) as scratch:
            (scratch / "summary.json").write_text("{}\n")
        return 0

    assert wrong_with(refuse, tmp_path) == []
    assert wrong_with(write, tmp_path) == []


def test_a_traceback_is_caught(tmp_path):
    (wrong,) = wrong_with(lambda: {}["a"], tmp_path)
    assert wrong.startswith("KeyError at ")


@pytest.mark.parametrize("error", [MemoryError(), OverflowError("too large"), RecursionError("deep"), SystemExit(7)])
def test_other_ends_are_caught(error, tmp_path):
    def fail():
        raise error

    assert len(wrong_with(fail, tmp_path)) == 1


def test_a_hang_is_caught(tmp_path):
    def hang() -> int:
        until = time.monotonic() + 30
        while time.monotonic() < until:
            pass
        return 0

    (wrong,) = wrong_with(hang, tmp_path)
    assert wrong.startswith("hang at ")
    assert "more than 0.3 CPU seconds" in wrong


def test_a_hang_that_handles_errors_is_caught(tmp_path):
    def hang() -> int:
        until = time.monotonic() + 30
        while time.monotonic() < until:
            try:
                sum(range(10_000))
            except Exception:
                continue
        return 0

    (wrong,) = wrong_with(hang, tmp_path)
    assert wrong.startswith("hang at ")


def test_a_hang_in_compiled_code_ends_the_process():
    work = "w.watched(lambda: bool((1 << 300_000_000) ** 7))"
    program = f"import tests.fuzz.watch as w; w.STUCK_SECONDS = 1.0\nwith w.unstuck(): {work}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "Timeout" in done.stderr


def test_a_half_written_file_is_caught(tmp_path):
    def write_and_refuse():
        (Path(RESULTS) / "messages.csv").write_text("cycle,sou")
        refuse()

    def write_half() -> int:
        (Path(RESULTS) / "summary.json").write_text('{"cycles": 1')
        return 0

    def leave() -> int:
        (Path(RESULTS) / ".hydranoc-left").mkdir()
        return 0

    assert wrong_with(write_and_refuse, tmp_path) == ["bad input has changed ['messages.csv'] in results"]
    assert wrong_with(write_half, tmp_path) == ["half-written: summary.json"]
    assert wrong_with(leave, tmp_path) == ["left over: results/.hydranoc-..."]


def test_input_that_is_changed_is_caught(tmp_path):
    def overwrite() -> int:
        Path(CONFIGURATION).write_text("mine\n")
        return 0

    assert wrong_with(overwrite, tmp_path) == [f"input was changed: {CONFIGURATION}"]


def test_errors_that_are_not_one_clear_line_are_caught(tmp_path):
    def two_lines():
        click.echo("warning: a", err=True)
        refuse()

    def no_file():
        raise ConfigError("must be right")

    def warn():
        np.float64(1e308) * np.array([1e308])
        refuse()

    assert wrong_with(two_lines, tmp_path)[0].startswith("not one line: ")
    assert wrong_with(warn, tmp_path)[0].startswith("not one line: ")
    assert wrong_with(no_file, tmp_path) == ["names no file: error: must be right"]


def test_memory_has_a_bound():
    with bounded_memory(1 << 28):
        ended = watched(lambda: len(bytes(1 << 30)))
    assert ended.trouble.startswith("MemoryError at ")
    assert watched(lambda: len(bytes(1 << 29)) * 0).code == 0


def test_the_shortest_case_is_found():
    form = Format("planted", st.binary(max_size=50).map(lambda data: Case({"a": data}, ())))

    def judge(case: Case) -> None:
        assert b"x" not in case.files["a"], case.files["a"]

    with pytest.raises(AssertionError) as failure:
        explore(form, 500, 0, judge)
    assert str(failure.value).startswith("b'x'")


def test_a_campaign_tells_faults_apart(tmp_path, monkeypatch):
    form = Format("planted", st.integers(0, 3).map(lambda kind: Case({"a": bytes(kind)}, (str(kind),))))

    def command(arguments):
        return exit_code_of(lambda: [refuse, dict, {}.popitem, [].pop][int(arguments[0])]())

    monkeypatch.setattr(run_case, "__defaults__", (command, SECONDS))
    tally = campaign(form, 50, 0, tmp_path / "case")
    assert sorted(fault.partition(" ")[0] for fault, _, _ in tally.found.values()) == ["IndexError", "KeyError"]
    assert tally.codes["2"] == tally.codes["0"] == 1
