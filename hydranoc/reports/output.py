"""Result folders without partial files."""

import contextlib
import errno
import os
import re
import shutil
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from hydranoc.errors import file_error
from hydranoc.locks import locked, locked_if_free
from hydranoc.reports.interrupts import raise_on_signals

WRITING = "cannot write results"
SCRATCH = ".hydranoc-scratch-"
_SCRATCH_NAME = re.compile(rf"{re.escape(SCRATCH)}[a-z0-9_]{{8}}")


@contextlib.contextmanager
def result_folder(folder: Path, *, stale: Collection[str] = ()) -> Iterator[Path]:
    """Yield a scratch folder, whose files move into ``folder`` when the block ends without an error.

    The scratch folder lies inside ``folder``, so that moving a file is one step of the file system, and a folder that
    cannot be written is noticed before any work is done. After an error, an interrupt or the signal TERM ``folder`` is
    as it was before.

    Parameters:
        stale: Results that not every run writes: those of earlier runs are deleted, to avoid confusion with this run's.

    Raises:
        ConfigError, MachineTrouble: If the folder cannot be made, or a result not be written.
    """
    made: list[Path] = []
    stack = contextlib.ExitStack()
    try:
        made = _missing_parents(folder)
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder):
            _remove_leftovers(folder)
            scratch = Path(tempfile.mkdtemp(prefix=SCRATCH, dir=folder))
            stack.enter_context(locked(scratch))
    except OSError as error:
        _remove(made)
        raise file_error(WRITING, error, folder) from None
    except KeyboardInterrupt:
        stack.close()
        _remove_leftovers(folder)
        _remove(made)
        raise
    try:
        with stack:  # its lock shows other runs that the scratch folder is in use
            with raise_on_signals():
                yield scratch
            with locked(folder):
                _publish(scratch, folder, stale)
        made = []
    except OSError as error:
        written = _result_of(error, scratch)
        if written is None:
            raise
        raise file_error(WRITING, error, folder / written) from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        _remove(made)


def _remove_leftovers(folder: Path) -> None:
    """Remove leftovers of killed runs: scratch folders without a lock."""
    for scratch in folder.glob(f"{SCRATCH}*"):
        if not _SCRATCH_NAME.fullmatch(scratch.name):
            continue
        with contextlib.suppress(FileNotFoundError), locked_if_free(scratch, make=False) as free:
            if free:
                shutil.rmtree(scratch, ignore_errors=True)


def _remove(folders: Iterable[Path]) -> None:
    for folder in folders:
        with contextlib.suppress(OSError):
            folder.rmdir()


def _result_of(error: OSError, scratch: Path) -> Path | str | None:
    """Return the result that could not be written, relative to its folder; None if the error is about another file.

    A full disk has no name when a file was opened before it was full: then it is the folder.
    """
    if error.filename is None:
        return ""
    if not isinstance(error.filename, str):
        return None
    path = Path(error.filename)
    return path.relative_to(scratch) if path.is_relative_to(scratch) else None


def check_can_be_file(path: Path) -> None:
    """Check that a result can be written under a name.

    Raises:
        ConfigError: If there is a folder of this name.
    """
    if path.is_dir():
        raise file_error(WRITING, IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR)), path)


def write_whole(files: Mapping[Path, str]) -> None:
    """Write texts to files of one folder: all of them, or after an error none.

    Raises:
        ConfigError, MachineTrouble: If a file cannot be written.
    """
    (folder,) = {path.parent for path in files}
    with result_folder(folder) as scratch:
        for path, text in files.items():
            try:
                (scratch / path.name).write_text(text, encoding="utf-8")
            except OSError as error:
                raise file_error(WRITING, error, path) from None


def _publish(scratch: Path, folder: Path, stale: Collection[str]) -> None:
    names = [path.relative_to(scratch) for path in sorted(scratch.rglob("*")) if path.is_file()]
    for name in (*names, *map(Path, stale)):
        _check_place(folder, name)
    try:
        for name in stale:
            (folder / name).unlink(missing_ok=True)
        for name in names:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            (scratch / name).replace(target)
    except OSError as error:
        raise file_error(WRITING, error, error.filename2 or folder) from None


def _check_place(folder: Path, name: Path) -> None:
    """Check that a result can be moved to its place.

    Raises:
        ConfigError: If a folder has its name, or a file that of one of its folders.
    """
    check_can_be_file(folder / name)
    for parent in name.parents[:-1]:
        if (folder / parent).exists() and not (folder / parent).is_dir():
            raise file_error(WRITING, NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)), folder / parent)


def _missing_parents(folder: Path) -> list[Path]:
    """Return folders that will have to be made, the deepest first."""
    return [path for path in (folder, *folder.parents) if not path.exists()]
