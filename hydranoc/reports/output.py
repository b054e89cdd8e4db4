"""Result folders in which nothing is ever half-written."""

import contextlib
import shutil
import signal
import tempfile
import threading
from collections.abc import Collection, Iterator
from pathlib import Path

from hydranoc.errors import ConfigError, reason


@contextlib.contextmanager
def result_folder(folder: Path, *, stale: Collection[str] = ()) -> Iterator[Path]:
    """A scratch folder whose files move into ``folder`` when the block ends without an error.

    The scratch folder lies inside ``folder``, so that moving a file is one step of the file system, and a folder that
    cannot be written is noticed before any work is done. After an error, an interrupt or the signal TERM ``folder`` is
    as it was before.

    Parameters
    ----------
    folder : Path
    stale : collection of str
        Results that not every run writes: what an earlier run left of them goes, lest it be taken for this run's.

    Raises
    ------
    ConfigError
        If the folder cannot be made or written.
    """
    made = _missing_parents(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=".hydranoc-", dir=folder))
    except OSError as error:
        raise ConfigError(f"cannot write results: {reason(error)}", file=folder) from None
    try:
        with _interrupted_by_term():
            yield scratch
        _publish(scratch, folder, stale)
        made = []
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        for parent in made:
            with contextlib.suppress(OSError):
                parent.rmdir()


@contextlib.contextmanager
def _interrupted_by_term() -> Iterator[None]:
    """The signal TERM ends the block like an interrupt from the keyboard, and not the process on the spot."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _publish(scratch: Path, folder: Path, stale: Collection[str]) -> None:
    try:
        for name in stale:
            (folder / name).unlink(missing_ok=True)
        for path in sorted(scratch.rglob("*")):
            if path.is_file():
                target = folder / path.relative_to(scratch)
                target.parent.mkdir(parents=True, exist_ok=True)
                path.replace(target)
    except OSError as error:
        raise ConfigError(f"cannot write results: {reason(error)}", file=error.filename2 or folder) from None


def _missing_parents(folder: Path) -> list[Path]:
    """Folders that will have to be made, the deepest first."""
    return [path for path in (folder, *folder.parents) if not path.exists()]
