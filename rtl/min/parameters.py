"""The shape of a switch of a multistage network."""

from dataclasses import dataclass

from rtl.generator.router_parameters import RouterParameters, check_range
from topology.common.channels import MAX_PORTS
from topology.common.flits import bits_for

MAX_CLASSES = 2


@dataclass(frozen=True)
class MinRouterParameters(RouterParameters):
    """The shape of a switch.

    Parameters:
        input_ports, output_ports (int): 1 to 32 each.
        routing_keys: Routing keys of the network.
        arrival_classes: Classes of arrival channels: 1, or 2 in bidirectional networks.
        most_release_flits: Largest number that ``release_flits`` can be; 0 for a switch that needs no token, such as
            one without ``multicast``.
        header, buffer_flits, routing_cycles, multicast, guarded, watchdog_flits: See ``RouterParameters``.

    Raises:
        ValueError: If a value is out of range.
    """

    input_ports: int
    output_ports: int
    routing_keys: int
    arrival_classes: int
    most_release_flits: int = 0

    def __post_init__(self):
        check_range("Number of inputs", self.input_ports, 1, MAX_PORTS)
        check_range("Number of outputs", self.output_ports, 1, MAX_PORTS)
        check_range("Number of keys", self.routing_keys, 1, 1 << self.key_bits)
        check_range("Number of classes", self.arrival_classes, 1, MAX_CLASSES)
        check_range("Largest number of flits before a release", self.most_release_flits, 0, 1 << 30)
        self.check_common()

    @property
    def inputs(self) -> int:
        return self.input_ports

    @property
    def outputs(self) -> int:
        return self.output_ports

    @property
    def keys(self) -> int:
        return self.routing_keys

    @property
    def multicast_keys(self) -> range:
        return range(min(self.processors, self.routing_keys), self.routing_keys)

    @property
    def classes(self) -> int:
        return self.arrival_classes

    @property
    def tells_branching(self) -> bool:
        return self.has_token

    @property
    def has_token(self) -> bool:
        """True if the switch is on a token ring."""
        return self.most_release_flits > 0

    @property
    def release_bits(self) -> int:
        """Width of ``release_flits``."""
        return bits_for(self.most_release_flits + 1)
