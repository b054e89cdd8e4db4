"""Parts with one-line faults, each with the one property of a proof that finds it (``tests/faults.txt``)."""

from pathlib import Path

from tests.tb.mutations import Mutation, copy_hardware, mutations, python_in_copy

_WRITE = """
import sys
from tests.proofs.catalog import PROOFS
from tests.proofs.claims import rtlil_of

sys.stdout.write(rtlil_of(PROOFS[sys.argv[1]].describe, sys.argv[2]))
"""
FAULTS = mutations("proof")
"""The workload of each is the proof, its name the claim."""


def faulty_rtlil(folder: Path, fault: Mutation) -> str:
    """Return the part with the fault, and the one property."""
    copy_hardware(folder, fault)
    return python_in_copy(folder, _WRITE, fault.workload, fault.name).decode()
