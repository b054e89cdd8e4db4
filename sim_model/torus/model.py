"""A torus or mesh as a model for the common simulation."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sim_model.engines.cycle.loop import family_loop
from sim_model.engines.cycle.state import EngineState, Trace
from sim_model.loops.bound import bound
from sim_model.messages.messages import Messages
from sim_model.torus.describe import describe_router
from sim_model.torus.planes import TorusPlanes
from sim_model.torus.router import step_routers
from sim_model.torus.state import make_routes
from sim_model.vc.model import VcModel
from sim_model.vc.record import record_vcs
from sim_model.vc.state import VcState, make_vc_state
from topology.common.virtual_channels import ATOMIC, PRIORITY_LOW
from topology.torus.operations import turns_of
from topology.torus.routing import TorusRouting

run_cycles = family_loop(step_routers, Path(__file__).parent, record_vcs)


@dataclass(frozen=True)
class TorusModel(VcModel):
    """A torus or mesh with virtual channels (Sec. 2), cycle-exact as docs/look_up/timing_torus.md has it.

    The operation of a message fixes its turns (``topology/torus/operations.py``).

    Parameters:
        routing: Network and rule for VCs.
        buffer_flits (int): Flits D that the buffer of a VC holds, 1 to 16; 4 and more keep the full rate.
        routing_cycles (int): Cycles R from a header's arrival in an empty buffer to its output register, at least 1.
        vc_reallocation (str): VC reallocation: "tail", as soon as the tail before it has left; or "empty", when the
            buffer behind is known to be empty.
        injection_priority (str): Priority of flits from processors at outputs: "equal", in turn with those from
            channels; or "low", only if none of those requests the output.

    Raises:
        ValueError: "X is Z; it must be Y".
    """

    routing: TorusRouting

    def sent_header(self, messages: Messages, message: int) -> int:
        """Return the header of a message."""
        source, destinations = int(messages.source[message]), messages.destinations_of(message).tolist()
        return self.routing.header_value(source, destinations, turns_of(int(messages.operation[message])))

    @property
    def engines(self) -> tuple[TorusPlanes]:
        """The engine of planes."""
        return self._engines

    @cached_property
    def _engines(self) -> tuple[TorusPlanes]:
        return (TorusPlanes(self),)

    def make_state(self, messages: Messages) -> VcState:
        """Return the registers of the routers before cycle 0, and the data of their routing.

        Raises:
            ValueError: If a message has several destinations.
        """
        if (messages.destination_counts > 1).any():
            raise ValueError("A message in a torus must have 1 destination: multicasts are made of several messages")
        return make_vc_state(
            self.network,
            make_routes(self.routing, messages),
            depth_flits=self.buffer_flits,
            routing_cycles=self.routing_cycles,
            empty_reuse=self.vc_reallocation == ATOMIC,
            low_injection=self.injection_priority == PRIORITY_LOW,
        )

    def run_cycles(self, state: EngineState, routers: VcState, trace: Trace, until_cycle: int) -> int:
        """Run the compiled loop, and return one of the reasons of ``engines/cycle/clock.py``."""
        return int(run_cycles(routers.with_arrivals(state), routers, trace, until_cycle))

    def bound_loop(self, state: EngineState, routers: VcState, trace: Trace) -> Callable[[int], int | None]:
        """Return the compiled loop as a function of ``until_cycle``, for many short calls."""
        return bound(run_cycles, routers.with_arrivals(state), routers, trace)

    def describe_router(self, state: EngineState, routers: VcState, switch: int) -> str:
        """Return the whole state of a switch as text, for mismatch and deadlock reports."""
        return describe_router(self.routing, state, routers, switch)
