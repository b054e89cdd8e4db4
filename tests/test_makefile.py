"""The Makefile prints a heartbeat during silent work, and ends with the exit code of the work."""

import re
import subprocess
import time
from pathlib import Path

import pytest

MAKEFILE = (Path(__file__).parent.parent / "Makefile").read_text()


@pytest.fixture
def makefile(tmp_path):
    macro = re.search(r"^RUN_WITH_HEARTBEAT = (?:.*\\\n)*.*\n", MAKEFILE, re.MULTILINE)
    assert macro
    run = "$(call RUN_WITH_HEARTBEAT,waiting"
    recipes = f"long:\n\t{run},sleep 9)\n\t@echo done\nwrong:\n\t{run},exit 3)\n"
    (tmp_path / "Makefile").write_text(macro[0] + recipes)
    return tmp_path


def test_silent_work_is_told_of(makefile):
    command = ["make", "--no-print-directory", "long"]  # the tests may themselves be started by make
    out = subprocess.run(command, cwd=makefile, capture_output=True, text=True, check=True).stdout
    assert out.splitlines() == ["sleep 9", "waiting: 5 s", "done"]


def test_work_that_fails_ends_make_at_once(makefile):
    text = (makefile / "Makefile").read_text()
    (makefile / "Makefile").write_text(text.replace("sleep 5", "sleep 100"))
    started = time.monotonic()
    answer = subprocess.run(["make", "wrong"], cwd=makefile, capture_output=True, text=True, check=False)
    assert answer.returncode == 2
    assert "Error 3" in answer.stderr
    assert time.monotonic() - started < 60  # no remaining process keeps the pipe open


def test_every_install_is_told_of():
    installs = [line for line in MAKEFILE.splitlines() if line.startswith("\t") and "$(INSTALL)" in line]
    assert len(installs) >= 3
    assert all(line.startswith("\t$(call RUN_WITH_HEARTBEAT,") for line in installs)
