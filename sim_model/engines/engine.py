"""Engines: ways to run a network that are faster than cycle by cycle, with the same results.

The engine of cycles (``sim_model/engines/cycle``) is the reference, and part of every model. Others are a tuple on the
model; without them all that changes is the speed.
"""

from typing import Any, Protocol

from sim_model.engines.cycle.state import EngineState
from sim_model.messages.messages import Messages
from topology.common.counter_bus import ChannelCounts

WORM, PLANES, CYCLE_ENGINE = ENGINES = ("worm", "planes", "cycle")
"""Names of all engines."""


class Runner(Protocol):
    """A run that has begun."""

    def run(self, state: EngineState, routers: Any, until_cycle: int, /) -> int:
        """Run to a cycle, the end, or a deadlock.

        Parameters:
            state: Hosts and messages.
            routers (named tuple of arrays or None): As ``Model.make_state`` gives it; None if the engine has routers of
                its own.
            until_cycle: The first cycle that is not run any more.

        Returns:
            One of the reasons of ``engines/cycle/clock.py``.
        """
        ...

    def counts(self, state: EngineState, /) -> ChannelCounts:
        """Return the counts of each channel so far."""
        ...


class Engine(Protocol):
    """An engine for one model."""

    @property
    def name(self) -> str:
        """One of ``ENGINES``."""
        ...

    @property
    def has_own_routers(self) -> bool:
        """True if runs take no router state of the model, deliver one copy per destination, and discard no worm."""
        ...

    def obstacle(self, messages: Messages, /) -> str:
        """Return why messages cannot be run, or an empty string."""
        ...

    def pays(self, messages: Messages, /) -> bool:
        """Return whether running messages is faster than by cycles, set-up included."""
        ...

    def start(self, state: EngineState, messages: Messages, /) -> Runner:
        """Return a run before cycle 0.

        Parameters:
            state: Hosts and messages.
        """
        ...
