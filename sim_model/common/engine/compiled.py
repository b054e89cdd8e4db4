"""Compilation of the cycle functions, and a cache that notices changed sources.

Numba's on-disk cache looks only at the file of the cached function itself, but the functions that it calls are compiled
into it, and the classes of its arguments are named in it. So only the outermost loop of a family is cached,
under a name that holds a digest of all the sources that it is built from.
"""

import contextlib
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import njit

ENGINE_FOLDER = Path(__file__).parent
DIGEST_LETTERS = 16

# Array arguments are not reference counted (_nrt): the cycle functions allocate nothing, and the atomic counters
# cost two thirds of the speed.
OPTIONS: dict[str, Any] = {"error_model": "numpy", "_nrt": False, "nogil": True}
# A call passes the state as a hundred and more words, one by one. Left to itself, the compiler inlines a function or
# not by its size, so that a line more in one place could cost or gain a third of the speed in another.
INLINED: dict[str, Any] = {**OPTIONS, "forceinline": True}


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator of a function that is inlined into a compiled loop; its indices are not checked."""
    return njit(**INLINED)(function)


def compiled_apart(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator of a function that runs only with an option: left out of line, it costs the loop nothing without."""
    return njit(**OPTIONS)(function)


def compiled_loop(*folders: Path) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator of a family's outermost loop, which is kept in the on-disk cache.

    Parameters
    ----------
    folders : Path
        Folders with the family's sources; the engine's own are added. A change in any of them compiles anew.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        name = function.__qualname__
        function.__qualname__ = f"{name}_{source_digest(*folders)}"
        try:
            loop = njit(**OPTIONS, cache=True)(function)
        except RuntimeError:  # neither the folder of the sources nor the user's cache can be written
            return njit(**OPTIONS)(function)
        if hasattr(loop, "stats"):  # NUMBA_DISABLE_JIT leaves a plain function
            kept = f"{function.__module__.rpartition('.')[2]}.{name}_"
            _remove_stale(Path(str(loop.stats.cache_path)), kept, function)
            _save_if_there_is_space(loop)
        return loop

    return decorate


def source_digest(*folders: Path) -> str:
    """Digest of the engine's sources and of all Python files in the given folders."""
    digest = hashlib.sha256()
    for folder in (ENGINE_FOLDER, *folders):
        for path in sorted(folder.glob("*.py")):
            digest.update(path.name.encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:DIGEST_LETTERS]


def _save_if_there_is_space(loop: Any) -> None:
    """A full disk under Numba's cache costs compiling once more in the next run, and not this run."""
    save = loop._cache.save_overload

    def save_overload(*arguments: Any) -> None:
        with contextlib.suppress(OSError):
            save(*arguments)

    loop._cache.save_overload = save_overload


def _remove_stale(cache_folder: Path, prefix: str, function: Callable[..., Any]) -> None:
    """Delete what earlier sources left in the cache. Another process may be doing the same."""
    current = function.__qualname__
    for path in cache_folder.glob(f"{prefix}*.nb?"):
        if current not in path.name:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
