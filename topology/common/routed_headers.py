"""Headers with a routing key that switches look up: what messages carry, the same in all families that have them."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from topology.common.flits import HeaderFormat


class RoutedHeaders(ABC):
    """Headers of a routing key, the sender and, if there are several destinations, a bit for each processor."""

    @property
    @abstractmethod
    def header(self) -> HeaderFormat:
        """Header format of the network: key and sender, and the destination bits."""

    @abstractmethod
    def routing_key(self, source: int, destinations: Sequence[int], /) -> int:
        """What stands in the header's first field."""

    def destinations_of(self, source: int, destinations: Sequence[int]) -> tuple[int, ...]:
        """The destination set of a message: sorted, without repeats and without the source."""
        return tuple(sorted(set(destinations) - {source}))

    def header_flits(self, destinations: Sequence[int]) -> int:
        """Header length in flits of a message to these destinations."""
        return self.header.unicast_flits if len(destinations) == 1 else self.header.multicast_flits

    def header_value(self, source: int, destinations: Sequence[int]) -> int:
        """The header of a message, as an integer."""
        bits = sum(1 << processor for processor in destinations) if len(destinations) > 1 else 0
        return self.header.pack((self.routing_key(source, destinations), source), bits)
