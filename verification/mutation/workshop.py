"""Copy of the work tree for mutants, so that the work tree itself never contains one."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
LEFT_OUT = ("results", "build", "*.egg-info", ".git", ".venv", ".ruff_cache")
SOUND = ".sound"
"""Ending of the file beside one that is changed."""
INSIDE = "HYDRANOC_MUTATION_WORKSHOP"
"""Variable that marks a process in the copy and names the folder for results."""


def move_in(folder: Path, results: Path, *, anew: bool = True) -> None:
    """Copy the tree to a folder and restart this program there; return only in the copy."""
    if os.environ.get(INSIDE):
        return
    if anew and folder.exists():
        shutil.rmtree(folder)
    if not folder.exists():
        shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*LEFT_OUT))
        (folder / ".venv").symlink_to(ROOT / ".venv")
    for sound in (folder / "rtl").rglob(f"*{SOUND}"):  # left by a killed run
        sound.rename(sound.with_suffix(""))
    environment = {
        **os.environ,
        INSIDE: str(results.resolve()),
        "PYTHONPATH": str(folder),
        "HYDRANOC_CACHE": str(folder / "simulators"),
        "HYDRANOC_CACHE_GB": "1",
        "CI": "1",  # a missing tool is an error
    }
    os.chdir(folder)
    command = [sys.executable, "-m", "verification.mutation", *sys.argv[1:]]
    os.execve(sys.executable, command, environment)


@contextmanager
def changed(file: Path, source: bytes) -> Iterator[None]:
    """Change the content of a file within a block. Python's bytecode is cached by size and time, and is removed."""
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
