"""A copy of the work tree in which mutants are made, so that nothing of it is ever in the work tree itself."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
LEFT_OUT = ("results", "build", "*.egg-info", ".git", ".venv", ".pytest_cache", ".ruff_cache")
SOUND = ".sound"
"""Ending of the file beside one that is changed."""
INSIDE = "HYDRANOC_MUTATION_WORKSHOP"
"""Variable that says to a process that it runs in the copy, and where results belong."""


def move_in(folder: Path, results: Path, *, anew: bool = True) -> None:
    """Copy the tree to a folder and start this program again from there; comes back only in the copy."""
    if os.environ.get(INSIDE):
        return
    if anew and folder.exists():
        shutil.rmtree(folder)
    if not folder.exists():
        shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*LEFT_OUT))
        (folder / ".venv").symlink_to(ROOT / ".venv")
    for sound in (folder / "rtl").rglob(f"*{SOUND}"):  # of a run that was killed
        sound.rename(sound.with_suffix(""))
    environment = {
        **os.environ,
        INSIDE: str(results.resolve()),
        "PYTHONPATH": str(folder),
        "HYDRANOC_CACHE": str(folder / "simulators"),
        "HYDRANOC_CACHE_GB": "1",
        "CI": "1",  # a tool that is missing is an error
    }
    os.chdir(folder)
    command = [sys.executable, "-m", "benchmarks.mutation", *sys.argv[1:]]
    os.execve(sys.executable, command, environment)


@contextmanager
def changed(file: Path, source: bytes) -> Iterator[None]:
    """A file has another content for a while. What Python kept of it compiled goes by size and time, so that goes."""
    sound = file.with_name(file.name + SOUND)
    sound.write_bytes(file.read_bytes())
    kept = [*(file.parent / "__pycache__").glob(f"{file.stem}.*.pyc")]
    for compiled in kept:
        compiled.unlink(missing_ok=True)
    file.write_bytes(source)
    try:
        yield
    finally:
        sound.rename(file)
        for compiled in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
            compiled.unlink(missing_ok=True)
