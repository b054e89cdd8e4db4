"""Networks by their channels: processors with several channels into their switch."""

import pytest

from topology.common.channels import ChannelNetwork
from topology.common.errors import TopologyError
from topology.common.lanes import LaneNetwork

# One switch; processor 0 (vertex 1) and processor 1 (vertex 2) each send over two channels.
SENDING = [(1, 0, 0, 0), (1, 1, 0, 1), (2, 0, 0, 3), (2, 1, 0, 2)]
RECEIVING = [(0, 0, 1, 0), (0, 1, 2, 0)]


class Named(ChannelNetwork):
    """With names that say the port."""

    def _channel_name(self, _index, source, source_port, sink):
        return f"{self.vertex_name(source)}.{source_port}->{self.vertex_name(sink)}"


def test_a_processor_has_one_injection_channel():
    network = ChannelNetwork(1, 1, [(1, 0, 0, 0), (0, 0, 1, 0)])
    assert network.injection_channels == 1
    assert network.injection_channels_of(0) == (network.injection_channel(0),)


def test_several_injection_channels():
    network = Named(1, 2, [*SENDING, *RECEIVING], injection_channels=2)
    assert network.processors == (0, 0)
    for processor in range(2):
        channels = network.injection_channels_of(processor)
        assert network.injection_channel(processor) == channels[0]
        names = [network.channels[channel].name for channel in channels]
        assert names == [f"p{processor}.0->s0", f"p{processor}.1->s0"]
    assert [network.channels[channel].sink_port for channel in network.injection_channels_of(1)] == [3, 2]


def test_lanes_leave_injection_channels_as_they_are():
    links = Named(1, 2, [*SENDING, *RECEIVING], injection_channels=2)
    network = LaneNetwork(links, [1] * len(links.channels))
    assert network.injection_channels == 2
    assert [network.injection_channels_of(p) for p in range(2)] == [links.injection_channels_of(p) for p in range(2)]


@pytest.mark.parametrize(
    ("switches", "wires", "channels", "message"),
    [
        (1, [*SENDING, *RECEIVING], 1, "Processor 0 must send into one channel, not 2"),
        (1, [*SENDING, *RECEIVING], 3, "Processor 0 must send into 3 channels, not 2"),
        (1, RECEIVING, 1, "Processor 0 must send into one channel, not 0"),
        (2, [(2, 0, 0, 0), (2, 1, 1, 0), (0, 0, 2, 0), (1, 0, 2, 1)], 2, "Processor 0 must send to one switch, not 2"),
    ],
)
def test_broken_rules(switches, wires, channels, message):
    with pytest.raises(TopologyError, match=message):
        ChannelNetwork(switches, 3 - switches, wires, injection_channels=channels)
