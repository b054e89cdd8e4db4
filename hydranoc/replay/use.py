"""How much channels carried, and how long flits waited on them, in a part of a run."""

from dataclasses import dataclass

import numpy as np

from sim_model.common.simulation import Simulation


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


def count_use(simulation: Simulation, first: int, last: int) -> Use:
    """Run a simulation that counts channels, in cycle 0, up to ``last`` and count from ``first`` on.

    Parameters
    ----------
    simulation : Simulation
    first, last : int
        ``first`` less than ``last``, and ``last`` at most the length of the run.
    """
    simulation.run(first)
    before = simulation.channel_counts()
    simulation.run(last)
    after, cycles = simulation.channel_counts(), last - first
    stalled = after.stalled_cycles - before.stalled_cycles
    return Use(first, last, (after.flits - before.flits) / cycles, stalled / cycles)
