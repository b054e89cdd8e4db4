"""A run that is done by worms."""

from typing import Any

import numpy as np

from sim_model.engines.cycle.state import EngineState
from sim_model.engines.worm.counts import counts_so_far
from sim_model.engines.worm.loop import WormLoop
from sim_model.engines.worm.state import make_worm_state


class WormRun:
    """A run by worms, before cycle 0.

    Parameters
    ----------
    loop : callable
        The family's compiled loop.
    state : EngineState
        Hosts and messages.
    """

    def __init__(self, loop: WormLoop, state: EngineState):
        self._loop = loop
        self._worms = make_worm_state(state)

    def run(self, state: EngineState, routers: Any, until_cycle: int) -> int:
        """Run to ``until_cycle``, the end, or a deadlock; returns one of the reasons of ``engines/cycle/clock.py``."""
        return self._loop(self._worms, state, routers, until_cycle)

    def counts(self, state: EngineState) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return flits, stalled cycles and bubbles so far by channel, int64[channels] each."""
        return counts_so_far(self._worms, state)
