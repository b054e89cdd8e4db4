"""A multistage network as a model for the common simulation."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sim_model.engines.cycle.discards import record_discards
from sim_model.engines.cycle.loop import family_loop
from sim_model.engines.cycle.state import EngineState, Trace
from sim_model.engines.model import Wait
from sim_model.engines.worm.run import WormEngine
from sim_model.loops.bound import bound
from sim_model.loops.compiled import compiled
from sim_model.messages.messages import Messages
from sim_model.min.describe import describe_router, find_waits
from sim_model.min.router import step_routers
from sim_model.min.state import MinState, make_min_state
from sim_model.min.worms import run_worms
from sim_model.routed.routed_model import RoutedModel
from topology.common.observed import StatusOutput
from topology.common.side_wires import SideWire
from topology.min.groups import EXACT, NO_TOKEN, TOKEN_RULES, token_status, token_wires
from topology.min.routing import MinRouting


@compiled
def record_switches(cycle, _state, family, trace, row):
    """Write side wires and status outputs into a recording."""
    signals = trace.signals[row]
    _record_tokens(cycle, family, signals)
    rings = len(family.groups)
    first = 2 * rings  # error outputs of the rings
    for ring in range(rings):
        first += family.groups[ring].switches
    record_discards(cycle, family.discards, signals, first)


@compiled
def _record_tokens(cycle, family, signals):
    """Write ``token_out`` of every switch on a ring, in the order of ``token_wires``.

    A switch that has passed a token on in the cycle before puts it on its wire; in the first cycle none has. The error
    outputs of the rings stay 0, for no token of the model is ever lost or duplicated.
    """
    groups, first = family.groups, 0
    for number in range(len(groups)):
        group = groups[number]
        on_way = cycle - 1 + group.wire_cycles - group.free_cycle
        if not group.held and cycle > 0 and on_way >= 0 and on_way % group.wire_cycles == 0:
            following = group.free_position + on_way // group.wire_cycles
            signals[first + (following + group.switches - 1) % group.switches] = 1
        first += group.switches


TOKENS = (*TOKEN_RULES, NO_TOKEN)

run_cycles = family_loop(step_routers, Path(__file__).parent, record_switches)


@dataclass(frozen=True)
class MinModel(RoutedModel):
    """A multistage network with asynchronous tree multicast (Sec. 3), cycle-exact as docs/look_up/timing_min.md has it.

    Parameters:
        routing: Network, groups and tables.
        buffer_flits (int): Flits that an input buffer holds besides the longest header, less one: 1 works at half rate,
            2 and more at full rate.
        routing_cycles (int): Cycles from a header's arrival in an empty buffer to its output register, at least 1. 3 is
            the paper's 60 ns at 20 ns a cycle.
        link_cycles (int): Cycles from an output register to the buffer of the next switch: 1, and one for each register
            stage; the wires of the token rings as well.
        token: Token rule: ``exact``; or, as negative controls, ``printed``, the paper's rule, and ``none`` for switches
            without tokens.

    Raises:
        ValueError: "X is Z; it must be Y".
    """

    routing: MinRouting
    token: str = EXACT

    def __post_init__(self):
        super().__post_init__()
        if self.token not in TOKENS:
            raise ValueError(f"Token is {self.token!r}; it must be one of {', '.join(TOKENS)}")

    def make_state(self, messages: Messages) -> MinState:
        """Return tables and registers of the switches before cycle 0."""
        return make_min_state(
            self.routing,
            messages,
            routing_cycles=self.routing_cycles,
            buffer_depth_flits=self.buffer_depth_flits,
            link_cycles=self.link_cycles,
            token=self.token,
        )

    def run_cycles(self, state: EngineState, routers: MinState, trace: Trace, until_cycle: int) -> int:
        """Run the compiled loop, and return one of the reasons of ``engines/cycle/clock.py``."""
        return int(run_cycles(state, routers, trace, until_cycle))

    def bound_loop(self, state: EngineState, routers: MinState, trace: Trace) -> Callable[[int], int | None]:
        """Return the compiled loop as a function of ``until_cycle``, for many short calls."""
        return bound(run_cycles, state, routers, trace)

    @property
    def engines(self) -> tuple[WormEngine]:
        """The engine of worms."""
        return (WormEngine(run_worms),)

    @property
    def side_wires(self) -> tuple[SideWire, ...]:
        """Signals in recordings besides flits: the token rings."""
        return token_wires(self.routing.groups, self.token)

    @property
    def status_outputs(self) -> tuple[StatusOutput, ...]:
        """Error outputs of the rings and of the inputs."""
        return (*token_status(self.routing.groups, self.token), *super().status_outputs)

    def describe_router(self, state: EngineState, routers: MinState, switch: int) -> str:
        """Return the whole state of a switch as text, for mismatch and deadlock reports."""
        return describe_router(self.routing, state, routers, switch)

    def waits(self, state: EngineState, routers: MinState) -> list[Wait]:
        """Return the waits of all input channels with flits, in a network where nothing moves."""
        return find_waits(self.routing, state, routers)
