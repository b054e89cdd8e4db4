"""The shape of a SPAM router."""

from dataclasses import dataclass

from rtl.common.part import MAX_PORT_BITS
from rtl.common.router_parameters import RouterParameters, check_range
from topology.common.channels import MAX_PORTS
from topology.common.flits import HeaderFormat, bits_for

CLASSES = 3
"""Classes of arrival channels, each with a routing table of its own: up, cross, tree."""
CLASS_BITS = bits_for(CLASSES)


@dataclass(frozen=True)
class SpamRouterParameters(RouterParameters):
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
    guarded : bool
        Keep flits that belong to no worm out of the inputs.
    watchdog_flits : int
        Longest worm; longer ones are cut off. 0 for worms of any length; anything else needs ``guarded``.

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
    guarded: bool = False
    watchdog_flits: int = 0

    def __post_init__(self):
        check_range("Number of ports", self.ports, 1, MAX_PORTS)
        check_range("Number of vertices", self.vertices, 1, 1 << self.key_bits)
        self._check_table_fits()
        self.check_common()
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
    def inputs(self) -> int:
        return self.ports

    @property
    def outputs(self) -> int:
        return self.ports

    @property
    def keys(self) -> int:
        return self.vertices

    @property
    def multicast_keys(self) -> range:
        return range(max(0, self.vertices - self.processors))  # switches; the processors come behind them

    @property
    def classes(self) -> int:
        return CLASSES
