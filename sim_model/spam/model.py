"""The SPAM network as a model for the common simulation."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sim_model.engines.cycle.discards import record_discards
from sim_model.engines.cycle.loop import family_loop
from sim_model.engines.cycle.state import EngineState, Trace
from sim_model.engines.model import Wait
from sim_model.engines.worm.run import WormEngine
from sim_model.loops.bound import bound
from sim_model.loops.compiled import compiled
from sim_model.messages.messages import Messages
from sim_model.routed.routed_model import RoutedModel
from sim_model.spam.ages import Ages, make_ages, record_ages
from sim_model.spam.describe import describe_router, find_waits
from sim_model.spam.router import step_routers
from sim_model.spam.state import SpamState, make_spam_state
from sim_model.spam.worms import run_worms
from topology.common.ages import AGE, AGE_BITS, STEP_CYCLES, step_shifts
from topology.common.link_stages import LinkStages
from topology.spam.routing import SpamRouting


@compiled
def record_routers(cycle, state, spam, trace, row):
    """Write the status outputs, and ages of heads, into a recording."""
    record_discards(cycle, spam.discards, trace.signals[row], 0)
    record_ages(trace, row, len(state.channels), spam.ages)


ENQUEUES = ("atomic", "split")

run_cycles = family_loop(step_routers, Path(__file__).parent, record_routers)


@dataclass(frozen=True)
class SpamModel(RoutedModel):
    """A SPAM network (Sec. 3), cycle-exact as docs/look_up/timing_spam.md has it.

    Parameters:
        routing: Network, labels and tables.
        buffer_flits (int): Flits that an input buffer holds besides the longest header, less one: 1 works at half rate,
            2 and more at full rate.
        routing_cycles (int): Cycles from a header's arrival in an empty buffer to its output register, at least 1. 4 is
            the paper's 40 ns at 10 ns a cycle.
        link_cycles (int): Cycles from an output register to the buffer of the next switch: 1, and one for each register
            stage.
        enqueue: "atomic", or "split" for the negative control whose requests enter the queues one by one; it deadlocks.
        age_step_cycles: Step of ages, one of ``STEPS_CYCLES``.

    Raises:
        ValueError: "X is Z; it must be Y".
    """

    routing: SpamRouting
    enqueue: str = "atomic"
    age_step_cycles: int = STEP_CYCLES

    def __post_init__(self):
        super().__post_init__()
        if self.enqueue not in ENQUEUES:
            raise ValueError(f"Enqueue is {self.enqueue!r}; it must be 'atomic' or 'split'")
        step_shifts(self.age_step_cycles)

    def make_state(self, messages: Messages) -> SpamState:
        """Return tables and registers of the routers before cycle 0."""
        return make_spam_state(
            self.routing,
            messages,
            routing_cycles=self.routing_cycles,
            atomic=self.enqueue == "atomic",
            ages=self._make_ages() if self.has_ages else None,
        )

    @property
    def has_ages(self) -> bool:
        """True if queues are sorted by the ages of messages."""
        return self.routing.arbitration == AGE

    def _make_ages(self) -> Ages:
        links = LinkStages(self.network, self.link_cycles)
        return make_ages(
            links,
            buffer_depth_flits=self.buffer_depth_flits,
            routing_cycles=self.routing_cycles,
            step_cycles=self.age_step_cycles,
        )

    def header_changes(self, variant: np.ndarray) -> list[tuple[int, int, np.ndarray]]:
        """Return the age, which a variant is."""
        age = self.routing.header.bits_of(AGE)
        return [(age.start, AGE_BITS, variant)] if age else []

    def run_cycles(self, state: EngineState, routers: SpamState, trace: Trace, until_cycle: int) -> int:
        """Run the compiled loop, and return one of the reasons of ``engines/cycle/clock.py``."""
        return int(run_cycles(state, routers, trace, until_cycle))

    def bound_loop(self, state: EngineState, routers: SpamState, trace: Trace) -> Callable[[int], int | None]:
        """Return the compiled loop as a function of ``until_cycle``, for many short calls."""
        return bound(run_cycles, state, routers, trace)

    @property
    def engines(self) -> tuple[WormEngine, ...]:
        """The engine of worms, unless requests enter the queues one by one or by age."""
        return (WormEngine(run_worms),) if self.enqueue == "atomic" and not self.has_ages else ()

    def describe_router(self, state: EngineState, routers: SpamState, switch: int) -> str:
        """Return the whole state of a router as text, for mismatch and deadlock reports."""
        return describe_router(self.network, state, routers, switch)

    def waits(self, state: EngineState, routers: SpamState) -> list[Wait]:
        """Return the waits of all input channels with flits, in a network where nothing moves."""
        return find_waits(self.network, state, routers)
