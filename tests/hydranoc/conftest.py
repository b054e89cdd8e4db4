"""What several tests of the command line need."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def fusesoc(require_tool):
    """Runs FuseSoC in a folder of its own; without it a test is skipped on a laptop and fails in CI."""
    require_tool("icarus")
    require_tool("make")
    if importlib.util.find_spec("fusesoc") is None:
        missing = "fusesoc was not found: pip install fusesoc"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)

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
