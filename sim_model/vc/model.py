"""Base of the models of all families with virtual channels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sim_model.engines.cycle.state import EngineState
from sim_model.engines.engine import Engine
from sim_model.engines.model import Wait
from sim_model.messages.messages import Messages
from sim_model.vc.describe import describe_vc_router, find_vc_waits
from sim_model.vc.state import VcState
from topology.common.input_errors import error_outputs
from topology.common.observed import StatusOutput
from topology.common.side_wires import SideWire
from topology.common.virtual_channels import (
    INJECTION_PRIORITY,
    NON_ATOMIC,
    PRIORITY_EQUAL,
    VC_REALLOCATION,
    VcNetwork,
    credit_wires,
)

MAX_BUFFER_FLITS = 16


@dataclass(frozen=True)
class UnicastModel:
    """A network with virtual channels, for any router, whose messages have one destination each.

    Parameters
    ----------
    routing
        The family's network and rule for VCs.
    buffer_flits : int
        Flits that the buffer of a VC holds, 1 to 16; 4 and more keep the full rate.

    Raises
    ------
    ValueError
        "X must be Y, not Z".
    """

    routing: Any
    buffer_flits: int = 4

    def __post_init__(self):
        if not 1 <= self.buffer_flits <= MAX_BUFFER_FLITS:
            raise ValueError(f"Buffer must hold 1 to {MAX_BUFFER_FLITS} flits, not {self.buffer_flits!r}")

    @property
    def network(self) -> VcNetwork:
        """The network."""
        return self.routing.network

    @property
    def flit_bits(self) -> int:
        """Data bits of a flit."""
        return self.routing.flit_bits

    @property
    def buffer_depth_flits(self) -> int:
        """Flits that the buffer of a VC holds."""
        return self.buffer_flits

    @property
    def link_cycles(self) -> int:
        """Links with virtual channels have no register stages."""
        return 1

    @property
    def registers_wake(self) -> bool:
        """False: credits show which flits can be sent."""
        return False

    @property
    def delivers_over_channels(self) -> bool:
        """True: hosts receive everything over their channels."""
        return True

    def header_flits(self, destinations: Sequence[int]) -> int:
        """Return the header length of a message."""
        return self.routing.header_flits(destinations)

    def sent_header(self, messages: Messages, message: int) -> int:
        """Return the header of a message."""
        source, destinations = int(messages.source[message]), messages.destinations_of(message).tolist()
        return self.routing.header_value(source, destinations)

    @property
    def engines(self) -> tuple[Engine, ...]:
        """None: worms share the links that they move over, flit by flit, and planes are a matter of each family."""
        return ()

    @property
    def status_outputs(self) -> tuple[StatusOutput, ...]:
        """Channels of unroutable worms."""
        return error_outputs(self.network)

    def header_changes(self, _variant: np.ndarray, /) -> list[tuple[int, int, np.ndarray]]:
        """Return no changes: switches do not change headers."""
        return []

    def is_spoilt(self, variant: np.ndarray, /) -> np.ndarray:
        """Return False for all flits: switches do not spoil messages."""
        return np.zeros(len(variant), dtype=bool)

    def copy_log(self, _router_state: Any, /) -> None:
        """Return None: every message has one destination, which gets one copy."""
        return

    def discarded(self, router_state: Any, /) -> int:
        """Return the unroutable worms."""
        return int(router_state.discards.worms[0])

    def reception(self, _messages: Messages, _copy_log: None, /) -> dict[str, int]:
        """Return no counts: single copies need no selection."""
        return {}


@dataclass(frozen=True)
class VcModel(UnicastModel):
    """A network of routers with virtual channels, without messages.

    Parameters
    ----------
    routing
        The family's network and rule for VCs.
    buffer_flits : int
        Flits D that the buffer of a VC holds, 1 to 16; 4 and more keep the full rate.
    routing_cycles : int
        Cycles R from a header's arrival in an empty buffer to its output register, at least 1.
    vc_reallocation : str
        VC reallocation: "tail", as soon as the tail before it has left; or "empty", when the buffer behind
        is known to be empty.
    injection_priority : str
        Priority of flits from processors at outputs: "equal", in turn with those from channels; or "low", only if none
        of those requests the output.

    Raises
    ------
    ValueError
        "X must be Y, not Z".
    """

    routing_cycles: int = 1
    vc_reallocation: str = NON_ATOMIC
    injection_priority: str = PRIORITY_EQUAL

    def __post_init__(self):
        super().__post_init__()
        if self.routing_cycles < 1:
            raise ValueError(f"Routing must take at least 1 cycle, not {self.routing_cycles!r}")
        if self.vc_reallocation not in VC_REALLOCATION:
            raise ValueError(f"Reuse of lanes must be {' or '.join(VC_REALLOCATION)}, not {self.vc_reallocation!r}")
        if self.injection_priority not in INJECTION_PRIORITY:
            wanted = " or ".join(INJECTION_PRIORITY)
            raise ValueError(f"Priority of injection must be {wanted}, not {self.injection_priority!r}")

    @property
    def side_wires(self) -> tuple[SideWire, ...]:
        """The credit wires."""
        return credit_wires(self.network)

    def describe_router(self, state: EngineState, routers: VcState, switch: int) -> str:
        """Return the whole state of a router as text, for mismatch and deadlock reports."""
        return describe_vc_router(self.network, state, routers, switch)

    def waits(self, state: EngineState, routers: VcState) -> list[Wait]:
        """Return the waits of all input VCs with flits or output VCs, in a network where nothing moves."""
        return find_vc_waits(self.network, state, routers)
