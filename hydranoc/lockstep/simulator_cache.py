"""Builds in the simulator cache: find or build, keep the limit, and name the folder in errors."""

import contextlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from hydranoc.errors import reason
from hydranoc.lockstep.kept import BYTES_PER_GB, drop_beyond, find_or_build
from hydranoc.reports.progress import Progress
from sim_model.loops.folders import cache_folder
from topology.common.errors import MachineTrouble

DEFAULT_GB = 5.0
LIMIT = "limit.json"
VARIABLE = "HYDRANOC_CACHE_GB"


def limit_gb() -> float:
    """Return the limit from the environment, or the stored one, or the default; invalid numbers are ignored."""
    for text in (os.environ.get(VARIABLE), _set_before()):
        try:
            if text is not None and float(text) >= 0:
                return float(text)
        except (TypeError, ValueError):
            continue
    return DEFAULT_GB


def set_limit_gb(limit: float) -> None:
    """Store a limit for this cache folder."""
    cache_folder().mkdir(parents=True, exist_ok=True)
    (cache_folder() / LIMIT).write_text(json.dumps(limit) + "\n")


def keep_within_limit() -> list[str]:
    """Drop the least recently used simulators beyond the limit, and return their names."""
    return drop_beyond(limit_gb() * BYTES_PER_GB)


def _set_before() -> str | None:
    try:
        return (cache_folder() / LIMIT).read_text()
    except (OSError, ValueError):
        return None


WAITING = "waiting for another process that builds the same simulator"


def build_once(
    name: str, program: str, build: Callable[[Path], None], progress: Progress | None = None
) -> tuple[Path, float]:
    """Return a simulator's folder, and the seconds of its build.

    Parameters:
        name, program, build: As for ``find_or_build``.
        progress: Called if another process builds it.

    Returns:
        folder (Path)
        seconds (float): Wall time; 0 if it was in the cache.

    Raises:
        MachineTrouble: If the folder of simulators cannot be written.
    """
    waiting = (lambda: progress(WAITING, 0, 0)) if progress else None
    with _writable_cache():
        folder, seconds = find_or_build(name, program, build, waiting)
        if seconds:
            keep_within_limit()
    return folder, seconds


def check_cache() -> None:
    """Check that simulators can be kept, before work that would be lost otherwise.

    Raises:
        MachineTrouble: If the folder of simulators cannot be written.
    """
    with _writable_cache() as cache, tempfile.TemporaryFile(dir=cache):
        pass


@contextlib.contextmanager
def _writable_cache() -> Iterator[Path]:
    """Create the folder of simulators; turn write errors there into environment failures."""
    cache = cache_folder()
    try:
        cache.mkdir(parents=True, exist_ok=True)
        yield cache
    except OSError as error:
        raise MachineTrouble(
            f"cannot keep a simulator (HYDRANOC_CACHE says where): {reason(error)}", file=cache
        ) from None
