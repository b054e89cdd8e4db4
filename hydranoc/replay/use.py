"""How much channels carried, and how long flits waited on them, in a part of a run."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sim_model.engines.simulation import ChannelCounts, Simulation

MOST_CHUNKS = 50
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Use:
    """What channels did.

    Members
    -------
    first, last : int
        Cycles ``first`` to ``last - 1`` are those counted.
    flits_per_cycle : float64[channels]
    stalled_share : float64[channels]
        Share of the cycles in which a flit waited for room behind the channel.
    """

    first: int
    last: int
    flits_per_cycle: np.ndarray
    stalled_share: np.ndarray


def count_use(simulation: "Simulation", first: int, last: int, progress: Progress | None = None) -> Use:
    """Run a simulation that counts channels, in cycle 0, up to ``last`` and count from ``first`` on.

    Parameters
    ----------
    simulation : Simulation
    first, last : int
        ``first`` less than ``last``, and ``last`` at most the length of the run.
    progress : callable or None
        Called with what is being done, cycles done, and cycles in all.
    """
    _run_to(simulation, first, last, progress)
    before = simulation.channel_counts()
    _run_to(simulation, last, last, progress)
    return use_between(first, last, before, simulation.channel_counts())


def use_between(first: int, last: int, before: "ChannelCounts", after: "ChannelCounts") -> Use:
    """Return from what had been counted before cycle ``first`` and before cycle ``last``."""
    cycles, stalled = last - first, after.stalled_cycles - before.stalled_cycles
    return Use(first, last, (after.flits - before.flits) / cycles, stalled / cycles)


def _run_to(simulation: "Simulation", cycle: int, total: int, progress: Progress | None) -> None:
    chunk = total // MOST_CHUNKS + 1
    while simulation.cycle < cycle and not (simulation.finished or simulation.deadlocked):
        simulation.run(min(simulation.cycle + chunk, cycle))
        if progress:
            progress("counting", simulation.cycle, total)
