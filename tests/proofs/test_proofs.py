"""Proofs of the hardware parts for all inputs that the link rules allow, and faults that each property finds."""

import pytest

from tests.proofs.catalog import PROOFS
from tests.proofs.claims import collect, rtlil_of
from tests.proofs.faults import FAULTS, faulty_rtlil
from tests.proofs.prove import prove
from tests.tb.mutations import ROOT

# The hardware parts are proved: for all inputs that the link rules allow, and for runs of any length.


def by_quickness(member):
    """All proofs as parameters; those that ``Proof`` marks as not quick are slow tests."""
    return [
        pytest.param(name, marks=() if getattr(proof, member) else pytest.mark.slow) for name, proof in PROOFS.items()
    ]


@pytest.mark.parametrize("name", by_quickness("quick"))
def test_properties_hold_by_induction(name, tmp_path):
    proof = PROOFS[name]
    outcome = prove(rtlil_of(proof.describe), "prove", proof.induction_cycles, tmp_path)
    assert outcome.status == "PASS", outcome


@pytest.mark.parametrize("name", by_quickness("quick_cover"))
def test_assumptions_leave_what_matters_possible(name, tmp_path):
    proof = PROOFS[name]
    outcome = prove(rtlil_of(proof.describe), "cover", proof.cover_cycles, tmp_path)
    assert outcome.status == "PASS", outcome


# Proofs find faults: for every property there is a one-line fault of the hardware that this property alone finds.

FAULT_CASES = [
    pytest.param(
        fault, id=f"{fault.proof}: {fault.claim}".replace(" ", "-"), marks=() if fault.quick else pytest.mark.slow
    )
    for fault in FAULTS
]


@pytest.mark.parametrize("fault", FAULT_CASES)
def test_fault_is_found_by_its_property(fault, tmp_path):
    cycles = PROOFS[fault.proof].fault_cycles
    outcome = prove(faulty_rtlil(tmp_path, fault), "bmc", cycles, tmp_path, fault.first_cycle)
    assert outcome.status == "FAIL", f"no claim failed although {fault.text!r} had become {fault.replacement!r}"
    assert outcome.broken == (fault.claim,)


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
