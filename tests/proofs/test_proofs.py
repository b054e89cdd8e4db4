"""The hardware parts are proved: for all inputs that the link rules allow, and for runs of any length.

See docs/proofs.md for what each proof says, and ``tests/proofs/*_claims.py`` for the properties themselves.
"""

import pytest

from tests.proofs.catalog import INDUCTION_CYCLES, PROOFS
from tests.proofs.claims import rtlil_of
from tests.proofs.prove import prove

QUICK_COVER = "router-buffer-2"


def by_name(quick):
    """All proofs as parameters; those that are not quick are slow tests."""
    return [pytest.param(name, marks=() if quick(name) else pytest.mark.slow) for name in PROOFS]


@pytest.mark.parametrize("name", by_name(lambda name: PROOFS[name].quick))
def test_properties_hold_by_induction(name, tmp_path):
    outcome = prove(rtlil_of(PROOFS[name].describe), "prove", INDUCTION_CYCLES, tmp_path)
    assert outcome.status == "PASS", outcome


@pytest.mark.parametrize("name", by_name(lambda name: name == QUICK_COVER))
def test_assumptions_leave_what_matters_possible(name, tmp_path):
    proof = PROOFS[name]
    outcome = prove(rtlil_of(proof.describe), "cover", proof.cover_cycles, tmp_path)
    assert outcome.status == "PASS", outcome
