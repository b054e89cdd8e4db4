"""The shape of a SPAM router."""

from dataclasses import dataclass

from rtl.common.part import MAX_PORT_BITS
from topology.common.flits import HeaderFormat
from topology.spam.routing import MAX_PORTS, MAX_PROCESSORS

CLASSES = 3
"""Classes of arrival channels, each with a routing table of its own: up, cross, tree."""
MAX_BUFFER_FLITS = 1024
MAX_ROUTING_CYCLES = 1024


def _check_range(name: str, value: int, lowest: int, highest: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not lowest <= value <= highest:
        raise ValueError(f"{name} must be an integer from {lowest} to {highest}, not {value!r}")


@dataclass(frozen=True)
class SpamRouterParameters:
    """Everything that decides about the logic of a SPAM router; what differs between nodes arrives on ports.

    Parameters
    ----------
    ports : int
        Links of the switch, 1 to 32.
    vertices : int
        Switches and processors of the network: rows of the routing table.
    header : HeaderFormat
        Header format of the network; its first field is the routing key, the number of the lowest common ancestor.
    buffer_flits : int
        Flits of an input buffer beyond the longest header less one, at least 1; with 1 and a header of
        one flit the rate halves.
    routing_cycles : int
        Cycles from input buffer to output register for a head that meets no contention, at least 1.
    atomic_enqueue : bool
        False builds the negative control that deadlocks.
    multicast : bool
        False leaves out everything that only multicasts need, to tell what they cost.

    Raises
    ------
    ValueError
        If a value is out of range.
    """

    ports: int
    vertices: int
    header: HeaderFormat
    buffer_flits: int = 2
    routing_cycles: int = 1
    atomic_enqueue: bool = True
    multicast: bool = True

    def __post_init__(self):
        _check_range("Number of ports", self.ports, 1, MAX_PORTS)
        _check_range("Number of processors", self.header.destinations, 1, MAX_PROCESSORS)
        _check_range("Number of vertices", self.vertices, 1, 1 << self.key_bits)
        self._check_table_fits()
        _check_range("Buffer size in flits", self.buffer_flits, 1, MAX_BUFFER_FLITS)
        _check_range("Routing delay in cycles", self.routing_cycles, 1, MAX_ROUTING_CYCLES)
        for name, value in (("Atomic enqueue", self.atomic_enqueue), ("Multicast", self.multicast)):
            if not isinstance(value, bool):
                raise ValueError(f"{name} must be True or False, not {value!r}")

    def _check_table_fits(self) -> None:
        """The routing table comes in through one port."""
        most_vertices = MAX_PORT_BITS // (CLASSES * self.ports)
        if self.vertices > most_vertices:
            raise ValueError(
                f"Routing table of a switch with {self.ports} ports must have at most {MAX_PORT_BITS} bits, "
                f"{CLASSES} per port and vertex: at most {most_vertices} vertices (switches and processors), "
                f"not {self.vertices}"
            )

    @property
    def route_bits(self) -> int:
        """Size of the routing table of one switch."""
        return CLASSES * self.vertices * self.ports

    @property
    def flit_bits(self) -> int:
        """Data bits of a flit."""
        return self.header.flit_bits

    @property
    def processors(self) -> int:
        """Processors of the network."""
        return self.header.destinations

    @property
    def key_bits(self) -> int:
        """Width of the routing key."""
        return self.header.fields[0][1]

    @property
    def depth(self) -> int:
        """Flits that an input buffer holds."""
        return self.header_flits - 1 + self.buffer_flits

    @property
    def header_flits(self) -> int:
        """Flits of a header that the router looks at, at most."""
        return self.header.multicast_flits if self.multicast else self.header.key_flits

    @property
    def scan_bits(self) -> int:
        """Low bits of a flit that can hold a part of the header that the router looks at."""
        looked_at = self.header.fixed_bits + self.header.destinations if self.multicast else self.key_bits
        return min(self.flit_bits, looked_at)

    @property
    def reach_bits(self) -> int:
        """Size of the reach sets of one switch, cut up like a header."""
        return self.header_flits * self.ports * self.scan_bits

    @property
    def looks_ahead(self) -> bool:
        """Whether a header flit is looked at while it moves in on the link."""
        return self.routing_cycles == 1

    @property
    def watches_links(self) -> bool:
        """Whether the route unit has to know when a flit moves in."""
        return self.looks_ahead or self.header_flits > 1
