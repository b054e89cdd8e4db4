"""Networks with lanes: every lane is a channel, numbered and named after its physical channel."""

import pytest

from tests.networks import figure_1
from topology.common.channels import ChannelNetwork
from topology.common.errors import TopologyError
from topology.common.lanes import LaneNetwork, credit_wires
from topology.common.side_wires import SideWire

# Two switches with a processor each. Switch 0 has its link at port 0, switch 1 has it at port 1.
PAIR = ChannelNetwork(2, 2, [(0, 0, 1, 1), (0, 1, 2, 0), (1, 0, 3, 0), (1, 1, 0, 0), (2, 0, 0, 1), (3, 0, 1, 0)])


def test_worked_case():
    network = LaneNetwork(PAIR, [3, 1, 1, 2, 1, 1])
    assert [channel.name for channel in network.channels] == [
        *("s0->s1.0", "s0->s1.1", "s0->s1.2", "s0->p0"),
        *("s1->p1", "s1->s0.0", "s1->s0.1"),
        *("p0->s0", "p1->s1"),
    ]
    assert network.link_of == (0, 0, 0, 1, 2, 3, 3, 4, 5)
    assert network.lane_of == (0, 1, 2, 0, 0, 0, 1, 0, 0)
    assert network.lanes_of == ((0, 1, 2), (3,), (4,), (5, 6), (7,), (8,))
    ends = [(c.source, c.source_port, c.sink, c.sink_port) for c in network.channels]
    assert ends == [
        *((0, 0, 1, 1), (0, 1, 1, 2), (0, 2, 1, 3), (0, 3, 2, 0)),
        *((1, 0, 3, 0), (1, 1, 0, 0), (1, 2, 0, 1)),
        *((2, 0, 0, 2), (3, 0, 1, 0)),
    ]
    assert network.processors == (0, 1)
    assert network.delivery_channels == (3, 4)


def test_credits_go_back_at_physical_ports():
    network = LaneNetwork(PAIR, [3, 1, 1, 2, 1, 1])
    assert credit_wires(network) == (
        SideWire(1, "credits_1", 0, "credited_0", 3),
        SideWire(0, "credits_0", 1, "credited_1", 2),
    )


def test_one_lane_is_the_physical_network():
    links = figure_1()
    network = LaneNetwork(links, [1] * len(links.channels))
    assert network.links is links
    assert network.channels == links.channels
    assert network.output_channel == links.output_channel
    assert network.input_channel == links.input_channel
    assert network.processors == links.processors
    assert network.switch_names == links.switch_names
    assert network.edges == links.edges
    assert network.delivery_names == links.delivery_names


@pytest.mark.parametrize(
    ("lanes", "message"),
    [
        ([1, 1, 1], "Lanes must be given for 6 channels, not for 3"),
        ([0, 1, 1, 1, 1, 1], "Lanes of s0->s1 must be 1 or more, not 0"),
        ([True, 1, 1, 1, 1, 1], "Lanes of s0->s1 must be 1 or more, not True"),
        ([1, 2, 1, 1, 1, 1], "Lanes of s0->p0 must be 1, not 2: it ends at a processor"),
        ([1, 1, 1, 1, 1, 2], "Lanes of p1->s1 must be 1, not 2: it ends at a processor"),
    ],
)
def test_broken_rules(lanes, message):
    with pytest.raises(TopologyError, match=message):
        LaneNetwork(PAIR, lanes)
