"""What a page tells of a configured network: its run, the use of its channels, and a part of it to be replayed."""

from dataclasses import dataclass

import numpy as np

from hydranoc.config.schema import RandomTraffic
from hydranoc.design import Design, Outcome
from hydranoc.replay.record import Recording, record
from hydranoc.replay.window import Window
from hydranoc.reports.progress import Progress
from sim_model.common.model import Wait
from sim_model.common.simulation import Simulation


@dataclass(frozen=True)
class Use:
    """How much channels carried.

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


@dataclass(frozen=True)
class Run:
    """Everything that a page shows of a run.

    Members
    -------
    design : Design
    outcome : Outcome
    use : Use
    recording : Recording
    waits : list of Wait
        Who waits for whom at the end, if it is a deadlock.
    """

    design: Design
    outcome: Outcome
    use: Use
    recording: Recording
    waits: list[Wait]


def run_of(design: Design, window: tuple[int, int] | None = None, progress: Progress | None = None) -> Run:
    """Run the golden model of a design, and once more to count and to record.

    Parameters
    ----------
    design : Design
    window : (int, int) or None
        First cycle of the replay, and the one behind its last; by default it begins with the messages that count.
    progress : callable or None

    Raises
    ------
    ValueError
        If the window does not begin within the run.
    """
    outcome = design.simulate(progress)
    end = outcome.results.cycles
    first, last = window or (min(design.warmup_cycles, end - 1), None)
    if not 0 <= first < end or (last is not None and last <= first):
        text = f"{first}:{last}" if window else str(first)
        raise ValueError(f"a window must be FIRST:LAST with FIRST < LAST and FIRST from 0 to {end - 1}, not {text}")
    use, waits = _use(design, outcome, progress)
    recording = record(
        _simulation(design), outcome.results, first, last, came_over=design.family.came_over, progress=progress
    )
    return Run(design, outcome, use, recording, waits)


def _simulation(design: Design, *, counting: bool = False) -> Simulation:
    return Simulation(
        design.model, design.messages, design.startup_cycles, count_channels=counting, hosts=design.config.hosts
    )


def _use(design: Design, outcome: Outcome, progress: Progress | None) -> tuple[Use, list[Wait]]:
    """Counted from the end of the warm-up to the end of the traffic; over the whole run where traffic has no end."""
    end, traffic = outcome.results.cycles, design.config.traffic
    last = min(traffic.cycles, end) if isinstance(traffic, RandomTraffic) else end
    first = min(design.warmup_cycles, last - 1)
    if progress:
        progress("counting", 0, 0)
    simulation = _simulation(design, counting=True)
    simulation.run(first)
    before = simulation.channel_counts()
    simulation.run(last)
    after = simulation.channel_counts()
    if outcome.results.deadlocked:
        simulation.run()
    waits = design.model.waits(simulation.state, simulation.router_state) if simulation.deadlocked else []
    cycles = last - first
    flits, stalled = after.flits - before.flits, after.stalled_cycles - before.stalled_cycles
    return Use(first, last, flits / cycles, stalled / cycles), waits


def smaller(window: Window) -> Window:
    """The first half of a window."""
    return Window(window.first, window.first + max(1, (window.last - window.first) // 2))
