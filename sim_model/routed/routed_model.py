"""Base of the models of all families with routing tables."""

from dataclasses import dataclass
from typing import Any

from sim_model.engines.model import Model
from topology.common.link_stages import check_link_cycles


@dataclass(frozen=True)
class RoutedModel(Model):
    """A network without messages: sizes of buffers, and the format of headers.

    Parameters:
        routing: The family's network and tables.
        buffer_flits: Flits that an input buffer holds besides the longest header, less one: 1 works at half rate, 2 and
            more at full rate.
        routing_cycles: Cycles from a header's arrival in an empty buffer to its output register, at least 1.
        link_cycles: Cycles from an output register to the buffer of the next switch: 1, and one for each register
            stage.

    Raises:
        ValueError: "X is Z; it must be Y".
    """

    routing: Any
    buffer_flits: int = 2
    routing_cycles: int = 1
    link_cycles: int = 1

    def __post_init__(self):
        if self.buffer_flits < 1:
            raise ValueError(f"Buffer must hold at least 1 flit, not {self.buffer_flits!r}")
        if self.routing_cycles < 1:
            raise ValueError(f"Routing must take at least 1 cycle, not {self.routing_cycles!r}")
        check_link_cycles(self.link_cycles)

    @property
    def network(self) -> Any:
        """The network."""
        return self.routing.network

    @property
    def buffer_depth_flits(self) -> int:
        """Flits that an input buffer of a switch holds."""
        return self.routing.header.buffer_depth_flits(self.buffer_flits)

    @property
    def registers_wake(self) -> bool:
        """Flits go on when registers are empty."""
        return True
