"""What a family supplies so that its flits can be moved by planes, and a run that is done so."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from sim_model.engines.cycle.state import EngineState
from sim_model.engines.plane.counts import read_counts
from sim_model.engines.plane.loop import PlaneLoop
from sim_model.engines.plane.state import PlaneState
from sim_model.messages.messages import Messages


@dataclass(frozen=True)
class PlaneRun:
    """A run by planes.

    Parameters
    ----------
    planes : PlaneState
    routes : named tuple of arrays
        What the family's routing looks at.
    loop : callable
        The compiled loop.
    places_of_counts : callable
        Gives the places of each channel's counts, int64[channels] each: position among the output lanes, one more for
        injectors; and switch.
    """

    planes: PlaneState
    routes: Any
    loop: PlaneLoop
    places_of_counts: Callable[[], tuple[np.ndarray, np.ndarray]]

    def run(self, state: EngineState, _routers: Any, until_cycle: int) -> int:
        """Run to ``until_cycle``, the end, or a deadlock; returns one of the reasons of ``engines/cycle/clock.py``."""
        return int(self.loop(self.planes, state, self.routes, until_cycle))

    def counts(self, _state: EngineState) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return flits, stalled cycles and bubbles so far by channel, int64[channels] each."""
        flits, stalled_cycles, bubbles = read_counts(self.planes.counts, *self.places_of_counts())
        return flits, stalled_cycles, bubbles


class PlaneModel(Protocol):
    """A network whose flits can be moved by planes."""

    def obstacle(self, messages: Messages) -> str:
        """Return why messages cannot be moved so, or nothing.

        Parameters
        ----------
        messages : Messages
        """
        ...

    def begin(self, state: EngineState, messages: Messages) -> PlaneRun:
        """Return a run before cycle 0.

        Parameters
        ----------
        state : EngineState
            Hosts and messages.
        messages : Messages
        """
        ...
