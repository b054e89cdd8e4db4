"""The engine of worms (docs/understand/engines.md), and its runs."""

from dataclasses import dataclass
from typing import Any

from sim_model.engines.counts import counts_by_worms
from sim_model.engines.cycle.state import EngineState
from sim_model.engines.engine import WORM
from sim_model.engines.hosts import with_entries
from sim_model.engines.worm.loop import WormLoop
from sim_model.engines.worm.state import calendar_entries, make_worm_state
from sim_model.messages.messages import Messages
from topology.common.counter_bus import ChannelCounts


class WormRun:
    """A run by worms, before cycle 0.

    Parameters:
        loop (callable): The family's compiled loop.
        state: Hosts and messages.
    """

    def __init__(self, loop: WormLoop, state: EngineState):
        self._loop = loop
        self._state = with_entries(state, calendar_entries(state))
        self._worms = make_worm_state(self._state)

    def run(self, _state: EngineState, routers: Any, until_cycle: int) -> int:
        """Run to a cycle, the end, or a deadlock, and return one of the reasons of ``engines/cycle/clock.py``."""
        return self._loop(self._worms, self._state, routers, until_cycle)

    def counts(self, state: EngineState) -> ChannelCounts:
        """Return the counts of each channel so far."""
        return counts_by_worms(self._worms.channels, state)


@dataclass(frozen=True)
class WormEngine:
    """The engine that moves whole worms, see ``Engine``.

    Parameters:
        loop (callable): The family's compiled loop.
    """

    loop: WormLoop

    @property
    def name(self) -> str:
        """``worm``."""
        return WORM

    @property
    def has_own_routers(self) -> bool:
        """False."""
        return False

    def obstacle(self, _messages: Messages) -> str:
        """Return an empty string: worms of any messages can be moved."""
        return ""

    def pays(self, _messages: Messages) -> bool:
        """Return True: no run is faster by cycles."""
        return True

    def start(self, state: EngineState, _messages: Messages) -> WormRun:
        """Return a run before cycle 0."""
        return WormRun(self.loop, state)
