"""No random input of any format ends a command in another way than documented, and the harness finds planted faults."""

import shlex
import time
from pathlib import Path

import click
import numpy as np
import pytest
from hypothesis import strategies as st

from hydranoc.command import exit_code_of
from hydranoc.errors import ConfigError
from hydranoc.reports.output import result_folder
from tests.each import each
from tests.fuzz.case import CONFIGURATION, RESULTS, Case, Format
from tests.fuzz.explore import explore, prepare, run_case
from tests.fuzz.formats import FORMATS
from tests.fuzz.watch import bounded_memory, watched

SAMPLE, ALL = 20, 10_000


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


CASE = Case({CONFIGURATION: b"network: {}\n"}, ("model", CONFIGURATION, "-o", RESULTS))
FORM = Format("planted", st.just(CASE), about=(f"{CONFIGURATION}:",))
SECONDS = 0.3


def wrong_with(work, tmp_path: Path, form: Format = FORM) -> list[str]:
    """Faults that the harness reports for a command that does this."""
    return run_case(form, CASE, tmp_path / "case", lambda _: exit_code_of(work), SECONDS)[1]


def refuse(message: str = "no"):
    raise ConfigError(message, file=CONFIGURATION, line=1)


def write() -> int:
    with result_folder(Path(RESULTS)) as scratch:
        (scratch / "summary.json").write_text("{}\n")
    return 0


def fail(error: BaseException):
    raise error


def hang(handled: type[Exception] | tuple = ()) -> int:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        try:
            sum(range(10_000))
        except handled:
            continue
    return 0


def put(name: str, text: str) -> int:
    Path(name).write_text(text)
    return 0


def put_and_refuse():
    put(f"{RESULTS}/messages.csv", "cycle,sou")
    refuse()


def say_and_refuse():
    click.echo("warning: a", err=True)
    refuse()


def warn_and_refuse():
    np.float64(1e308) * np.array([1e308])
    refuse()


PLANTED = [
    (lambda: {}["a"], "KeyError at "),
    (lambda: fail(MemoryError()), "exit code 3: "),
    (lambda: fail(OverflowError("too large")), "OverflowError at "),
    (lambda: fail(RecursionError("deep")), "RecursionError at "),
    (lambda: fail(SystemExit(7)), "exit code 7"),
    (hang, "hang at "),
    (lambda: hang(Exception), "hang at "),
    (put_and_refuse, "bad input has changed ['messages.csv'] in results"),
    (lambda: put(f"{RESULTS}/summary.json", '{"cycles": 1'), "half-written: summary.json"),
    (lambda: Path(RESULTS, ".hydranoc-left").mkdir() or 0, "left over: results/.hydranoc-..."),
    (lambda: put(CONFIGURATION, "mine\n"), f"input was changed: {CONFIGURATION}"),
    (say_and_refuse, "not one line: "),
    (warn_and_refuse, "not one line: "),
    (lambda: fail(ConfigError("must be right")), "names no file: error: must be right"),
]


@each("work, wrong", PLANTED)
def test_planted_faults_are_caught(work, wrong, tmp_path):
    (found,) = wrong_with(work, tmp_path)
    assert found.startswith(wrong)


def test_what_is_right_passes(tmp_path):
    assert wrong_with(refuse, tmp_path) == wrong_with(write, tmp_path) == []


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
