"""Comparison under cocotb, in the simulator's own process."""

import json
import pickle
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hydranoc.lockstep.bench_source import BuiltSimulator, SimulatorFailed
from hydranoc.lockstep.comparison import Comparison
from hydranoc.lockstep.direct.compare import COMPARING
from hydranoc.lockstep.simulator import run_bench
from hydranoc.reports.failures import failure
from hydranoc.reports.progress import Progress
from tb.common.job import JOB_VARIABLE, LockstepJob, LockstepResult

BENCH = "tb.common.lockstep"
POLL_SECONDS = 0.2


def run_under_cocotb(
    comparison: Comparison,
    built: BuiltSimulator,
    folder: Path,
    wave_first: int | None,
    progress: Progress | None,
) -> tuple[LockstepResult, Path | None]:
    """Compare hardware and golden model in every cycle.

    Parameters:
        built: Result of ``build_simulator``.
        folder: Folder of the waveform, if there is one.
        wave_first: First cycle of the waveform, counted from time 0; None writes none.

    Returns:
        LockstepResult
        waveform (Path or None)

    Raises:
        SimulatorFailed: If the simulator does not finish.
    """
    if comparison.harness.observed is None:
        raise ValueError("harness has no output observed; only a lock-step harness can be compared")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="run-", dir=folder) as scratch:  # on a disk that needs space anyway
        work = Path(scratch).absolute()  # the simulator runs in that folder
        job = LockstepJob(
            comparison.model,
            comparison.messages,
            comparison.startup_cycles,
            comparison.cycles,
            stop_at_mismatch=comparison.stop_at_mismatch,
            result=str(work / "result.json"),
            progress=str(work / "progress"),
            observed=comparison.harness.observed,
            counters="counters_data" in comparison.harness.public_outputs,
            table_words=comparison.harness.table_words,
            hosts=comparison.hosts,
            resets=comparison.resets,
        )
        (work / "job.pickle").write_bytes(pickle.dumps(job))
        with _polled(work / "progress", comparison.cycles, progress):
            wave = run_bench(built, BENCH, {JOB_VARIABLE: str(work / "job.pickle")}, work, wave_first)
        if not (work / "result.json").exists():
            raise SimulatorFailed(failure(built.name, "ended without a result", _log_text(work / "simulation.log")))
        result = LockstepResult(**json.loads((work / "result.json").read_text()))
        if wave:
            wave = Path(shutil.move(wave, folder / f"waves{wave.suffix}"))
        return result, wave


def _log_text(log: Path) -> str:
    return log.read_text(errors="replace") if log.exists() else ""


@contextmanager
def _polled(file: Path, cycles: int, progress: Progress | None) -> Iterator[None]:
    """Forward the progress that the bench writes to a file."""
    if progress is None:
        yield
        return
    stop = threading.Event()

    def poll() -> None:
        while not stop.wait(POLL_SECONDS):
            text = file.read_text() if file.exists() else ""
            if text.isdecimal():
                progress(COMPARING, int(text), cycles)

    thread = threading.Thread(target=poll, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
