"""Builds in the simulator cache: find or build, keep the limit, and name the folder in errors."""

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from hydranoc.cache import cache_folder
from hydranoc.errors import reason
from hydranoc.lockstep.kept import find_or_build
from hydranoc.lockstep.limit import keep_within_limit
from hydranoc.reports.progress import Progress
from topology.common.trouble import MachineTrouble

WAITING = "waiting for another process that builds the same simulator"


def build_once(
    name: str, program: str, build: Callable[[Path], None], progress: Progress | None = None
) -> tuple[Path, float]:
    """Return a simulator's folder, and the seconds of its build.

    Parameters
    ----------
    name, program, build
        As for ``find_or_build``.
    progress : callable or None
        Called if another process builds it.

    Returns
    -------
    folder : Path
    seconds : float
        Wall time; 0 if it was in the cache.

    Raises
    ------
    MachineTrouble
        If the folder of simulators cannot be written.
    """
    waiting = (lambda: progress(WAITING, 0, 0)) if progress else None
    with _writable_cache():
        folder, seconds = find_or_build(name, program, build, waiting)
        if seconds:
            keep_within_limit()
    return folder, seconds


def check_cache() -> None:
    """Check that simulators can be kept, before work that would be lost otherwise.

    Raises
    ------
    MachineTrouble
        If the folder of simulators cannot be written.
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
