"""Cache of built simulators: only complete ones, each built once, the least recently used dropped first.

A simulator is a folder of the cache folder. It is built under another name and moved when it is complete. A list of
its files reveals later damage, after which it is rebuilt. A process that builds, runs or drops a simulator holds its
lock.
"""

import contextlib
import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hydranoc.locks import locked, locked_if_free
from sim_model.loops.folders import cache_folder

PEER = "peer"
"""Simulators of other projects, which benchmarks run beside the golden model."""
SIMULATORS = ("verilator", "icarus", PEER)
"""Prefixes of names of folders."""
WHOLE = "whole.json"
BUILDING = ".building"
LOCKS = "locks"
BYTES_PER_GB = 10**9


@dataclass(frozen=True)
class Kept:
    """A simulator in the cache.

    Members:
        name: Of its folder.
        size_bytes
        used: Time of last use, in seconds since 1970.
    """

    name: str
    size_bytes: int
    used: float


def find_or_build(
    name: str, program: str, build: Callable[[Path], None], waiting: Callable[[], None] | None = None
) -> tuple[Path, float]:
    """Return a simulator's folder, and the seconds of its build; 0 if it was in the cache.

    Parameters:
        name: Name of its folder, by its content.
        program: The executable file. It is kept with sources and logs; all other files of the build are deleted.
        build: Builds into a given folder.
        waiting: Called if another process is building it.

    Raises:
        OSError: If the cache folder cannot be written.
    """
    remove_leftovers()
    folder, building = cache_folder() / name, cache_folder() / f"{name}{BUILDING}"
    with locked(_lock(name), waiting=waiting):
        if is_whole(folder):
            os.utime(folder / WHOLE)
            return folder, 0.0
        started = time.monotonic()
        _remove(folder)
        _remove(building)
        building.mkdir()
        try:
            build(building)
            _drop_intermediate_files(building, program)
            _write_whole(building, program)
            building.rename(folder)
        finally:
            _remove(building)
    return folder, time.monotonic() - started


@contextlib.contextmanager
def in_use(folder: Path, rebuild: Callable[[], object] | None = None) -> Iterator[None]:
    """Protect a simulator from being dropped during the block.

    Parameters:
        rebuild: Builds it again, if it has been dropped since its build.
    """
    while True:
        with locked(_lock(folder.name), shared=True):
            if rebuild is None or (folder / WHOLE).exists():
                yield
                return
        rebuild()


def is_whole(folder: Path) -> bool:
    """Return True if a simulator is complete and unchanged."""
    try:
        said = json.loads((folder / WHOLE).read_text())
        return _digest(folder / said["program"]) == said["sha256"]
    except (OSError, ValueError, KeyError, TypeError):
        return False


def kept_simulators() -> list[Kept]:
    """Return all simulators in the cache, the most recently used first."""
    found = []
    for path in _simulators():
        with contextlib.suppress(OSError):  # dropped by another process meanwhile
            whole = path / WHOLE
            used = (whole if whole.exists() else path).stat().st_mtime
            found.append(Kept(path.name, sum(file.lstat().st_size for file in [path, *path.rglob("*")]), used))
    return sorted(found, key=lambda kept: -kept.used)


def drop_beyond(limit_bytes: float) -> list[str]:
    """Drop the least recently used simulators until their total size is within a limit.

    The most recently used one of any size stays, and so do running ones.

    Returns:
        Names of the dropped simulators.
    """
    kept = kept_simulators()
    total = sum(simulator.size_bytes for simulator in kept)
    dropped = []
    for simulator in reversed(kept[1:]):
        if total <= limit_bytes:
            break
        if drop(simulator.name):
            total -= simulator.size_bytes
            dropped.append(simulator.name)
    return dropped


def drop(name: str) -> bool:
    """Drop a simulator unless it is being built or run, and return True if it is gone."""
    with locked_if_free(_lock(name)) as free:
        if free:
            _remove(cache_folder() / name)
    return free


def remove_leftovers() -> None:
    """Remove leftovers of killed builds."""
    for path in cache_folder().glob(f"*{BUILDING}"):
        with locked_if_free(_lock(path.name.removesuffix(BUILDING))) as free:
            if free:
                _remove(path)


def _simulators() -> Iterator[Path]:
    for simulator in SIMULATORS:
        for path in cache_folder().glob(f"{simulator}-*"):
            if path.suffix != BUILDING:
                yield path


def _lock(name: str) -> Path:
    return cache_folder() / LOCKS / name


def _drop_intermediate_files(folder: Path, program: str) -> None:
    """Delete objects and archives, which are many times as large as the program that is linked from them."""
    for path in folder.iterdir():
        if path.name != program and path.suffix not in (".v", ".vlt", ".log", ".f"):
            _remove(path)


def _write_whole(folder: Path, program: str) -> None:
    said = {"program": program, "sha256": _digest(folder / program)}
    (folder / WHOLE).write_text(json.dumps(said) + "\n")


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _remove(path: Path) -> None:
    """Remove a folder, or a file in its place."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
