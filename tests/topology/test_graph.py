"""Networks: ports, channels, and one clear error per broken rule."""

import numpy as np
import pytest

from tests.networks import figure_1
from topology.common.errors import TopologyError
from topology.common.graph import Network


def test_ports_are_neighbours_in_ascending_order():
    network = figure_1()
    assert network.neighbours[3] == (0, 2, 4, 5)
    assert network.neighbours[4] == (3, 7, 8, 9)


def test_channels_pair_up_and_are_named():
    network = figure_1()
    assert [channel.index for channel in network.channels] == list(range(len(network.channels)))
    for channel in network.channels:
        assert network.output_channel[channel.source][channel.source_port] == channel.index
        assert network.input_channel[channel.sink][channel.sink_port] == channel.index
        assert network.neighbours[channel.source][channel.source_port] == channel.sink
    assert network.channels[network.injection_channel(0)].name == "p0->s1"
    assert network.channels[network.delivery_channel(4)].name == "s5->p4"


def test_distance_and_centre():
    network = Network(5, [(0, 1), (1, 2), (2, 3), (3, 4)], [0, 4])
    assert network.centre() == 2
    assert network.distance[5, 6] == 6
    assert (network.distance == network.distance.T).all()
    assert (np.diag(network.distance) == 0).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, [], [0]), "at least 1 switch, not 0"),
        ((2, [(0, 2)], [0]), r"Edge \[0, 2\] names unknown switch 2; switches are 0 to 1"),
        ((2, [(1, 1)], [0]), r"Edge \[1, 1\] is a loop"),
        ((2, [(0, 1), (1, 0)], [0]), r"Edge \[1, 0\] is a duplicate"),
        ((2, [(0, 1)], [2]), "Processor 0 hangs on unknown switch 2"),
        ((2, [(0, 1)], []), "at least 1 processor, not 0"),
        ((4, [(0, 1), (2, 3)], [0]), "disconnected: it falls into 2 parts"),
    ],
)
def test_broken_rules(arguments, message):
    with pytest.raises(TopologyError, match=message):
        Network(*arguments)


def test_too_many_ports():
    with pytest.raises(TopologyError, match="Switch s0 needs 4 ports; a switch of this network may have at most 3"):
        Network(3, [(0, 1), (0, 2)], [0, 0], ports=3)
