"""Fixtures for several tests of the command line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def fusesoc(require_tool, require_package):
    """Run FuseSoC in a folder of its own."""
    require_tool("icarus")
    require_tool("make")
    require_package("fusesoc")

    def call(folder: Path, *arguments: str) -> str:
        homes = {f"XDG_{kind}_HOME": str(folder / kind.lower()) for kind in ("CONFIG", "CACHE", "DATA")}
        answer = subprocess.run(
            [sys.executable, "-m", "fusesoc.main", *arguments],
            cwd=folder,
            env={**os.environ, **homes},
            capture_output=True,
            text=True,
            check=False,
        )
        assert answer.returncode == 0, answer.stdout + answer.stderr
        return answer.stdout

    return call
