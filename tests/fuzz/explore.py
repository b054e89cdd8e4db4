"""Runs cases of a format, one after the other, each in a folder of its own."""

import contextlib
import os
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

from hypothesis import HealthCheck, Phase, given, seed, settings

from hydranoc.command import execute
from tests.fuzz.case import OLD, RESULTS, Case, Format, faults
from tests.fuzz.watch import MAX_CPU_SECONDS, Ended, Reached, bounded_memory, unstuck, watched

COMPILATION_SECONDS = 500.0
Judged = tuple[Ended, list[str]]


def run_case(
    form: Format,
    case: Case,
    folder: Path,
    command: Callable[[tuple[str, ...]], int] = execute,
    cpu_seconds: float = MAX_CPU_SECONDS,
) -> Judged:
    """Run a case in an empty folder: how it ended, and the faults in that."""
    (folder / RESULTS).mkdir(parents=True, exist_ok=True)
    _empty(folder, {RESULTS})
    _empty(folder / RESULTS, {*OLD})
    for name, content in {**form.keep, **case.files}.items():
        (folder / name).write_bytes(content)
    for name, content in OLD.items():
        (folder / RESULTS / name).write_bytes(content)
    # caches between runs are the user's: commands such as "cache --clear" must not find them
    own = {"HYDRANOC_CACHE": str(folder.parent / "cache"), "HYDRANOC_PROGRESS": "off"}
    with contextlib.chdir(folder), mock.patch.dict(os.environ, own), _stops(form):
        if form.large is not None and watched(lambda: int(bool(form.large and form.large(folder, case)))).code == 1:
            return Ended(None, "large"), []
        ended = watched(lambda: command(case.arguments), cpu_seconds)
    return ended, faults(form, case, ended, folder)


def _empty(folder: Path, stays: set[str]) -> None:
    """Remove what earlier cases have left; folders that every case has stay, as making them takes time."""
    for entry in os.scandir(folder):
        if entry.name not in stays and entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path, ignore_errors=True)
        elif entry.name not in stays:
            os.unlink(entry.path)


def prepare(form: Format, folder: Path) -> None:
    """Run the first cases of a format, which compile the loops for the others."""
    for case in form.first:
        ended, wrong = run_case(form, case, folder, cpu_seconds=COMPILATION_SECONDS)
        assert not wrong, (wrong, ended)
        assert ended.code == 0, ended


@contextlib.contextmanager
def _stops(form: Format) -> Iterator[None]:
    """Functions that begin long work end the command instead."""
    with contextlib.ExitStack() as stack:
        for owner, name in form.reached:
            stack.enter_context(mock.patch.object(owner, name, side_effect=Reached))
        yield


def explore(form: Format, cases: int, first: int, judge: Callable[[Case], None], *, shrink: bool = True) -> None:
    """Give ``count`` cases of a format to a judge; ``first`` is the seed of the first one."""
    phases = (Phase.generate, Phase.shrink) if shrink else (Phase.generate,)

    @seed(first)
    @settings(
        max_examples=cases,
        database=None,
        deadline=None,
        phases=phases,
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @given(form.cases)
    def one(case: Case) -> None:
        judge(case)

    with bounded_memory(), unstuck():
        one()


@dataclass
class Tally:
    """Findings of a campaign."""

    codes: Counter[str] = field(default_factory=Counter)
    found: dict[str, tuple[str, Case, str]] = field(default_factory=dict)

    def add(self, case: Case, judged: Judged) -> None:
        ended, wrong = judged
        self.codes[ended.said if ended.code is None and not ended.trouble else str(ended.code)] += 1
        for fault in wrong:
            kind = kind_of(fault)
            if kind not in self.found or _size(case) < _size(self.found[kind][1]):
                self.found[kind] = fault, case, ended.stack


def kind_of(fault: str) -> str:
    """The common part of faults of one origin: the message without the values in it."""
    return re.sub(r"[^a-z. ]+", "-", fault[:70] if "at" not in fault.split(": ")[0] else fault.split(": ")[0])


def _size(case: Case) -> int:
    return sum(map(len, case.files.values())) + sum(map(len, case.arguments))


def campaign(form: Format, cases: int, first: int, folder: Path) -> Tally:
    """Run all cases, including those after a fault."""
    tally = Tally()
    prepare(form, folder)
    explore(form, cases, first, lambda case: tally.add(case, run_case(form, case, folder)), shrink=False)
    return tally
