"""What the models of all families have in common whose switches look headers up in tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class RoutedModel:
    """A network without messages: sizes of buffers, and what headers look like.

    Parameters
    ----------
    routing
        The family's network and tables.
    buffer_flits : int
        Flits that an input buffer holds besides the longest header, less one: 1 works at half rate, 2 and more at
        full rate.
    routing_cycles : int
        Cycles from a header's arrival in an empty buffer to its output register, at least 1.

    Raises
    ------
    ValueError
        "X must be Y, not Z".
    """

    routing: Any
    buffer_flits: int = 2
    routing_cycles: int = 1

    def __post_init__(self):
        if self.buffer_flits < 1:
            raise ValueError(f"Buffer must hold at least 1 flit, not {self.buffer_flits!r}")
        if self.routing_cycles < 1:
            raise ValueError(f"Routing must take at least 1 cycle, not {self.routing_cycles!r}")

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

    def header_flits(self, destinations: Sequence[int]) -> int:
        """Header length of a message to these destinations."""
        return self.routing.header_flits(destinations)

    def header_data(self, source: int, destinations: Sequence[int]) -> list[int]:
        """Data fields of the header flits of a message."""
        value = self.routing.header_value(source, destinations)
        return self.routing.header.to_flits(value, self.header_flits(destinations))
