"""Proofs find faults: for every property there is a one-line fault of the hardware that this property alone finds.

The fault is found from reset, so it is one that the part can really show, and the counterexample names the property.
"""

import importlib
from pathlib import Path

import pytest

from tests.proofs.catalog import PROOFS
from tests.proofs.claims import collect
from tests.proofs.common.route_unit_faults import ROUTE_UNIT_FAULTS
from tests.proofs.faults import Fault, faulty_rtlil
from tests.proofs.prove import prove
from tests.tb.mutations import ROOT

PLACES = sorted(path.parent.name for path in Path(__file__).parent.glob("*/faults.py"))
"""Folders of the families, and of what they share."""


def faults_of(place: str) -> tuple[Fault, ...]:
    """``NAME_FAULTS`` of ``tests/proofs/NAME/faults.py``."""
    return getattr(importlib.import_module(f"tests.proofs.{place}.faults"), f"{place.upper()}_FAULTS")


FAULTS = (*ROUTE_UNIT_FAULTS, *(fault for place in PLACES for fault in faults_of(place)))


def parameters():
    """All faults; the first one of every part is quick."""
    seen = set()
    for fault in FAULTS:
        part = PROOFS[fault.proof].part
        name = f"{fault.proof}: {fault.claim}".replace(" ", "-")
        yield pytest.param(fault, id=name, marks=pytest.mark.slow if part in seen else ())
        seen.add(part)


@pytest.mark.parametrize("fault", list(parameters()))
def test_fault_is_found_by_its_property(fault, tmp_path):
    cycles = PROOFS[fault.proof].fault_cycles
    outcome = prove(faulty_rtlil(tmp_path, fault), "bmc", cycles, tmp_path, fault.first_cycle)
    assert outcome.status == "FAIL", f"no claim failed although {fault.text!r} had become {fault.replacement!r}"
    assert outcome.broken == (fault.claim,)
    assert (outcome.folder / "engine_0" / "trace.vcd").exists()


def test_faults_are_of_lines_that_there_are():
    outdated = [fault for fault in FAULTS if (ROOT / "rtl" / fault.file).read_text().count(fault.text) != 1]
    assert outdated == []


@pytest.mark.parametrize("part", sorted({proof.part for proof in PROOFS.values()}))
def test_every_property_has_a_fault(part):
    properties = set()
    for proof in PROOFS.values():
        if proof.part == part:
            properties.update(collect(proof.describe).properties)
    tried = {fault.claim for fault in FAULTS if PROOFS[fault.proof].part == part}
    assert tried == properties


def row_of(fault: Fault) -> str:
    """The line of a fault in the table of docs/proofs.md."""
    change = f"`{fault.text}` → `{fault.replacement}`".replace("|", "\\|")
    return f"| {PROOFS[fault.proof].part} | {fault.claim} | {change} |"


def test_the_document_has_all_faults_and_no_others():
    lines = (ROOT / "docs" / "proofs.md").read_text().splitlines()
    assert {line for line in lines if line.startswith("| ") and "` → `" in line} == set(map(row_of, FAULTS))
