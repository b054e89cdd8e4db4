"""A hypercube as a model for the common simulation."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim_model.common.engine.cycle import family_loop
from sim_model.common.engine.state import EngineState, Trace
from sim_model.common.messages import Messages
from sim_model.common.model import Wait
from sim_model.common.vc.model import MOST_BUFFER_FLITS
from sim_model.common.vc.state import VC_FOLDER
from sim_model.hypercube.describe import describe_router, find_waits
from sim_model.hypercube.record import record_wires
from sim_model.hypercube.router import step_routers
from sim_model.hypercube.state import HYPERCUBE_FOLDER, HypercubeState, make_hypercube_state
from topology.common.input_errors import error_outputs
from topology.common.observed import StatusOutput
from topology.common.side_wires import SideWire
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.lane_wires import lane_wires
from topology.hypercube.routing import HypercubeRouting

run_cycles = family_loop(step_routers, HYPERCUBE_FOLDER, record_wires, shared=(VC_FOLDER,))


@dataclass(frozen=True)
class HypercubeModel:
    """A hypercube with adaptive routing (Sec. 3, assumption e), cycle-exact as docs/timing.md has it.

    Parameters
    ----------
    routing : HypercubeRouting
        Network and rule for lanes.
    buffer_flits : int
        Flits that the buffer of a lane holds, 1 to 16; 4 and more keep the full rate.

    Raises
    ------
    ValueError
        "X must be Y, not Z".
    """

    routing: HypercubeRouting
    buffer_flits: int = 4

    def __post_init__(self):
        if not 1 <= self.buffer_flits <= MOST_BUFFER_FLITS:
            raise ValueError(f"Buffer must hold 1 to {MOST_BUFFER_FLITS} flits, not {self.buffer_flits!r}")

    @property
    def network(self) -> HypercubeNetwork:
        """The network."""
        return self.routing.network

    @property
    def flit_bits(self) -> int:
        """Data bits of a flit."""
        return self.routing.flit_bits

    @property
    def buffer_depth_flits(self) -> int:
        """Flits that the buffer of a lane holds."""
        return self.buffer_flits

    @property
    def link_cycles(self) -> int:
        """Links have no register stages."""
        return 1

    @property
    def delivers_over_channels(self) -> bool:
        """Hosts get everything over their channels."""
        return True

    def header_flits(self, destinations: Sequence[int]) -> int:
        """Header length of a message."""
        return self.routing.header_flits(destinations)

    def sent_header(self, messages: Messages, message: int) -> int:
        """Header of a message."""
        source, destinations = int(messages.source[message]), messages.destinations_of(message).tolist()
        return self.routing.header_value(source, destinations)

    @property
    def side_wires(self) -> tuple[SideWire, ...]:
        """Credits and releases."""
        return lane_wires(self.network)

    @property
    def status_outputs(self) -> tuple[StatusOutput, ...]:
        """What came through which lane and had no way."""
        return error_outputs(self.network)

    def header_changes(self, _variant: np.ndarray, /) -> list[tuple[int, int, np.ndarray]]:
        """Nothing on the way changes headers."""
        return []

    def is_spoilt(self, variant: np.ndarray, /) -> np.ndarray:
        """Nothing on the way spoils messages."""
        return np.zeros(len(variant), dtype=bool)

    def copy_log(self, _router_state: HypercubeState, /) -> None:
        """Every message has one destination, which gets one copy."""
        return

    def discarded(self, router_state: HypercubeState, /) -> int:
        """Worms for which there was no way."""
        return int(router_state.discards.worms[0])

    def reception(self, _messages: Messages, _copy_log: None, /) -> dict[str, int]:
        """There is nothing to be made of one copy."""
        return {}

    def make_state(self, messages: Messages) -> HypercubeState:
        """Registers of the switches before cycle 0.

        Raises
        ------
        ValueError
            If a message has several destinations.
        """
        return make_hypercube_state(self.routing, messages, buffer_flits=self.buffer_flits)

    def run_cycles(self, state: EngineState, routers: HypercubeState, trace: Trace, until_cycle: int) -> int:
        """The compiled loop; returns one of the reasons of ``engine/clock.py``."""
        return int(run_cycles(state, routers, trace, until_cycle))

    def describe_router(self, state: EngineState, routers: HypercubeState, switch: int) -> str:
        """The whole state of a switch, for mismatch and deadlock reports."""
        return describe_router(self.routing, state, routers, switch)

    def waits(self, state: EngineState, routers: HypercubeState) -> list[Wait]:
        """What every input lane that holds a flit, or has a lane, waits for, in a network where nothing moves."""
        return find_waits(self.routing, state, routers)
