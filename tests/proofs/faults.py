"""One-line faults of the hardware, and for each the property that finds it.

``faults.txt`` has every changed line once: file, change, and below it each proof with the claim that must detect it.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.tb.mutations import ROOT, Mutation, copy_hardware

_CHANGE = re.compile(r"  `(.+)` -> `(.*)`")
_CLAIM = re.compile(r"    ([^:]+): (.+?)( \(quick\))?(?: \(from cycle (\d+)\))?")
_WRITE = """
import sys
from tests.proofs.catalog import PROOFS
from tests.proofs.claims import rtlil_of

sys.stdout.write(rtlil_of(PROOFS[sys.argv[1]].describe, sys.argv[2]))
"""


@dataclass(frozen=True)
class Fault:
    """A changed line, and the one claim of a proof that must detect it, not before the first cycle."""

    proof: str
    claim: str
    file: str
    text: str
    replacement: str
    quick: bool
    first_cycle: int

    @property
    def mutation(self) -> Mutation:
        """The changed line alone."""
        return Mutation(f"{self.claim} ({self.proof})", self.file, self.text, self.replacement)


def _read(text: str) -> Iterator[Fault]:
    file = change = ""
    for line in text.splitlines():
        if not line.startswith(" "):
            file = line
        elif match := _CHANGE.fullmatch(line):
            change = match.groups()
        elif match := _CLAIM.fullmatch(line):
            proof, claim, quick, cycle = match.groups()
            yield Fault(proof, claim, file, *change, bool(quick), int(cycle or 0))
        else:
            raise ValueError(f"faults.txt has {line!r}; it must be a file, a change or a claim")


FAULTS = tuple(_read(Path(__file__).with_name("faults.txt").read_text()))


def python_in_copy(folder: Path, script: str, *arguments: str) -> str:
    """Return the output of a script that imports ``rtl`` from a folder, and everything else from here."""
    path = os.pathsep.join([str(folder), str(ROOT)])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", script, *arguments]
    answer = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if answer.returncode:
        raise RuntimeError(f"the copy in {folder} gave nothing:\n{answer.stderr}")
    return answer.stdout


def faulty_rtlil(folder: Path, fault: Fault) -> str:
    """Return the part with the fault, and the one property."""
    copy_hardware(folder, fault.mutation)
    return python_in_copy(folder, _WRITE, fault.proof, fault.claim)
