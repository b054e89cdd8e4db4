"""Networks by their channels: numbers, VCs, distances, connected parts, reachability."""

from itertools import chain

import networkx as nx
import numpy as np
import pytest

from tests.each import each
from tests.networks import figure_1, random_irregular, ring
from topology.common.channels import ChannelNetwork
from topology.common.errors import TopologyError
from topology.common.graph import Network, connected_parts
from topology.common.hops import hop_bits, unpacked
from topology.common.lattice import irregular_network, lattice_network
from topology.common.link_stages import LinkStages
from topology.common.observed import UNSIGNED, ObservedLayout
from topology.common.side_wires import SideWire
from topology.common.virtual_channels import VcNetwork, credit_wires
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid

# One switch; processor 0 (vertex 1) and processor 1 (vertex 2) each send over two channels.
SENDING = [(1, 0, 0, 0), (1, 1, 0, 1), (2, 0, 0, 3), (2, 1, 0, 2)]
RECEIVING = [(0, 0, 1, 0), (0, 1, 2, 0)]
INJECTORS = (2, 3, 4, 5)  # channels are numbered by their sources, the switch first


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


@each(
    "switches, wires, channels, message",
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


def test_parallel_channels_are_numbered():
    """Of any network: the constructor needs no names of switches."""
    wires = [(0, 0, 1, 0), (0, 1, 1, 1), (1, 0, 0, 0), (1, 1, 2, 0), (1, 2, 2, 1), (2, 0, 0, 1)]
    names = [channel.name for channel in ChannelNetwork(2, 1, wires).channels]
    assert names == ["s0->s1", "s0->s1#2", "s1->s0", "s1->p0", "s1->p0#2", "p0->s0"]


@each(
    "names, processors, name, ends",
    [
        (["a", "b", "b#2"], [0, 1, 2], "a->b#2", "switch a to switch b, and switch a to switch b#2"),
        (["p0", "p1", "x"], [1, 0, 2], "p0->p1", "switch p0 to switch p1, and switch p0 to processor 1"),
        (["a", "b", "p2"], [0, 1, 2], "p2->p2", "switch p2 to processor 2, and processor 2 to switch p2"),
        (["b", "a->b", "b->b"], [0, 2], "b->b->b", "switch b to switch b->b, and switch b->b to switch b"),
    ],
)
def test_one_name_of_two_channels_is_refused(names, processors, name, ends):
    with pytest.raises(TopologyError) as found:
        Network(3, [(0, 1), (0, 1), (0, 2), (1, 2)], processors, switch_names=names, parallel_links=True)
    assert f"Channels have the name {name!r} twice: {ends}; " in str(found.value)
    assert found.value.item in names


def test_distance_and_centre():
    network = Network(5, [(0, 1), (1, 2), (2, 3), (3, 4)], [0, 4])
    assert network.centre() == 2
    assert network.distance[5, 6] == 6
    assert (network.distance == network.distance.T).all()
    assert (np.diag(network.distance) == 0).all()


# Two switches with a processor each. Switch 0 has its link at port 0, switch 1 has it at port 1.
PAIR = ChannelNetwork(2, 2, [(0, 0, 1, 1), (0, 1, 2, 0), (1, 0, 3, 0), (1, 1, 0, 0), (2, 0, 0, 1), (3, 0, 1, 0)])


def test_worked_case():
    network = VcNetwork(PAIR, [3, 1, 1, 2, 1, 1])
    assert [channel.name for channel in network.channels] == [
        *("s0->s1.0", "s0->s1.1", "s0->s1.2", "s0->p0"),
        *("s1->p1", "s1->s0.0", "s1->s0.1"),
        *("p0->s0", "p1->s1"),
    ]
    assert network.link_of == (0, 0, 0, 1, 2, 3, 3, 4, 5)
    assert network.vc_of == (0, 1, 2, 0, 0, 0, 1, 0, 0)
    assert network.vcs_of == ((0, 1, 2), (3,), (4,), (5, 6), (7,), (8,))
    ends = [(c.source, c.source_port, c.sink, c.sink_port) for c in network.channels]
    assert ends == [
        *((0, 0, 1, 1), (0, 1, 1, 2), (0, 2, 1, 3), (0, 3, 2, 0)),
        *((1, 0, 3, 0), (1, 1, 0, 0), (1, 2, 0, 1)),
        *((2, 0, 0, 2), (3, 0, 1, 0)),
    ]
    assert network.processors == (0, 1)
    assert network.delivery_channels == (3, 4)


def test_credits_go_back_at_physical_ports():
    network = VcNetwork(PAIR, [3, 1, 1, 2, 1, 1])
    assert credit_wires(network) == (
        SideWire(1, "credits_1", 0, "credited_0", 3),
        SideWire(0, "credits_0", 1, "credited_1", 2),
    )


def test_one_vc_is_the_physical_network():
    links = figure_1()
    network = VcNetwork(links, [1] * len(links.channels))
    assert network.links is links
    assert network.channels == links.channels
    assert network.output_channel == links.output_channel
    assert network.input_channel == links.input_channel
    assert network.processors == links.processors
    assert network.switch_names == links.switch_names
    assert network.edges == links.edges
    assert network.delivery_names == links.delivery_names


@each(
    "vcs, message",
    [
        ([1, 1, 1], "VCs are given for 3 channels; the network has 6"),
        ([0, 1, 1, 1, 1, 1], "VCs of s0->s1 is 0; it must be at least 1"),
        ([True, 1, 1, 1, 1, 1], "VCs of s0->s1 is True; it must be at least 1"),
        ([1, 2, 1, 1, 1, 1], "VCs of s0->p0 is 2; it must be 1, because the channel ends at a processor"),
        ([1, 1, 1, 1, 1, 2], "VCs of p1->s1 is 2; it must be 1, because the channel ends at a processor"),
    ],
)
def test_broken_rules_vcs(vcs, message):
    with pytest.raises(TopologyError, match=message):
        VcNetwork(PAIR, vcs)


NETWORKS = {
    "one switch": lambda: lattice_network(1),
    "ring": lambda: ring(9),
    "lattice": lambda: lattice_network(300, seed=3),
    "irregular": lambda: irregular_network(77, seed=2),
    **{f"small {seed}": lambda seed=seed: random_irregular(seed) for seed in range(5)},
}


@each("name", NETWORKS)
def test_hops_are_distances_modulo_3(name):
    network = NETWORKS[name]()
    switches, found = network.switches, network.hops
    distance = network.distance[:switches, :switches]
    np.testing.assert_array_equal(unpacked(found.low, switches), distance % 3 == 1)
    np.testing.assert_array_equal(unpacked(found.high, switches), distance % 3 == 2)
    np.testing.assert_array_equal(found.eccentricity, distance.max(axis=1))
    assert (found.reached == switches).all()
    assert network.centre() == np.argmin(distance.max(axis=1))


def test_what_cannot_be_reached_is_told():
    assert hop_bits([[1], [0], []]).reached.tolist() == [2, 2, 1]


@each("seed", range(20))
def test_parts_are_those_of_networkx(seed):
    random = np.random.default_rng(seed)
    vertices = int(random.integers(1, 40))
    edges = random.integers(0, vertices, (int(random.integers(0, vertices + 1)), 2)).tolist()
    graph = nx.Graph()
    graph.add_nodes_from(range(vertices))
    graph.add_edges_from(edges)
    parts = connected_parts(range(vertices), edges)
    assert list(map(set, parts)) == list(nx.connected_components(graph))
    assert all(len(part) == len(set(part)) for part in parts)


def test_names_are_vertices_too():
    assert connected_parts(["a", "b", "c"], [("c", "a")]) == [["a", "c"], ["b"]]
    assert connected_parts([], []) == []


@each("vcs", [1, 2, 3])
def test_vcs_of_a_link_share_a_signature(vcs):
    network = TorusNetwork(Grid(3, 4, True), vcs)
    layout = ObservedLayout.of(LinkStages(network), flit_bits=16)
    assert layout.hops == len(network.channels)
    delivered = set(network.delivery_channels)
    shared = [hops for hops in network.vcs_of if not delivered & set(hops)]
    assert sorted(layout.hops_of_signature) == sorted(shared)
    assert {hop for hop, number in enumerate(layout.signature_of) if number == UNSIGNED} == delivered
    assert layout.parts["signatures"].bits == 8 * (12 * 4 + 12)  # links of nodes, then those from processors


@pytest.mark.parametrize("link_cycles", [1, 3])
def test_without_vcs_every_channel_and_stage_has_its_own(link_cycles):
    network = figure_1()
    links = LinkStages(network, link_cycles)
    layout = ObservedLayout.of(links, flit_bits=16)
    assert layout.hops == links.moved_bits
    assert all(len(hops) == 1 for hops in layout.hops_of_signature)
    signed = sorted(chain(*layout.hops_of_signature))
    assert signed == sorted(set(range(links.moved_bits)) - set(network.delivery_channels))
