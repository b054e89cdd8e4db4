"""Detectors: run the check of a reference on the hardware that a mutant has changed."""

import contextlib
import io
import json
import pickle
from collections.abc import Sequence
from pathlib import Path

import pytest

from hydranoc.lockstep.cocotb_run import BENCH
from hydranoc.lockstep.plane.compare import compare_plane
from hydranoc.lockstep.plane.source import plane_source
from hydranoc.lockstep.simulator import build_simulator, run_bench
from tb.common.job import JOB_VARIABLE, LockstepJob, LockstepResult
from tests.proofs.prove import ProverMissing, prove
from topology.common.errors import MachineTrouble
from verification.mutation.environment import has_signs, is_environment_failure
from verification.mutation.references import ComparedNetwork, ComparedPlane, ProvedPart, Reference

SIMULATOR = "icarus"
MAX_ANSWER = 300
SOUND_ALONE = "not mutation and not fault and not lost and not outdated"
"""Tests that inject faults themselves require certain lines unchanged: they must not detect mutants."""


def complaint(reference: Reference, folder: Path) -> str | None:
    """Return the fault found in a reference as generated now; None without one.

    Parameters:
        folder: An empty working folder.

    Raises:
        MachineTrouble, OSError: If the environment has failed.
    """
    try:
        if isinstance(reference, ProvedPart):
            return _refuted(reference, folder)
        if isinstance(reference, ComparedNetwork):
            return _different(reference, folder)
        if isinstance(reference, ComparedPlane):
            return _different_plane(reference, folder)
    except ProverMissing as error:
        raise MachineTrouble(str(error)) from error
    except Exception as error:  # any other error is the mutant's: unmodified hardware has none
        if is_environment_failure(error):
            raise
        return _short(f"{type(error).__name__}: {error}")
    return None


def _refuted(reference: ProvedPart, folder: Path) -> str | None:
    outcome = prove(reference.text, "prove", reference.proof.induction_cycles, folder)
    return None if outcome.status == "PASS" else _short(f"{outcome.status}: {'; '.join(outcome.broken)}")


def _different(reference: ComparedNetwork, folder: Path) -> str | None:
    """Return the result of ``compare_network``, without a second run for a waveform."""
    comparison, files = reference.comparison, [folder / name for name in ("result.json", "progress", "job.pickle")]
    harness = comparison.harness
    assert harness.observed is not None
    job = LockstepJob(
        *(comparison.model, comparison.messages, comparison.startup_cycles, comparison.cycles),
        stop_at_mismatch=True,
        result=str(files[0]),
        progress=str(files[1]),
        observed=harness.observed,
        counters="counters_data" in harness.public_outputs,
        table_words=harness.table_words,
        hosts=comparison.hosts,
        resets=comparison.resets,
    )
    files[2].write_bytes(pickle.dumps(job))
    with contextlib.redirect_stdout(io.StringIO()):
        built = build_simulator(harness, SIMULATOR, waves=False)
        run_bench(built, BENCH, {JOB_VARIABLE: str(files[2])}, folder)
    result = LockstepResult(**json.loads(files[0].read_text()))
    return _short(result.report or "different") if result.mismatches else None


def _different_plane(reference: ComparedPlane, folder: Path) -> str | None:
    """Return the first difference of a plane."""
    job, more = reference.job
    with contextlib.redirect_stdout(io.StringIO()):
        outcome = compare_plane(job, SIMULATOR, folder, source=plane_source(job.plan, reference.text), more=more)
    return _short(outcome.difference.report) if outcome.difference else None


def failed_test(tests: Sequence[str], folder: Path) -> str | None:
    """Return the first of some pytest tests that fails; None if all pass. A test that does not exist finds nothing.

    Raises:
        MachineTrouble: If it fails because the environment has failed.
    """
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        options = [
            "-k",
            SOUND_ALONE,
            "-q",
            "-x",
            "-n0",
            "-p",
            "no:cacheprovider",
            "--tb=line",
            f"--basetemp={folder / 'pytest'}",
        ]
        code = pytest.main([*options, *tests])
    if code in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED, pytest.ExitCode.USAGE_ERROR):
        return None
    failures = [line for line in said.getvalue().splitlines() if line.startswith(("FAILED tests", "ERROR tests"))]
    failure = _short(failures[0] if failures else f"pytest ended with {pytest.ExitCode(code).name}")
    if has_signs(said.getvalue()):
        raise MachineTrouble(failure)
    return failure


def _short(text: str) -> str:
    return " ".join(text.split())[:MAX_ANSWER]
