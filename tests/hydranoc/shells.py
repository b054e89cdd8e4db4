"""User input, run in a shell with the machine's own PATH and the command ``hydranoc``."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
MACHINE = "/usr/local/bin:/usr/bin:/bin"
"""A PATH with make, compiler and perl."""
WITH_TOOLS = 'eval "$(hydranoc env)"\n'


def shell(script: str, folder: Path, path: str = MACHINE, **variables: str) -> subprocess.CompletedProcess:
    """Run a script in a folder."""
    hydranoc = shlex.join([sys.executable, "-m", "hydranoc"])
    kept = {name: value for name, value in os.environ.items() if name in ("HOME", "TMPDIR", "HYDRANOC_CACHE")}
    kept |= {"PYTHONPATH": str(ROOT), "PATH": path, **variables}
    text = f'set -e\nhydranoc() {{ {hydranoc} "$@"; }}\n{script}\n'
    return subprocess.run(
        ["sh", "-c", text], cwd=folder, env=kept, capture_output=True, text=True, check=False, timeout=600
    )


def python(*arguments: str | Path, folder: Path = ROOT, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run this Python in a folder, with some variables of its environment set, and empty ones unset."""
    environment = {name: value for name, value in {**os.environ, **variables}.items() if value}
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def passes(script: str, folder: Path, **variables: str) -> str:
    """Run a script with the tools on its PATH that must succeed; returns its output."""
    answer = shell(WITH_TOOLS + script, folder, **variables)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return answer.stdout + answer.stderr
