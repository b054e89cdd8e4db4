"""The checker as a process that judges many offers; a crash is detected, and the process restarted."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from hydranoc.certificates.writing import CHECKER
from tests.alterations.networks import Offer

DRIVER = Path(__file__).with_name("driver.py")


class Checker:
    """A process around a checker's folder; a context manager."""

    def __init__(self, folder: Path = CHECKER):
        self.folder = folder
        self.process: subprocess.Popen[str] | None = None

    def __enter__(self) -> "Checker":
        return self

    def __exit__(self, *_: Any) -> None:
        if self.process is not None:
            self.process.stdin.close()  # type: ignore[union-attr]
            self.process.wait()

    def judge(self, offered: Offer) -> tuple[int, str]:
        """Exit code and line; -1 if the checker has crashed."""
        if self.process is None:
            command = [sys.executable, "-I", str(DRIVER), str(self.folder)]
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
        process = self.process
        assert process.stdin is not None
        assert process.stdout is not None
        texts = [offered.manifest, offered.verilog, offered.tables, offered.certificate, offered.digests]
        process.stdin.write(json.dumps(texts) + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        if not answer:
            self.process = None
            _, said = process.communicate()
            return -1, said.strip().rpartition("\n")[2] or f"it ended with {process.returncode}"
        code, line = json.loads(answer)
        return code, line
