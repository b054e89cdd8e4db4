"""Cases of a format, and the verdict on each run."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis.strategies import SearchStrategy

from hydranoc.command import MAX_ERROR
from tests.fuzz.watch import Ended

CONFIGURATION = "network.yaml"
RESULTS = "results"


@dataclass(frozen=True)
class Case:
    """A command line, run in a folder that has these files."""

    files: dict[str, bytes]
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class Format:
    """An input format, and its cases."""

    name: str
    cases: SearchStrategy[Case] = field(repr=False)
    about: tuple[str, ...] = ()  # beginnings of an error: the files that can be wrong; empty where input is no file
    large: Callable[[Path, Case], bool] | None = None  # True for a valid request that takes its time; it may fail
    reached: tuple[tuple[object, str], ...] = ()  # (owner, name) of functions that start long work and end the case
    first: tuple[Case, ...] = ()  # before all others, without a limit of time: loops are compiled then
    keep: dict[str, bytes] = field(default_factory=dict)  # files that every case finds


OLD = {"messages.csv": b"of an earlier run\n", "summary.json": b"{}\n"}
"""Content of the results folder before the command."""
TOLD = "error: "


def faults(form: Format, case: Case, ended: Ended, folder: Path) -> list[str]:
    """The faults, one line each; empty if there are none."""
    found = [*_of_end(ended), *_left_over(case, folder)]
    if ended.trouble:
        return found
    if ended.code == 2:
        found += [*_of_line(form, ended.said), *_touched(folder)]
    elif ended.code in (0, 1):
        found += [*_half_written(folder), *_noise(ended.said)]
    return found


def _of_end(ended: Ended) -> Iterator[str]:
    if ended.trouble:
        yield ended.trouble
    elif ended.code not in (0, 1, 2):
        yield f"exit code {ended.code}: {ended.said[:200]}"


def _of_line(form: Format, said: str) -> Iterator[str]:
    """The one line of an error: printable, and with the file that it is about."""
    line = said.removesuffix("\n")
    if "\n" in line or not line.startswith(TOLD):
        yield f"not one line: {said[:300]!r}"
    elif not line.isprintable():
        yield f"not printable: {re.sub('[0-9]+', '9', line)[:200]!r}"
    elif len(line) > MAX_ERROR + 20:
        yield f"{len(line)} letters in one line"
    elif form.about and not line.removeprefix(TOLD).startswith(form.about):
        yield f"names no file: {line[:200]}"


def _noise(said: str) -> Iterator[str]:
    """Warnings and stacks beside a result."""
    if "Warning: " in said or "Traceback" in said:
        yield f"beside a result: {said[:300]!r}"


def _left_over(case: Case, folder: Path) -> Iterator[str]:
    """Scratch folders, and files that no command may leave."""
    scratch = [path for path in folder.rglob(".hydranoc-*") if not path.name.endswith(".lock")]
    if scratch:
        yield f"left over: {scratch[0].relative_to(folder).parent}/.hydranoc-..."
    for name, content in case.files.items():
        if (folder / name).read_bytes() != content:
            yield f"input was changed: {name}"


def _touched(folder: Path) -> Iterator[str]:
    """Bad input leaves the results of earlier runs as they were."""
    results = folder / RESULTS
    there = {path.name: path.read_bytes() for path in results.rglob("*") if path.is_file()}
    if there != OLD:
        names = sorted({*there, *OLD})
        yield f"bad input has changed {[name for name in names if there.get(name) != OLD.get(name)]} in {RESULTS}"


def _half_written(folder: Path) -> Iterator[str]:
    """Results are whole, each in its own format."""
    for path in (folder / RESULTS).iterdir():
        if path.suffix == ".json" and not _is_json(path):
            yield f"half-written: {path.name}"
        if path.suffix in (".csv", ".svg", ".goal", ".html") and not path.read_bytes().endswith(b"\n"):
            yield f"half-written: {path.name} has no end of line"


def _is_json(path: Path) -> bool:
    try:
        json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return False
    return True
