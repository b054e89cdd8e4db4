"""All faults of the proofs, and the table of them that the site shows: ``python -m tests.proofs.fault_table``."""

import importlib
import sys
from pathlib import Path

from tests.proofs.catalog import PROOFS
from tests.proofs.common.route_unit_faults import ROUTE_UNIT_FAULTS
from tests.proofs.faults import Fault

PLACES = sorted(path.parent.name for path in Path(__file__).parent.glob("*/faults.py"))
"""Folders of the families, and of the parts that they share."""
MARK = "<!-- faults -->"
"""Line of docs/understand/proofs.md in whose place the table stands."""


def faults_of(place: str) -> tuple[Fault, ...]:
    """Return ``NAME_FAULTS`` of ``tests/proofs/NAME/faults.py``."""
    return getattr(importlib.import_module(f"tests.proofs.{place}.faults"), f"{place.upper()}_FAULTS")


FAULTS = (*ROUTE_UNIT_FAULTS, *(fault for place in PLACES for fault in faults_of(place)))


def table() -> str:
    """Return a table in Markdown: part, property and change of the source of each fault."""
    return "\n".join(("| part | property | change of the source |", "|---|---|---|", *map(_row, FAULTS)))


def _row(fault: Fault) -> str:
    change = f"`{fault.text}` → `{fault.replacement}`".replace("|", "\\|")
    return f"| {PROOFS[fault.proof].part} | {fault.claim} | {change} |"


if __name__ == "__main__":
    sys.stdout.write(table() + "\n")
