"""What a family tells the network generator."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rtl.common.part import MAX_PORT_BITS, Part
from topology.common.flits import HeaderFormat
from topology.common.graph import Network


@dataclass(frozen=True)
class RouterUse:
    """The router of one switch.

    Parameters
    ----------
    shape : str
        Key into ``NetworkPlan.shapes``.
    constants : mapping of str to int
        Values of the router's constant input ports.
    """

    shape: str
    constants: Mapping[str, int]


@dataclass(frozen=True)
class NetworkPlan:
    """A network of routers of one family.

    Parameters
    ----------
    family : str
        Name of the family.
    network : Network
    header : HeaderFormat
    shapes : mapping of str to function
        For each router shape a function that makes the router. A router has the members ``inputs`` and ``outputs``,
        one link per port, in the order of the network's port numbers.
    routers : sequence of RouterUse
        One per switch.
    parameters : mapping
        What the manifest says about the family's parameters.
    """

    family: str
    network: Network
    header: HeaderFormat
    shapes: Mapping[str, Callable[[], Part]]
    routers: tuple[RouterUse, ...]
    parameters: Mapping[str, object]

    def __post_init__(self):
        channels = len(self.network.channels)
        if channels > MAX_PORT_BITS:
            raise ValueError(f"A network must have at most {MAX_PORT_BITS} channels to be hardware, not {channels}")
        switches = self.network.switches
        if len(self.routers) != switches:
            raise ValueError(f"A plan must have {switches} routers, one per switch, not {len(self.routers)}")
        for router in self.routers:
            if router.shape not in self.shapes:
                raise ValueError(f"Router shape must be one of {', '.join(self.shapes)}, not {router.shape!r}")

    @property
    def flit_bits(self) -> int:
        """Data bits of a flit."""
        return self.header.flit_bits
