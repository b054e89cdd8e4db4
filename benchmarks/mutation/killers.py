"""Asks whoever looks after a reference whether what a mutant made of it is still right."""

import contextlib
import io
import json
import pickle
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.mutation.references import ComparedNetwork, ProvedPart, Reference
from hydranoc.lockstep.cocotb_run import BENCH
from hydranoc.lockstep.simulator import build_simulator, run_bench
from tb.common.job import JOB_VARIABLE, LockstepJob, LockstepResult
from tests.proofs.prove import prove

SIMULATOR = "icarus"
LONGEST_ANSWER = 300
SOUND_ALONE = "not mutation and not fault and not lost and not outdated"
"""Tests that break the hardware themselves want lines of it as they are: no mutant is to be found by that."""


def complaint(reference: Reference, folder: Path) -> str | None:
    """Return what is found wrong with a reference as it is generated now; None if nothing is.

    Parameters
    ----------
    reference : Reference
    folder : Path
        An empty one, for the work.
    """
    try:
        if isinstance(reference, ProvedPart):
            return _refuted(reference, folder)
        if isinstance(reference, ComparedNetwork):
            return _different(reference, folder)
    except Exception as error:  # whatever goes wrong with a mutant: with the sound hardware nothing does
        return _short(f"{type(error).__name__}: {error}")
    return None


def _refuted(reference: ProvedPart, folder: Path) -> str | None:
    outcome = prove(reference.text, "prove", reference.proof.induction_cycles, folder)
    return None if outcome.status == "PASS" else _short(f"{outcome.status}: {'; '.join(outcome.broken)}")


def _different(reference: ComparedNetwork, folder: Path) -> str | None:
    """Return like ``compare_network``, without a second run for a waveform."""
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


def failed_test(tests: Sequence[str], folder: Path) -> str | None:
    """Return the first of some tests of pytest that fails; None if all pass."""
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
    if code in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        return None
    failures = [line for line in said.getvalue().splitlines() if line.startswith(("FAILED tests", "ERROR tests"))]
    return _short(failures[0] if failures else f"pytest ended with {code}")


def _short(text: str) -> str:
    return " ".join(text.split())[:LONGEST_ANSWER]
