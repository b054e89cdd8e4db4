"""Runs that report their progress, in cycles and deliveries."""

from typing import TYPE_CHECKING

from hydranoc.reports.progress import Progress, Work

if TYPE_CHECKING:
    from sim_model.engines.results import Results
    from sim_model.engines.simulation import Simulation
    from sim_model.messages.messages import Messages

FIRST_CHUNK_CYCLES, MAX_CHUNKS = 2_000, 200


def run_with_progress(
    simulation: "Simulation", expected_cycles: int, progress: Progress | None, until_cycle: int | None = None
) -> "Results":
    """Run to a cycle, or to the end."""
    if progress is None:
        return simulation.run(until_cycle)
    chunk = max(FIRST_CHUNK_CYCLES, expected_cycles // MAX_CHUNKS)
    while not (simulation.finished or simulation.deadlocked or simulation.cycle == until_cycle):
        next_cycle = simulation.cycle + chunk
        results = simulation.run(next_cycle if until_cycle is None else min(next_cycle, until_cycle))
        work = _cycles_of("simulating", results.deliveries, results.messages)
        progress(work, results.cycles, _all_cycles(results, expected_cycles))
    return simulation.results()


def _cycles_of(work: str, deliveries: int, messages: "Messages") -> Work:
    """Return work counted in cycles, with the deliveries so far."""
    return Work(work, "cycles", f"{deliveries:,} of {int(messages.copies.sum()):,} deliveries")


def _all_cycles(results: "Results", expected_cycles: int) -> int:
    """Return the expected cycles of a run at its present rate; at least until its last message starts."""
    deliveries = results.deliveries
    wanted = deliveries + results.lost
    return max(results.cycles, expected_cycles, results.cycles * wanted // max(1, deliveries) if deliveries else 0)


def with_deliveries(results: "Results", progress: Progress) -> Progress:
    """Return a callback that also reports deliveries during a comparison, from the model's run."""
    import numpy as np

    from hydranoc.lockstep.compare import COMPARING

    order = np.argsort(results.arrival_cycle)
    cycle, deliveries = results.arrival_cycle[order], np.cumsum(results.copies[order])

    def told(work: str, done: int, total: int) -> None:
        arrived = int(np.searchsorted(cycle, done))
        counted = int(deliveries[arrived - 1]) if arrived else 0
        progress(_cycles_of(work, counted, results.messages) if work == COMPARING else work, done, total)

    return told
