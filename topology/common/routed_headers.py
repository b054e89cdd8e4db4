"""Headers with a routing key that switches look up, common to all families with routing keys."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from topology.common.channels import ChannelNetwork
from topology.common.errors import TopologyError
from topology.common.flits import HeaderFormat


def unicast_header(key_bits: int, source_bits: int, flit_bits: int) -> HeaderFormat:
    """Return the header format of a network whose messages have one destination: routing key and sender.

    Raises:
        TopologyError: If the key does not fit into the first flit.
    """
    if key_bits > flit_bits:
        raise TopologyError(
            f"Flit must have room for the routing key's {key_bits} bits, not {flit_bits!r} bits", item=str(flit_bits)
        )
    return HeaderFormat((("key", key_bits), ("source", source_bits)), 0, flit_bits)


def only_destination(destinations: Sequence[int]) -> int:
    """Return the only destination of a message.

    Raises:
        ValueError: If there are several, or none.
    """
    if len(destinations) != 1:
        raise ValueError(f"A message must have 1 destination, not {len(destinations)}")
    return destinations[0]


@dataclass(frozen=True)
class HeaderLengths:
    """Header lengths of a format in flits: a call with a set of destinations returns that of a message to them."""

    header: HeaderFormat

    def __call__(self, destinations: Sequence[int]) -> int:
        return self.header.flits_of(destinations)

    def of_sets(self, offsets: np.ndarray, destinations: np.ndarray) -> np.ndarray:
        """Return the lengths for many messages at once, int64[messages]; see ``HeaderFormat.flits_of_sets``."""
        return self.header.flits_of_sets(offsets, destinations)


def has_no_choice(network: ChannelNetwork, routes: np.ndarray) -> bool:
    """Return whether every source has one injection channel, and every header one candidate at each switch."""
    return network.injection_channels_per_processor == 1 and not (routes & routes - 1).any()


class RoutedHeaders(ABC):
    """Headers of a routing key, the sender and, in multicasts, the set of destinations."""

    @property
    @abstractmethod
    def header(self) -> HeaderFormat:
        """Header format of the network: key and sender, and the format of destination sets."""

    @abstractmethod
    def routing_key(self, source: int, destinations: Sequence[int], /) -> int:
        """Return the routing key, the header's first field.

        Parameters:
            source: Processor that sends it.
            destinations: Processors, as ``destinations_of`` gives them.

        Raises:
            ValueError: For a number of destinations that the routing cannot send to.
        """

    @property
    def keeps_pairs(self) -> bool:
        """True if messages of one source to the same destinations keep their order: no header has a choice."""
        return False

    def destinations_of(self, source: int, destinations: Sequence[int]) -> tuple[int, ...]:
        """Return the destination set of a message: sorted, without repeats and without the source.

        Parameters:
            source: Processor that sends it.
            destinations: Processors, in any order.
        """
        return tuple(sorted(set(destinations) - {source}))

    @property
    def header_flits(self) -> HeaderLengths:
        """Header length in flits of a message to some destinations, of one or of many."""
        return HeaderLengths(self.header)

    def header_value(self, source: int, destinations: Sequence[int]) -> int:
        """Return the header of a message, as an integer; its first flit is the lowest bits.

        Parameters:
            source: Processor that sends it.
            destinations: Processors, as ``destinations_of`` gives them.

        Raises:
            ValueError: As ``routing_key``.
        """
        bits = sum(1 << processor for processor in destinations) if len(destinations) > 1 else 0
        key, between = self.routing_key(source, destinations), len(self.header.fields) - 2
        return self.header.pack((key, *(0,) * between, source), bits)
