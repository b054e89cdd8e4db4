"""Machine code of loops in files: those of the user's cache folder, and those that come with the package.

A file is named by a digest of everything that its code depends on, so that any change of it is another file. Neither
the place of the sources nor the user is part of it.
"""

import contextlib
import hashlib
import os
import re
import time
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sim_model.loops.arguments import Layout
from sim_model.loops.digest import source_digest
from sim_model.loops.folders import SHIPPED_FOLDER, loop_folder
from sim_model.loops.notices import compiling
from sim_model.loops.processors import baselines, is_host, processor, system

MAGIC = b"HydraNoC loop 1\n"
DAY_SECONDS = 24 * 60 * 60
DAYS_KEPT = 90
"""Days that a file is kept after its last use."""
_shipping = False


def find_object_file(loop: Any, layouts: Sequence[Layout], arguments: Sequence[Any] | None = None) -> bytes | None:
    """Return a loop's object file, kept or shipped with the package, or else newly compiled and kept.

    If a source has changed since it was loaded, its digest is of other code: nothing is kept or read.

    Parameters:
        loop (Loop)
        layouts: Of its arguments.
        arguments: Arguments of these types to compile the loop for; without them, a loop that is not kept is not
            compiled.

    Returns:
        None only without arguments.
    """
    built_from = _built_from(loop, layouts)
    if built_from is None:
        return None if arguments is None else _compile(loop, arguments)
    own = _own_file(loop.name, built_from)
    for path in (own, *_shipped(loop.name, built_from)):
        object_file = read(path)
        if object_file is not None:
            _note_use(path)
            return object_file
    if arguments is None:
        return None
    object_file = _compile(loop, arguments)
    keep(own, object_file)
    return object_file


def ship() -> None:
    """Make this process compile loops into the package: for the baseline that Numba's variables name."""
    global _shipping
    _shipping = True


def _own_file(name: str, built_from: str) -> Path:
    """Return the file of a loop's machine code."""
    if _shipping:
        return SHIPPED_FOLDER / _file_name(name, built_from, processor())
    return loop_folder() / _file_name(name, built_from, processor(), *_versions())


def _compile(loop: Any, arguments: Sequence[Any]) -> bytes:
    with compiling(loop.name):
        from sim_model.loops.compilation import compile_loop

        return compile_loop(loop.py_func, arguments)


def _shipped(name: str, built_from: str) -> Iterator[Path]:
    """Yield shipped files with code for this processor. They may be built with other versions of Numba."""
    if is_host() and SHIPPED_FOLDER.is_dir():
        for baseline in baselines():
            yield SHIPPED_FOLDER / _file_name(name, built_from, baseline)


def _built_from(loop: Any, layouts: Sequence[Layout]) -> str | None:
    sources = source_digest(loop.py_func, [kind for layout in layouts for kind in layout.kinds])
    return sources and "\n".join((sources, *(layout.signature for layout in layouts)))


def _file_name(name: str, *dependencies: Any) -> str:
    digest = hashlib.sha256("\n".join(map(str, (MAGIC, system(), *dependencies))).encode()).hexdigest()
    return f"{re.sub(r'[^A-Za-z0-9_]+', '_', name)}-{digest[:32]}.o"


@cache
def _versions() -> tuple[str, ...]:
    """Return digests of the files that hold the compiler's versions: metadata of packages load a parser of e-mail."""
    files = [
        Path(folder, "_version.py")
        for package in ("numba", "llvmlite")
        for folder in getattr(find_spec(package), "submodule_search_locations", None) or ()
    ]
    return tuple(hashlib.sha256(file.read_bytes()).hexdigest() for file in files)


def read(path: Path) -> bytes | None:
    """Return the object file that is kept in a file; None if there is none, or it is damaged."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    begin = len(MAGIC) + hashlib.sha256().digest_size
    object_file = content[begin:]
    return object_file if content[:begin] == MAGIC + hashlib.sha256(object_file).digest() else None


def keep(path: Path, object_file: bytes) -> None:
    """Write a file atomically, and remove old ones beside it. An unwritable folder costs compiling again."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
        try:
            part.write_bytes(MAGIC + hashlib.sha256(object_file).digest() + object_file)
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)
        _remove_old(path.parent)


def _note_use(path: Path) -> None:
    with contextlib.suppress(OSError):
        if path.parent != SHIPPED_FOLDER and time.time() - path.stat().st_mtime > DAY_SECONDS:
            os.utime(path)


def _remove_old(folder: Path) -> None:
    """Remove files that have not been used for long. Another process may do so at once."""
    oldest = time.time() - DAYS_KEPT * DAY_SECONDS
    for path in (*folder.glob("*.o"), *folder.glob("*.part")):
        with contextlib.suppress(OSError):
            if path.stat().st_mtime < oldest:
                path.unlink()
