"""A hypercube as a model for the common simulation."""

from dataclasses import dataclass

from sim_model.engines.cycle.loop import family_loop
from sim_model.engines.cycle.state import EngineState, Trace
from sim_model.engines.model import Wait
from sim_model.hypercube.describe import describe_router, find_waits
from sim_model.hypercube.planes.model import HypercubePlanes
from sim_model.hypercube.record import record_wires
from sim_model.hypercube.router import step_routers
from sim_model.hypercube.state import HYPERCUBE_FOLDER, HypercubeState, make_hypercube_state
from sim_model.messages.messages import Messages
from sim_model.vc.model import UnicastModel
from topology.common.lanes import REUSE_EMPTY
from topology.common.side_wires import SideWire
from topology.hypercube.lane_reuse import check_reuse, unshared_lanes
from topology.hypercube.lane_wires import lane_wires
from topology.hypercube.routing import HypercubeRouting

run_cycles = family_loop(step_routers, HYPERCUBE_FOLDER, record_wires)


@dataclass(frozen=True)
class HypercubeModel(UnicastModel):
    """A hypercube with adaptive routing (Sec. 3, assumption e), cycle-exact as docs/look_up/timing_hypercube.md has it.

    Parameters
    ----------
    routing : HypercubeRouting
        Network and rule for VCs.
    buffer_flits : int
        Flits that the buffer of a VC holds, 1 to 16; 4 and more keep the full rate.
    lane_reuse : str
        VC reallocation, see ``topology.hypercube.lane_reuse``.

    Raises
    ------
    ValueError
        "X must be Y, not Z".
    """

    routing: HypercubeRouting
    lane_reuse: str = REUSE_EMPTY

    def __post_init__(self):
        super().__post_init__()
        check_reuse(self.lane_reuse)

    @property
    def unshared_lanes(self) -> int:
        """Number of virtual channels, the first ones of a channel, that hold one worm at a time."""
        return unshared_lanes(self.routing.network.lanes, self.routing.rule, self.lane_reuse)

    @property
    def side_wires(self) -> tuple[SideWire, ...]:
        """Credits and releases."""
        return lane_wires(self.network, self.unshared_lanes)

    @property
    def engines(self) -> tuple[HypercubePlanes]:
        """The engine of planes."""
        return (HypercubePlanes(self),)

    def make_state(self, messages: Messages) -> HypercubeState:
        """Return registers of the switches before cycle 0.

        Raises
        ------
        ValueError
            If a message has several destinations.
        """
        return make_hypercube_state(
            self.routing, messages, buffer_flits=self.buffer_flits, unshared_lanes=self.unshared_lanes
        )

    def run_cycles(self, state: EngineState, routers: HypercubeState, trace: Trace, until_cycle: int) -> int:
        """Run the compiled loop, and return one of the reasons of ``engines/cycle/clock.py``."""
        return int(run_cycles(routers.with_arrivals(state), routers, trace, until_cycle))

    def describe_router(self, state: EngineState, routers: HypercubeState, switch: int) -> str:
        """Return the whole state of a switch as text, for mismatch and deadlock reports."""
        return describe_router(self.routing, state, routers, switch)

    def waits(self, state: EngineState, routers: HypercubeState) -> list[Wait]:
        """Return the waits of all input VCs with flits or output VCs, in a network where nothing moves."""
        return find_waits(self.routing, state, routers)
