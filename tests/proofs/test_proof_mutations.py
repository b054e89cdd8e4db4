"""Proofs find faults: for every property there is a one-line fault of the hardware that this property alone finds.

The fault is found from reset, so it is one that the part can really show, and the counterexample names the property.
"""

import pytest

from tests.proofs.catalog import PROOFS
from tests.proofs.claims import collect
from tests.proofs.fault_table import FAULTS
from tests.proofs.faults import faulty_rtlil
from tests.proofs.prove import prove
from tests.tb.mutations import ROOT


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
