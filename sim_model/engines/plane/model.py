"""The engine of planes (docs/understand/engines.md): the part that families share, and its runs."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sim_model.engines.cycle.state import EngineState
from sim_model.engines.engine import PLANES
from sim_model.engines.plane.counts import counts_by_planes
from sim_model.engines.plane.loop import PlaneLoop
from sim_model.engines.plane.state import PlaneState
from sim_model.messages.messages import Messages
from topology.common.counter_bus import ChannelCounts

MIN_FLITS = 100_000
"""With fewer flits, loading the compiled loop takes longer than it saves."""


@dataclass(frozen=True)
class PlaneRun:
    """A run by planes.

    Parameters:
        routes (named tuple of arrays): Data of the family's routing.
        loop (callable): The compiled loop.
        places_of_counts: Gives the places of each channel's counts, int64[channels] each: position among the output
            VCs, one more for injectors; and switch.
    """

    planes: PlaneState
    routes: Any
    loop: PlaneLoop
    places_of_counts: Callable[[], tuple[np.ndarray, np.ndarray]]

    def run(self, state: EngineState, _routers: Any, until_cycle: int) -> int:
        """Run to a cycle, the end, or a deadlock, and return one of the reasons of ``engines/cycle/clock.py``."""
        return int(self.loop(self.planes, state, self.routes, until_cycle))

    def counts(self, _state: EngineState) -> ChannelCounts:
        """Return the counts of each channel so far."""
        return counts_by_planes(self.planes.counts, *self.places_of_counts())


class PlaneEngine(ABC):
    """The engine that moves the flits of 64 routers at a time, see ``Engine``; families supply the rest."""

    name = PLANES
    has_own_routers = True

    @abstractmethod
    def obstacle(self, messages: Messages) -> str:
        """Return why messages cannot be moved by planes, or an empty string."""

    def pays(self, messages: Messages) -> bool:
        """Return whether the run is long enough to make up for loading another compiled loop."""
        return int(messages.flits.sum()) >= MIN_FLITS

    @abstractmethod
    def start(self, state: EngineState, messages: Messages) -> PlaneRun:
        """Return a run before cycle 0."""
