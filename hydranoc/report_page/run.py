"""What a page tells of a configured network: its run, the use of its channels, and a part of it to be replayed."""

from dataclasses import dataclass

from hydranoc.design import Design, Outcome
from hydranoc.replay.record import Recording
from hydranoc.replay.use import Use
from hydranoc.replay.window import Window
from hydranoc.reports.progress import Progress
from sim_model.engines.model import Wait
from sim_model.engines.simulation import Simulation


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
    WindowWrong
        If the window does not begin within the run.
    """
    outcome = design.simulate(progress)
    recording = design.recording(outcome.results, window, progress)
    use, counted = design.channel_use(outcome.results, progress)
    waits = _waits(counted) if outcome.results.deadlocked else []
    return Run(design, outcome, use, recording, waits)


def _waits(simulation: Simulation) -> list[Wait]:
    """Return who waits for whom when nothing moves any more."""
    simulation.run()
    return simulation.model.waits(simulation.state, simulation.router_state)


def smaller(window: Window) -> Window:
    """Return the first half of a window."""
    return Window(window.first, window.first + max(1, (window.last - window.first) // 2))
