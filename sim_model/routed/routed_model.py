"""Base of the models of all families with routing tables."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sim_model.messages.messages import Messages
from topology.common.input_errors import error_outputs
from topology.common.link_stages import check_link_cycles
from topology.common.observed import StatusOutput
from topology.common.side_wires import SideWire


@dataclass(frozen=True)
class RoutedModel:
    """A network without messages: sizes of buffers, and the format of headers.

    Parameters
    ----------
    routing
        The family's network and tables.
    buffer_flits : int
        Flits that an input buffer holds besides the longest header, less one: 1 works at half rate, 2 and more at
        full rate.
    routing_cycles : int
        Cycles from a header's arrival in an empty buffer to its output register, at least 1.
    link_cycles : int
        Cycles from an output register to the buffer of the next switch: 1, and one for each register stage.

    Raises
    ------
    ValueError
        "X must be Y, not Z".
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
    def flit_bits(self) -> int:
        """Data bits of a flit."""
        return self.routing.flit_bits

    @property
    def buffer_depth_flits(self) -> int:
        """Flits that an input buffer of a switch holds."""
        return self.routing.header.buffer_depth_flits(self.buffer_flits)

    @property
    def registers_wake(self) -> bool:
        """Flits go on when registers are empty."""
        return True

    @property
    def delivers_over_channels(self) -> bool:
        """Hosts get everything over their channels."""
        return True

    @property
    def header_flits(self) -> Callable[[Sequence[int]], int]:
        """Header length of a message to some destinations."""
        return self.routing.header_flits

    def sent_header(self, messages: Messages, message: int) -> int:
        """Return the header of a message."""
        return self.routing.header_value(int(messages.source[message]), messages.destinations_of(message).tolist())

    @property
    def side_wires(self) -> tuple[SideWire, ...]:
        """None."""
        return ()

    @property
    def status_outputs(self) -> tuple[StatusOutput, ...]:
        """Channels of unroutable worms."""
        return error_outputs(self.network)

    def header_changes(self, _variant: np.ndarray, /) -> list[tuple[int, int, np.ndarray]]:
        """Return no changes: switches do not change headers."""
        return []

    def copy_log(self, _router_state: Any, /) -> None:
        """Return None: every destination gets one copy."""
        return

    def discarded(self, router_state: Any, /) -> int:
        """Return the unroutable worms."""
        return int(router_state.discards.worms[0])

    def reception(self, _messages: Messages, _copy_log: None, /) -> dict[str, int]:
        """Return no counts: single copies need no selection."""
        return {}

    def is_spoilt(self, variant: np.ndarray, /) -> np.ndarray:
        """Return False for all flits: switches do not spoil messages."""
        return np.zeros(len(variant), dtype=bool)
