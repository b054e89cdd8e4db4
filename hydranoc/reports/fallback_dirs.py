"""Fallback folders for the caches of programs, where the user's are not writable.

Yosys in WebAssembly does not start without a cache folder, and Matplotlib complains at length.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from sim_model.loops.folders import cache_folder, user_cache_folder, user_folder

TEMPORARY = "hydranoc-tools-"
"""Prefix of names of folders that are deleted after the run."""


@contextlib.contextmanager
def fallback_cache_dirs() -> Iterator[None]:
    """Set XDG_CACHE_HOME and MPLCONFIGDIR to writable folders during the block.

    The fallback for the user's folders is ``tools`` in the cache folder of HydraNoC, or else a temporary folder, which
    is deleted after the block. Without any the programs report the error.
    """
    wanted = {}
    if not can_be_written(user_cache_folder()):
        wanted["XDG_CACHE_HOME"] = "."
    configuration = Path(os.environ.get("XDG_CONFIG_HOME") or user_folder() / ".config")
    if "MPLCONFIGDIR" not in os.environ and (wanted or not can_be_written(configuration)):
        wanted["MPLCONFIGDIR"] = "matplotlib"
    if not wanted:
        yield
        return
    before = dict(os.environ)
    with contextlib.ExitStack() as stack:
        folder = _stand_in(stack)
        if folder:
            os.environ.update({name: str(folder / below) for name, below in wanted.items()})
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)


def can_be_written(folder: Path) -> bool:
    """Return True if files can be created in a folder, or the folder itself where it is missing."""
    try:
        nearest = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    except OSError:  # too long a name
        return False
    return nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)


def goes_with_the_run(folder: Path) -> bool:
    """Return True for a folder inside a temporary fallback folder of this run."""
    return any(part.startswith(TEMPORARY) for part in folder.parts)


def _stand_in(stack: contextlib.ExitStack) -> Path | None:
    own = cache_folder() / "tools"
    if can_be_written(own):
        with contextlib.suppress(OSError):
            own.mkdir(parents=True, exist_ok=True)
            return own
    import tempfile  # loads modules for compression and random numbers

    with contextlib.suppress(OSError):
        temporary = tempfile.TemporaryDirectory(prefix=TEMPORARY, ignore_cleanup_errors=True)
        return Path(stack.enter_context(temporary))
    return None
