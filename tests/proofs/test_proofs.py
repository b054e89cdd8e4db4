"""The hardware parts are proved: for all inputs that the link rules allow, and for runs of any length.

docs/understand/proofs.md lists the properties of each proof; ``tests/proofs/*_claims.py`` defines them.
"""

import pytest

from tests.proofs.catalog import PROOFS
from tests.proofs.claims import rtlil_of
from tests.proofs.prove import prove


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
