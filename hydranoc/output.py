"""Result folders in which nothing is ever half-written."""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from hydranoc.errors import ConfigError, reason


@contextlib.contextmanager
def result_folder(folder: Path) -> Iterator[Path]:
    """A scratch folder whose files move into ``folder`` when the block ends without an error.

    The scratch folder lies inside ``folder``, so that moving a file is one step of the file system, and a folder that
    cannot be written is noticed before any work is done. After an error ``folder`` is as it was before.

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
        yield scratch
        _publish(scratch, folder)
        made = []
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        for parent in made:
            with contextlib.suppress(OSError):
                parent.rmdir()


def _publish(scratch: Path, folder: Path) -> None:
    try:
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
