"""Switches, processors and virtual channels of a hypercube: node k is switch k with processor k.

Bit d of a node's number is its place in dimension d. Physical port d of a switch is dimension d on both sides: the
channel that leaves node k by it leads to node k ^ 2^d, and arrives there at port d. Behind the dimensions come the
host's ports: one or more injection channels on the input side, so that copies of a broadcast can leave at the same
time (Sec. 2, multiple-port), and one delivery channel on the output side.
"""

from collections.abc import Iterator

from topology.common.channels import Channel, ChannelNetwork
from topology.common.errors import TopologyError
from topology.common.regular import hypercube_positions
from topology.common.virtual_channels import MAX_VC_PORTS, MAX_VCS, VcNetwork

MAX_DIMENSIONS = 16


class HypercubeLinks(ChannelNetwork):
    """The physical network of a hypercube.

    Parameters:
        dimensions: n, 1 to 16: there are 2^n nodes.
        injection_channels_per_processor: Channels from each processor into its switch, 1 to n.

    Members:
        dimensions

    Raises:
        TopologyError: If a parameter is out of range.
    """

    def __init__(self, dimensions: int, injection_channels_per_processor: int = 1):
        _check("dimensions", dimensions, MAX_DIMENSIONS)
        _check("injection channels", injection_channels_per_processor, dimensions)
        self.dimensions = dimensions
        nodes = 1 << dimensions
        super().__init__(
            nodes,
            nodes,
            _wires(dimensions, injection_channels_per_processor),
            positions=hypercube_positions(dimensions),
            injection_channels_per_processor=injection_channels_per_processor,
        )
        self.shape = (2,) * dimensions

    def dimension_of(self, channel: Channel) -> int | None:
        """Return the dimension in which a channel travels; None if it comes from or leads to a processor."""
        between_switches = self.is_switch(channel.source) and self.is_switch(channel.sink)
        return channel.source_port if between_switches else None


class HypercubeNetwork(VcNetwork):
    """A hypercube whose channels between switches have an equal number of virtual channels.

    VC v of dimension d is VC port d V + v on both sides of a switch, and the delivery channel is output n V.

    Parameters:
        dimensions: n, 1 to 16.
        vcs: V, 1 to 8. A switch has at most 61 VC ports on a side, those of its host included.
        injection_channels_per_processor: Channels from each processor into its switch, 1 to n.

    Members:
        dimensions, vcs (int)
        dimension_of (tuple of (int or None)): Dimension in which each VC travels; None for those from and to
            processors.

    Raises:
        TopologyError: If a parameter is out of range, or switches would have too many VC ports.
    """

    def __init__(self, dimensions: int, vcs: int, injection_channels_per_processor: int = 1):
        _check("VCs", vcs, MAX_VCS)
        links = HypercubeLinks(dimensions, injection_channels_per_processor)
        # inputs; there is one delivery channel, so outputs are fewer
        vc_ports = dimensions * vcs + injection_channels_per_processor
        if vc_ports > MAX_VC_PORTS:
            raise TopologyError(
                f"VC ports on a side of a switch are {vc_ports}; at most {MAX_VC_PORTS} are allowed: {dimensions} "
                f"dimensions of {vcs} VCs, and {injection_channels_per_processor} from the host",
                item=str(vcs),
            )
        self.dimensions = dimensions
        self.vcs = vcs
        travels = [links.dimension_of(channel) for channel in links.channels]
        super().__init__(links, [1 if dimension is None else vcs for dimension in travels])
        self.dimension_of = tuple(travels[link] for link in self.link_of)


def _check(name: str, value: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        allowed = "1" if most == 1 else f"1 to {most}"
        raise TopologyError(f"Number of {name} is {value!r}; it must be {allowed}", item=str(value))


def _wires(dimensions: int, injection_channels_per_processor: int) -> Iterator[tuple[int, int, int, int]]:
    nodes = 1 << dimensions
    for node in range(nodes):
        for dimension in range(dimensions):
            yield node, dimension, node ^ 1 << dimension, dimension
        yield node, dimensions, nodes + node, 0
        for port in range(injection_channels_per_processor):
            yield nodes + node, port, node, dimensions + port
