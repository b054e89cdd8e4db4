"""Networks whose channels have several virtual channels, each with its own buffer at the sink.

A VC is a `Channel` of the network here: its number is its position in ``moved``, in all arrays of the golden model and
in the manifest. A bundle of wires between two switches is a channel of ``links``, the physical network. VCs are
numbered as channels are, by source vertex, then by source port, then by their number in the channel.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate

from topology.common.channels import ChannelNetwork
from topology.common.errors import TopologyError
from topology.common.side_wires import SideWire

MAX_VCS = 8
"""Maximum number of virtual channels of a physical channel."""
MAX_VC_PORTS = 61
"""Maximum number of VC ports on a side of a switch: in the golden model, masks of them are bits of one number."""

NON_ATOMIC, ATOMIC = VC_REALLOCATION = ("tail", "empty")
"""VC reallocation: non-atomic, as soon as the tail before has left, or atomic, when the buffer behind is empty."""

ROOM_FLITS = 3
"""Free places of a delivery buffer when its ready signal drops: as many flits can be on the way to it."""
MIN_ROOM_BUFFER_FLITS = 4
"""Minimum depth of such a buffer in flits, so that its ready signal returns in time for the full rate."""

PRIORITY_EQUAL, PRIORITY_LOW = INJECTION_PRIORITY = ("equal", "low")
"""Priority of flits from processors: in turn with those from channels, or only if none of those requests the output."""


class VcNetwork(ChannelNetwork):
    """A network in which every virtual channel is a channel.

    The ports of a vertex are its VC ports: numbered by physical port, then by VC. A VC has the name of its channel if
    it is the only one, and otherwise that name with its number: ``s3->s5.1``.

    Parameters:
        links: The physical network.
        vcs: VCs of each of its channels, 1 or more; those from and to processors have 1.

    Members:
        links
        link_of (tuple of int): Physical channel of each VC.
        vc_of (tuple of int): Number of each VC in its channel.
        vcs_of (tuple of tuple of int): VCs of each physical channel, ascending.

    Raises:
        TopologyError: If the VCs do not fit the physical network.
    """

    def __init__(self, links: ChannelNetwork, vcs: Sequence[int]):
        _check_vcs(links, vcs)
        self.links = links
        self.link_of = tuple(channel for channel, count in enumerate(vcs) for _ in range(count))
        self.vc_of = tuple(vc for count in vcs for vc in range(count))
        ends = accumulate(vcs)
        self.vcs_of = tuple(tuple(range(end - count, end)) for end, count in zip(ends, vcs, strict=True))
        super().__init__(
            links.switches,
            links.vertices - links.switches,
            self._vc_wires(),
            switch_names=links.switch_names,
            positions=links.positions,
            injection_channels_per_processor=links.injection_channels_per_processor,
        )
        self.shape = links.shape

    def _vc_wires(self) -> Iterator[tuple[int, int, int, int]]:
        outputs = _first_vc_ports(self.links.output_channel, self.vcs_of)
        inputs = _first_vc_ports(self.links.input_channel, self.vcs_of)
        for link, vc in zip(self.link_of, self.vc_of, strict=True):
            channel = self.links.channels[link]
            yield channel.source, outputs[link] + vc, channel.sink, inputs[link] + vc

    def _channel_name(self, index: int, _source: int, _source_port: int, _sink: int) -> str:
        link = self.link_of[index]
        name = self.links.channels[link].name
        return name if len(self.vcs_of[link]) == 1 else f"{name}.{self.vc_of[index]}"


def _check_vcs(links: ChannelNetwork, vcs: Sequence[int]) -> None:
    if len(vcs) != len(links.channels):
        raise TopologyError(f"VCs are given for {len(vcs)} channels; the network has {len(links.channels)}")
    for channel, count in zip(links.channels, vcs, strict=True):
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise TopologyError(f"VCs of {channel.name} is {count!r}; it must be at least 1", item=str(count))
        between_switches = links.is_switch(channel.source) and links.is_switch(channel.sink)
        if count > 1 and not between_switches:
            raise TopologyError(
                f"VCs of {channel.name} is {count!r}; it must be 1, because the channel ends at a processor"
            )


def _first_vc_ports(ports: Sequence[Sequence[int]], vcs_of: Sequence[Sequence[int]]) -> dict[int, int]:
    """Return the VC port of VC 0 of each physical channel, at the end where ``ports`` lists the channels."""
    first = {}
    for channels in ports:
        vc_port = 0
        for channel in channels:
            first[channel] = vc_port
            vc_port += len(vcs_of[channel])
    return first


def credit_wires(network: VcNetwork) -> tuple[SideWire, ...]:
    """Return the credit wires: for each physical channel between switches a bundle back, bit w of which is for VC w.

    The bundles are in the order of the channels; the ports' numbers are those of physical ports.
    """
    links = network.links
    return tuple(
        SideWire(
            channel.sink,
            f"credits_{channel.sink_port}",
            channel.source,
            f"credited_{channel.source_port}",
            len(network.vcs_of[channel.index]),
        )
        for channel in links.channels
        if links.is_switch(channel.source) and links.is_switch(channel.sink)
    )
