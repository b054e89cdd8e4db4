"""Lock-step comparison of the collective plane beside a configured network."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from hydranoc.design.plane import Plane
from hydranoc.lockstep.bench_source import BenchSource
from hydranoc.lockstep.pending_build import PendingBuild
from hydranoc.lockstep.plane.compare import compare_plane
from hydranoc.lockstep.plane.comparison import PlaneComparison, PlaneOutcome, PlaneRun
from hydranoc.reports.progress import Progress
from sim_model.collective_plane.contributions import Contributions
from sim_model.collective_plane.model import PlaneResults
from sim_model.collective_plane.random_operations import random_operations
from topology.common.host_pattern import HostBehaviour

RANDOM_CYCLES, RANDOM_SEED = 2_000, 1
"""Cycles in which operations at random start, and their seed."""
QUIET_CYCLES = 16
"""Cycles of a comparison after the last result."""


def plane_comparison(plane: Plane, results: PlaneResults | None, hosts: HostBehaviour) -> PlaneComparison:
    """Return the comparison of a plane up to its last result.

    Parameters:
        plane
        results: Of the traffic's operations, which start in the cycles in which they have started; None for operations
            at random on all groups.
        hosts: Pauses of sources and stalls of receivers.
    """
    parameters = plane.plan.parameters
    if results is None:
        given = random_operations(
            plane.tables,
            plane.operators,
            parameters.word_bits,
            cycles=RANDOM_CYCLES,
            seed=RANDOM_SEED,
            window=parameters.window,
            link_cycles=parameters.link_cycles,
        )
    else:
        given = _started(results)
    run = PlaneRun(0, given, hosts=replace(hosts, blocked=()))
    comparison = PlaneComparison(plane.tables, parameters, (run,), plane.parameters.timeout_cycles)
    models = comparison.models(run)
    for model in models:
        model.run()
    cycles = max(model.cycle for model in models) + QUIET_CYCLES
    return replace(comparison, runs=(replace(run, cycles=cycles),))


def _started(results: PlaneResults) -> Contributions:
    """Return the contributions of a run without the waits before their starts."""
    given = results.contributions
    lengths = given.offsets[1:] - given.offsets[:-1]
    start = results.start_cycle
    return Contributions.of_columns(given.processor, given.group, start, given.operator, lengths, given.words)


def compare_configured(
    plane: Plane,
    results: PlaneResults | None,
    hosts: HostBehaviour,
    simulator: str,
    folder: Path,
    source: BenchSource,
    *,
    waves: bool,
    progress: Progress | None,
    pending: PendingBuild | None,
) -> tuple[PlaneOutcome, dict[str, Any]]:
    """Compare a configured network's plane.

    Parameters:
        plane
        results, hosts: As of ``plane_comparison``.
        simulator: ``verilator`` or ``icarus``.
        folder: Folder of the waveform, if there is one.
        source: Result of ``plane_source`` for its plan.
        waves: Write a waveform even if there is no mismatch.
        progress: Called with cycles.
        pending: Build of the source in progress; None builds it.

    Returns:
        outcome (PlaneOutcome)
        figures (dict): As plain values for JSON.
    """
    comparison = plane_comparison(plane, results, hosts)
    outcome = compare_plane(
        comparison, simulator, folder, source=source, waves=waves, progress=progress, pending=pending
    )
    return outcome, {
        "operations": "at random" if results is None else "of the traffic",
        "contributions": len(comparison.runs[0].contributions),
        "compared_cycles": outcome.compared_cycles,
        "mismatches": int(outcome.difference is not None),
        "cycles_per_second": round(outcome.cycles_per_second, 1),
        "build_seconds": round(outcome.build_seconds, 1),
    }
