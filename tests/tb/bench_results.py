"""Runs a cocotb bench whose failures are results, not errors."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from pathlib import Path

from hydranoc.lockstep.simulator import BuiltSimulator, SimulatorFailed, run_bench


def run_cases(
    built: BuiltSimulator, bench: str, variables: Mapping[str, str], folder: Path
) -> list[tuple[str, str | None]]:
    """Run a bench; gives for each test its name and why it failed, None if it did not."""
    try:
        run_bench(built, bench, dict(variables), folder)
    except SimulatorFailed:
        # under pytest, cocotb's runner also raises when a bench found a fault
        if not (folder / "results.xml").exists():
            raise
    cases = ElementTree.parse(folder / "results.xml").iter("testcase")
    return [(case.attrib["name"], _failure(case)) for case in cases]


def _failure(case: ElementTree.Element) -> str | None:
    for kind in ("failure", "error"):
        found = case.find(kind)
        if found is not None:
            return " ".join([*found.attrib.values(), found.text or ""])
    return None
