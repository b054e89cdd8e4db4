"""Runs a network's Verilog in lock-step with its golden model and reports what came of it."""

import json
import pickle
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hydranoc.lockstep.block_build import SimulatorFailed
from hydranoc.lockstep.simulator import BenchSource, BuiltSimulator, NotFromRegisters, build_simulator, run_bench
from hydranoc.reports.failures import failure
from hydranoc.reports.progress import Progress
from rtl.common.harness import generate_harness, observed_layout
from rtl.common.harness_hosts import HOST_MODULES
from rtl.common.plan import NetworkPlan
from rtl.common.table_layout import loaded_words
from sim_model.common.messages import Messages
from tb.common.job import JOB_VARIABLE, LockstepJob, LockstepResult
from topology.common.host_pattern import EAGER, HostBehaviour

BENCH = "tb.common.lockstep"
CYCLES_BEFORE_MISMATCH, CYCLES_AFTER_MISMATCH = 500, 16
WAVE_CYCLES = 2_000
COMPARING = "compare"
"""What progress is told while both sides run."""
POLL_SECONDS = 0.2


@dataclass(frozen=True)
class Comparison:
    """What is to be compared.

    Members
    -------
    model : a family's golden model
    messages : Messages
    startup_cycles : int
    cycles : int
        Cycles to compare.
    harness : BenchSource
        The same network in Verilog.
    stop_at_mismatch : bool
        False runs on after the first difference, for a waveform of what follows.
    hosts : HostBehaviour
        When sources pause and receivers stall.
    resets : tuple of int
        See ``LockstepJob``.
    """

    model: Any
    messages: Messages
    startup_cycles: int
    cycles: int
    harness: BenchSource
    stop_at_mismatch: bool = True
    hosts: HostBehaviour = EAGER
    resets: tuple[int, ...] = ()


@dataclass(frozen=True)
class ComparisonOutcome:
    """What a comparison found.

    Members
    -------
    result : LockstepResult
    simulator : str
        Name and version.
    build_seconds : float
        Wall time; 0 if the simulator was built before.
    cycles_per_second : float
        Per CPU second of the simulator's process, golden model and comparison included.
    waveform : Path or None
        Written when asked for, and for every mismatch.
    """

    result: LockstepResult
    simulator: str
    build_seconds: float
    cycles_per_second: float
    waveform: Path | None


def harness_source(plan: NetworkPlan) -> BenchSource:
    """A network as Verilog for the lock-step bench."""
    generated = generate_harness(plan)
    messages = [f"message_{name}" for name in plan.network.injection_names]
    counter_inputs = ("counters_enable", "counters_clear", "counters_address") if plan.counters else ()
    table_inputs = ("tables_load", "tables_data") if plan.loadable_tables else ()
    return BenchSource(
        top=generated.top,
        verilog=generated.files[f"{generated.top}.v"],
        public_inputs=(
            "clk",
            "rst",
            "message_valid",
            *messages,
            "hosts_seed",
            "pause_level",
            "stall_level",
            "blocked",
            *counter_inputs,
            *table_inputs,
        ),
        public_outputs=("observed", "counters_data") if plan.counters else ("observed",),
        shapes=(
            *(shape["module"] for shape in generated.manifest["router_shapes"]),
            *(f"{generated.top}_{name}" for name in HOST_MODULES),
        ),
        routers=plan.network.switches,
        table_words=tuple(loaded_words(plan)) if plan.loadable_tables else (),
        observed=observed_layout(plan),
    )


def compare_network(
    comparison: Comparison,
    simulator: str,
    folder: Path,
    *,
    waves: bool = False,
    progress: Progress | None = None,
) -> ComparisonOutcome:
    """Compare hardware and golden model in every cycle.

    Parameters
    ----------
    comparison : Comparison
    simulator : str
        ``verilator`` or ``icarus``.
    folder : Path
        Gets the waveform, if there is one.
    waves : bool
        Write a waveform of the first 2,000 cycles. A mismatch is always run again with a waveform of the cycles
        around it.
    progress : callable or None

    Raises
    ------
    ToolMissing
        If a program is missing.
    SimulatorFailed
        If the simulator does not build or does not finish.
    """
    built, allow_blocks = _built(comparison, simulator, waves, progress), True
    try:
        result, waveform = _run(comparison, built, folder, None, progress)
    except NotFromRegisters:  # a fault of the hardware, which is to be compared all the same
        built, allow_blocks = _built(comparison, simulator, waves, progress, allow_blocks=False), False
        result, waveform = _run(comparison, built, folder, None, progress)
    if result.mismatch_cycle is not None:
        waveform = _wave_of_mismatch(
            comparison, simulator, folder, result.mismatch_cycle, progress, allow_blocks=allow_blocks
        )
    elif waves:
        short = _shortened(comparison, WAVE_CYCLES)
        waveform = _run(short, built, folder, 0, progress)[1]
    speed = result.compared_cycles / result.cpu_seconds if result.cpu_seconds else 0.0
    return ComparisonOutcome(result, built.version, built.build_seconds, speed, waveform)


def _wave_of_mismatch(
    comparison: Comparison,
    simulator: str,
    folder: Path,
    cycle: int,
    progress: Progress | None,
    *,
    allow_blocks: bool,
) -> Path | None:
    """Run again, with a waveform around the first difference; the report must not be lost if that fails."""
    last = cycle + CYCLES_AFTER_MISMATCH
    try:
        built = _built(comparison, simulator, True, progress, allow_blocks=allow_blocks)
        short = replace(_shortened(comparison, last), stop_at_mismatch=False)
        return _run(short, built, folder, max(0, cycle - CYCLES_BEFORE_MISMATCH), progress)[1]
    except SimulatorFailed:
        return None


def _shortened(comparison: Comparison, cycles: int) -> Comparison:
    """The same up to a cycle."""
    cycles = min(comparison.cycles, cycles)
    return replace(comparison, cycles=cycles, resets=tuple(reset for reset in comparison.resets if reset < cycles))


def _built(
    comparison: Comparison, simulator: str, waves: bool, progress: Progress | None, *, allow_blocks: bool = True
) -> BuiltSimulator:
    if progress:
        progress("building the simulator", 0, 0)
    return build_simulator(comparison.harness, simulator, waves=waves, progress=progress, allow_blocks=allow_blocks)


def _run(
    comparison: Comparison,
    built: BuiltSimulator,
    folder: Path,
    wave_first: int | None,
    progress: Progress | None,
) -> tuple[LockstepResult, Path | None]:
    if comparison.harness.observed is None:
        raise ValueError("Verilog to be compared must be a lock-step harness")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="run-", dir=folder) as scratch:  # on a disk that must have space anyway
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
            raise SimulatorFailed(failure(built.name, "ended without a result", _said(work / "simulation.log")))
        result = LockstepResult(**json.loads((work / "result.json").read_text()))
        if wave:
            wave = Path(shutil.move(wave, folder / f"waves{wave.suffix}"))
        return result, wave


def _said(log: Path) -> str:
    return log.read_text(errors="replace") if log.exists() else ""


@contextmanager
def _polled(file: Path, cycles: int, progress: Progress | None) -> Iterator[None]:
    """Pass on what the bench writes of its progress."""
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
