"""Random input for each format: no traceback, no hang, one clear line, nothing half-written.

A sample that is always the same by default, and 10,000 cases of each with ``--slow``; ``python -m tests.fuzz`` collects
what it finds instead of ending with the first fault.
"""

import shlex
import subprocess
import sys
import tempfile
from itertools import islice
from pathlib import Path

import pytest

from tests.fuzz.case import Case, Format
from tests.fuzz.explore import explore, prepare, run_case
from tests.fuzz.formats import FORMATS

SAMPLE, ALL = 60, 10_000
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
