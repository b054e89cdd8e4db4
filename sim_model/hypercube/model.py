"""A hypercube as a model for the common simulation."""

from collections.abc import Callable
from dataclasses import dataclass

from sim_model.engines.cycle.loop import family_loop
from sim_model.engines.cycle.state import EngineState, Trace
from sim_model.engines.model import Wait
from sim_model.hypercube.describe import describe_router, find_waits
from sim_model.hypercube.planes.model import HypercubePlanes
from sim_model.hypercube.record import record_wires
from sim_model.hypercube.router import step_routers
from sim_model.hypercube.state import HYPERCUBE_FOLDER, HypercubeState, make_hypercube_state
from sim_model.loops.bound import bound
from sim_model.messages.messages import Messages
from sim_model.vc.model import UnicastModel
from topology.common.side_wires import SideWire
from topology.common.virtual_channels import ATOMIC
from topology.hypercube.routing import HypercubeRouting
from topology.hypercube.vc_reallocation import check_reuse, unshared_vcs
from topology.hypercube.vc_wires import vc_wires

run_cycles = family_loop(step_routers, HYPERCUBE_FOLDER, record_wires)


@dataclass(frozen=True)
class HypercubeModel(UnicastModel):
    """A hypercube with adaptive routing (Sec. 3, assumption e), cycle-exact as docs/look_up/timing_hypercube.md has it.

    Parameters:
        routing: Network and rule for VCs.
        buffer_flits (int): Flits that the buffer of a VC holds, 1 to 16; 4 and more keep the full rate.
        vc_reallocation: VC reallocation, see ``topology.hypercube.vc_reallocation``.

    Raises:
        ValueError: "X is Z; it must be Y".
    """

    routing: HypercubeRouting
    vc_reallocation: str = ATOMIC

    def __post_init__(self):
        super().__post_init__()
        check_reuse(self.vc_reallocation)

    @property
    def unshared_vcs(self) -> int:
        """Number of virtual channels, the first ones of a channel, that hold one worm at a time."""
        return unshared_vcs(self.routing.network.vcs, self.routing.rule, self.vc_reallocation)

    @property
    def side_wires(self) -> tuple[SideWire, ...]:
        """Credits and releases."""
        return vc_wires(self.network, self.unshared_vcs)

    @property
    def engines(self) -> tuple[HypercubePlanes]:
        """The engine of planes."""
        return (HypercubePlanes(self),)

    def make_state(self, messages: Messages) -> HypercubeState:
        """Return registers of the switches before cycle 0.

        Raises:
            ValueError: If a message has several destinations.
        """
        return make_hypercube_state(
            self.routing, messages, buffer_flits=self.buffer_flits, unshared_vcs=self.unshared_vcs
        )

    def run_cycles(self, state: EngineState, routers: HypercubeState, trace: Trace, until_cycle: int) -> int:
        """Run the compiled loop, and return one of the reasons of ``engines/cycle/clock.py``."""
        return int(run_cycles(routers.with_arrivals(state), routers, trace, until_cycle))

    def bound_loop(self, state: EngineState, routers: HypercubeState, trace: Trace) -> Callable[[int], int | None]:
        """Return the compiled loop as a function of ``until_cycle``, for many short calls."""
        return bound(run_cycles, routers.with_arrivals(state), routers, trace)

    def describe_router(self, state: EngineState, routers: HypercubeState, switch: int) -> str:
        """Return the whole state of a switch as text, for mismatch and deadlock reports."""
        return describe_router(self.routing, state, routers, switch)

    def waits(self, state: EngineState, routers: HypercubeState) -> list[Wait]:
        """Return the waits of all input VCs with flits or output VCs, in a network where nothing moves."""
        return find_waits(self.routing, state, routers)
