"""Proofs of the hardware parts for all inputs that the link rules allow, and faults that each property finds."""

import re

import pytest

from hydranoc.certificates.checker.theorems import ALL_THEOREMS, HOSTS, MEMBERS, RECEIVERS
from tests.proofs.catalog import PROOFS
from tests.proofs.claims import collect, rtlil_of
from tests.proofs.faults import FAULTS, faulty_rtlil
from tests.proofs.prove import prove
from tests.tb.mutations import as_parameters


def by_quickness(member):
    """All proofs as parameters, slow ones but for those with this member; the first of each part is a sentinel."""
    cases, parts = [], set()
    for name, proof in PROOFS.items():
        quick, first = getattr(proof, member), proof.part not in parts
        marks = [pytest.mark.sentinel] * (quick and first) + [pytest.mark.slow] * (not quick)
        parts.update([proof.part] * quick)
        cases.append(pytest.param(name, marks=marks))
    return cases


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


@pytest.mark.parametrize("fault", as_parameters(FAULTS))
def test_fault_is_found_by_its_property(fault, tmp_path):
    cycles = PROOFS[fault.workload].fault_cycles
    outcome = prove(faulty_rtlil(tmp_path, fault), "bmc", cycles, tmp_path, fault.first_cycle)
    assert outcome.status == "FAIL", f"no claim failed although {fault.text!r} had become {fault.replacement!r}"
    assert outcome.broken == (fault.name,)


@pytest.mark.parametrize("part", sorted({proof.part for proof in PROOFS.values()}))
def test_every_property_has_a_fault(part):
    properties = set()
    for proof in PROOFS.values():
        if proof.part == part:
            properties.update(collect(proof.describe).properties)
    tried = {fault.name for fault in FAULTS if PROOFS[fault.workload].part == part}
    assert tried == properties


def test_premises_of_certificates_name_the_proofs_of_the_hardware():
    """Those of hosts and members are the user's."""
    premises = {premise for _, premises in ALL_THEOREMS.values() for premise in premises}
    found = {premise: re.findall(r"[\w-]+", premise.partition(" (")[2]) for premise in premises}
    assert {premise for premise, names in found.items() if not names} == {HOSTS, MEMBERS, RECEIVERS}
    assert {name for names in found.values() for name in names} <= {proof.part for proof in PROOFS.values()}
