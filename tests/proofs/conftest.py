"""Fixtures for all proofs."""

import os

import pytest

from tests.proofs.prove import ProverMissing, prover_environment


@pytest.fixture(autouse=True, scope="session")
def proof_tools():
    """Without the proof tools a test is skipped on a laptop and fails in CI."""
    try:
        prover_environment()
    except ProverMissing as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))
