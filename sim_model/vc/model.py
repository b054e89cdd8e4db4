"""Base of the models of all families with virtual channels."""

from dataclasses import dataclass
from typing import Any

from sim_model.engines.cycle.state import EngineState
from sim_model.engines.model import Model, Wait
from sim_model.vc.describe import describe_vc_router, find_vc_waits
from sim_model.vc.state import VcState
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
class UnicastModel(Model):
    """A network with virtual channels, for any router, whose messages have one destination each.

    Parameters:
        routing: The family's network and rule for VCs.
        buffer_flits: Flits that the buffer of a VC holds, 1 to 16; 4 and more keep the full rate.

    Raises:
        ValueError: "X is Z; it must be Y".
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
    def buffer_depth_flits(self) -> int:
        """Flits that the buffer of a VC holds."""
        return self.buffer_flits


@dataclass(frozen=True)
class VcModel(UnicastModel):
    """A network of routers with virtual channels, without messages.

    Parameters:
        routing: The family's network and rule for VCs.
        buffer_flits (int): Flits D that the buffer of a VC holds, 1 to 16; 4 and more keep the full rate.
        routing_cycles: Cycles R from a header's arrival in an empty buffer to its output register, at least 1.
        vc_reallocation: VC reallocation: "tail", as soon as the tail before it has left; or "empty", when the buffer
            behind is known to be empty.
        injection_priority: Priority of flits from processors at outputs: "equal", in turn with those from channels; or
            "low", only if none of those requests the output.

    Raises:
        ValueError: "X is Z; it must be Y".
    """

    routing_cycles: int = 1
    vc_reallocation: str = NON_ATOMIC
    injection_priority: str = PRIORITY_EQUAL

    def __post_init__(self):
        super().__post_init__()
        if self.routing_cycles < 1:
            raise ValueError(f"Routing must take at least 1 cycle, not {self.routing_cycles!r}")
        if self.vc_reallocation not in VC_REALLOCATION:
            raise ValueError(f"vc_reallocation is {self.vc_reallocation!r}; it must be {' or '.join(VC_REALLOCATION)}")
        if self.injection_priority not in INJECTION_PRIORITY:
            wanted = " or ".join(INJECTION_PRIORITY)
            raise ValueError(f"Priority of injection is {self.injection_priority!r}; it must be {wanted}")

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
