"""A configured network's run for a page, with the use of its channels and a replayed part."""

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
    """The data of a run for a page.

    Members:
        design
        outcome
        use
        recording
        waits: Waits at the end, in a deadlock.
    """

    design: Design
    outcome: Outcome
    use: Use
    recording: Recording
    waits: list[Wait]


def run_of(design: Design, window: tuple[int, int] | None = None, progress: Progress | None = None) -> Run:
    """Run the golden model of a design, and once more to count and to record.

    Parameters:
        window: First cycle of the replay, and the one after its last; by default it begins after the warm-up.

    Raises:
        WindowWrong: If the window does not begin within the run.
    """
    outcome = design.simulate(progress)
    recording = design.recording(outcome.results, window, progress)
    use, counted = design.channel_use(outcome.results, progress)
    waits = _waits(counted) if outcome.results.deadlocked else []
    return Run(design, outcome, use, recording, waits)


def _waits(simulation: Simulation) -> list[Wait]:
    """Return the waits between messages when nothing moves any more."""
    simulation.run()
    return simulation.model.waits(simulation.state, simulation.router_state)


def smaller(window: Window) -> Window:
    """Return the first half of a window."""
    return Window(window.first, window.first + max(1, (window.last - window.first) // 2))
