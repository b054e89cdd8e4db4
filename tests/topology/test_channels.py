"""Networks by their channels: processors with several channels into their switch."""

import pytest

from topology.common.channels import ChannelNetwork
from topology.common.errors import TopologyError
from topology.common.lanes import LaneNetwork

# One switch; processor 0 (vertex 1) and processor 1 (vertex 2) each send over two channels.
SENDING = [(1, 0, 0, 0), (1, 1, 0, 1), (2, 0, 0, 3), (2, 1, 0, 2)]
RECEIVING = [(0, 0, 1, 0), (0, 1, 2, 0)]
INJECTORS = (2, 3, 4, 5)  # channels are numbered by their sources, the switch first


def test_a_processor_has_one_injection_channel():
    network = ChannelNetwork(1, 1, [(1, 0, 0, 0), (0, 0, 1, 0)])
    assert network.injection_channels_per_processor == 1
    assert network.injection_channels_of(0) == network.injection_channels == (network.injection_channel(0),)
    assert network.injection_processors == (0,)
    assert network.injection_names == ("n0",)
    assert network.channels[network.injection_channel(0)].name == "p0->s0"


def test_several_injection_channels():
    network = ChannelNetwork(1, 2, [*SENDING, *RECEIVING], injection_channels_per_processor=2)
    assert network.processors == (0, 0)
    for processor in range(2):
        channels = network.injection_channels_of(processor)
        assert network.injection_channel(processor) == channels[0]
        names = [network.channels[channel].name for channel in channels]
        assert names == [f"p{processor}_0->s0", f"p{processor}_1->s0"]
    assert [network.channels[channel].sink_port for channel in network.injection_channels_of(1)] == [3, 2]


def test_injectors_are_numbered_by_processor_and_then_by_port():
    network = ChannelNetwork(1, 2, [*SENDING, *RECEIVING], injection_channels_per_processor=2)
    ends = [(network.channels[channel].source, network.channels[channel].source_port) for channel in INJECTORS]
    assert ends == [(1, 0), (1, 1), (2, 0), (2, 1)]
    assert network.injection_channels == INJECTORS
    assert network.injection_processors == (0, 0, 1, 1)
    assert network.injection_names_of(1) == ["n1_c0", "n1_c1"]
    assert network.injection_names == ("n0_c0", "n0_c1", "n1_c0", "n1_c1")
    assert network.delivery_names == ("n0", "n1")


def test_lanes_leave_injection_channels_as_they_are():
    links = ChannelNetwork(1, 2, [*SENDING, *RECEIVING], injection_channels_per_processor=2)
    network = LaneNetwork(links, [1] * len(links.channels))
    assert network.injection_channels_per_processor == 2
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
        ChannelNetwork(switches, 3 - switches, wires, injection_channels_per_processor=channels)
