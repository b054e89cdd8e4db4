"""Load of channels, and back-pressure on them, in a part of a run."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sim_model.engines.simulation import Simulation
    from topology.common.counter_bus import ChannelCounts

MAX_CHUNKS = 50
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Use:
    """Load of channels in a span of cycles.

    Members:
        first, last (int): Counted cycles: ``first`` to ``last - 1``.
        flits_per_cycle (float64[channels])
        stalled_share (float64[channels]): Fraction of cycles in which a flit waited for buffer space behind the
            channel.
    """

    first: int
    last: int
    flits_per_cycle: np.ndarray
    stalled_share: np.ndarray


def count_use(simulation: "Simulation", first: int, last: int, progress: Progress | None = None) -> Use:
    """Run a simulation that counts channels from cycle 0 to ``last``, and return the counts from ``first`` on.

    Parameters:
        first, last (int): ``first`` less than ``last``, and ``last`` at most the length of the run.
        progress: Called with the work, cycles done, and cycles in all.
    """
    _run_to(simulation, first, last, progress)
    before = simulation.channel_counts()
    _run_to(simulation, last, last, progress)
    return use_between(first, last, before, simulation.channel_counts())


def use_between(first: int, last: int, before: "ChannelCounts", after: "ChannelCounts") -> Use:
    """Return the use from the counts before cycle ``first`` and before cycle ``last``."""
    cycles, stalled = last - first, after.stalled_cycles - before.stalled_cycles
    return Use(first, last, (after.flits - before.flits) / cycles, stalled / cycles)


def _run_to(simulation: "Simulation", cycle: int, total: int, progress: Progress | None) -> None:
    chunk = total // MAX_CHUNKS + 1
    while simulation.cycle < cycle and not (simulation.finished or simulation.deadlocked):
        simulation.run(min(simulation.cycle + chunk, cycle))
        if progress:
            progress("counting", simulation.cycle, total)
