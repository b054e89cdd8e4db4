"""One-line faults of the hardware, and for each the property that finds it."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.tb.mutations import ROOT, Mutation, copy_hardware

_WRITE = """
import sys
from tests.proofs.catalog import PROOFS
from tests.proofs.claims import rtlil_of

sys.stdout.write(rtlil_of(PROOFS[sys.argv[1]].describe, sys.argv[2]))
"""


@dataclass(frozen=True)
class Fault:
    """A changed line, and the claim that must detect it.

    Members
    -------
    proof : str
        Name of a proof.
    claim : str
        The one property that is checked.
    file, text, replacement : str
        See ``Mutation``.
    first_cycle : int
        It cannot be seen before this cycle, so nothing is checked before.
    """

    proof: str
    claim: str
    file: str
    text: str
    replacement: str
    first_cycle: int = 0

    @property
    def mutation(self) -> Mutation:
        """The changed line alone."""
        return Mutation(f"{self.claim} ({self.proof})", self.file, self.text, self.replacement)


def python_in_copy(folder: Path, script: str, *arguments: str) -> str:
    """Output of a script that imports ``rtl`` from a folder, and everything else from here.

    Raises
    ------
    RuntimeError
        If it fails.
    """
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [sys.executable, "-c", script, *arguments]
    answer = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if answer.returncode:
        raise RuntimeError(f"the copy in {folder} gave nothing:\n{answer.stderr}")
    return answer.stdout


def faulty_rtlil(folder: Path, fault: Fault) -> str:
    """The part with the fault, and the one property."""
    copy_hardware(folder, fault.mutation)
    return python_in_copy(folder, _WRITE, fault.proof, fault.claim)
