"""The campaign as its user calls it, on its smallest networks and with few cycles."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
SMALL = {"spam": 120, "torus": 144, "hypercube": 112, "min": 488, "harts": 136}
"""First cases over networks of one to seven routers."""
SCALE = 0.005


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "verification.campaign", "--scale", str(SCALE), *arguments]


def environment(*folders: Path) -> dict[str, str]:
    """With folders in which Python looks for packages before all others."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (*folders, ROOT)))}


def start(arguments: Sequence[str], *folders: Path) -> subprocess.Popen:
    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    where = folders[0] if folders else ROOT  # in which Python looks even before those of PYTHONPATH
    return subprocess.Popen(command(*arguments), cwd=where, env=environment(*folders), **piped)


def run(arguments: Sequence[str], *folders: Path) -> subprocess.CompletedProcess:
    process = start(arguments, *folders)
    return subprocess.CompletedProcess(process.args, *_ended(process))


def _ended(process: subprocess.Popen) -> tuple[int, str, str]:
    output, errors = process.communicate()
    return process.returncode, output, errors
