"""Hypercubes: ports and VCs by hand, the routing against its rules, and broadcast trees."""

from itertools import combinations

import numpy as np
import pytest

from tests.each import each
from topology.common.errors import TopologyError
from topology.common.routed_headers import unicast_header
from topology.common.virtual_channels import credit_wires
from topology.hypercube.binomial_tree import TreeEdge, binomial_tree, dimension_order, sends_over
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import ADAPTIVE_ONLY, DUATO, RULES, WRONG_ESCAPE, HypercubeRouting

SIZES = [(1, 1), (1, 3), (2, 1), (2, 2), (3, 2), (4, 3)]


def make(dimensions: int, vcs: int, rule: str = DUATO, injection_channels: int = 1) -> HypercubeRouting:
    return HypercubeRouting(HypercubeNetwork(dimensions, vcs, injection_channels), 32, rule)


def vc(network: HypercubeNetwork, name: str) -> int:
    return next(channel.index for channel in network.channels if channel.name == name)


def names(network: HypercubeNetwork, switch: int, mask: int) -> list[str]:
    """VCs of a mask of VC ports."""
    vcs = network.output_channel[switch]
    assert 0 <= mask < 1 << len(vcs)
    return [network.channels[output].name for port, output in enumerate(vcs) if mask >> port & 1]


def ways(routing: HypercubeRouting, came: str, key: int) -> tuple[list[str], list[str]]:
    """Names of candidates and escapes."""
    network = routing.network
    arrival = vc(network, came)
    switch = network.channels[arrival].sink
    return (
        names(network, switch, routing.candidates(arrival, key)),
        names(network, switch, routing.escapes(arrival, key)),
    )


def test_ports_of_a_cube():
    network = HypercubeNetwork(3, 2)
    for node in range(8):
        assert network.links.successors(node) == [node ^ 1, node ^ 2, node ^ 4, 8 + node]
        for port in range(3):
            channel = network.links.channels[network.links.output_channel[node][port]]
            assert (channel.source_port, channel.sink_port) == (port, port)
        assert network.links.channels[network.links.injection_channel(node)].sink_port == 3
        assert len(network.output_channel[node]) == len(network.input_channel[node]) == 7
    leaving = [network.channels[output].name for output in network.output_channel[5]]
    assert leaving == ["s5->s4.0", "s5->s4.1", "s5->s7.0", "s5->s7.1", "s5->s1.0", "s5->s1.1", "s5->p5"]
    arriving = [network.channels[output].name for output in network.input_channel[5]]
    assert arriving == ["s4->s5.0", "s4->s5.1", "s7->s5.0", "s7->s5.1", "s1->s5.0", "s1->s5.1", "p5->s5"]


def test_several_injection_channels_stand_behind_the_dimensions():
    network = HypercubeNetwork(3, 2, 3)
    arriving = [network.channels[output].name for output in network.input_channel[5]]
    assert arriving[6:] == ["p5_0->s5", "p5_1->s5", "p5_2->s5"]
    assert [network.channels[c].name for c in network.injection_channels_of(5)] == arriving[6:]
    assert len(network.output_channel[5]) == 7  # one delivery channel all the same
    assert network.delivery_names[5] == "n5"
    assert [network.links.channels[c].sink_port for c in network.links.injection_channels_of(5)] == [3, 4, 5]


@each("dimensions, vcs", SIZES)
def test_vcs_and_names(dimensions, vcs):
    for injection_channels in range(1, dimensions + 1):
        network = HypercubeNetwork(dimensions, vcs, injection_channels)
        nodes = 1 << dimensions
        assert (network.switches, network.dimensions, network.vcs) == (nodes, dimensions, vcs)
        assert network.processors == tuple(range(nodes))
        assert network.injection_channels_per_processor == injection_channels
        assert len(network.channels) == nodes * (dimensions * vcs + injection_channels + 1)
        assert len({channel.name for channel in network.channels}) == len(network.channels)
        for channel, dimension in zip(network.channels, network.dimension_of, strict=True):
            between = network.is_switch(channel.source) and network.is_switch(channel.sink)
            assert (dimension is not None) == between
            if dimension is not None:
                assert channel.source ^ channel.sink == 1 << dimension
                port = dimension * vcs + network.vc_of[channel.index]
                assert channel.source_port == channel.sink_port == port
        assert network.edges == tuple(
            (a, b) for a, b in combinations(range(nodes), 2) if (a ^ b).bit_count() == 1
        )  # fmt: skip
        assert len(credit_wires(network)) == nodes * dimensions


@each("dimensions", range(1, 7))
def test_pictures_keep_edges_apart(dimensions):
    """No switch is near an edge that does not lead to it, so no two edges are one line."""
    positions = HypercubeNetwork(dimensions, 1).positions
    assert positions is not None
    assert positions.shape == (1 << dimensions, 2)
    closest = min(np.hypot(*(positions[a] - positions[b])) for a, b in combinations(range(1 << dimensions), 2))
    for a, b in HypercubeNetwork(dimensions, 1).edges:
        along = positions[b] - positions[a]
        share = np.clip((positions - positions[a]) @ along / (along @ along), 0, 1)
        apart = np.linalg.norm(positions - positions[a] - share[:, np.newaxis] * along, axis=1)
        assert np.delete(apart, [a, b]).min(initial=np.inf) > 0.3 * closest


def test_header_by_hand():
    header = unicast_header(5, 5, 8)
    assert header.fields == (("key", 5), ("source", 5))
    assert (header.destinations, header.unicast_flits, header.multicast_flits) == (0, 2, 2)
    routing = make(5, 2)
    assert routing.routing_key(9, [22]) == 22
    assert routing.header_value(9, [22]) == 0b01001_10110
    assert routing.header_flits([22]) == 1


def test_duato_by_hand():
    """From 1 to 6 in a cube: all three dimensions remain, then those that have not been taken."""
    routing = make(3, 3)
    assert ways(routing, "p1->s1", 6) == (
        ["s1->s0.0", "s1->s0.1", "s1->s3.0", "s1->s3.1", "s1->s5.0", "s1->s5.1"],
        ["s1->s0.2"],
    )
    for came in ("s1->s3.0", "s1->s3.1", "s1->s3.2"):
        assert ways(routing, came, 6) == (["s3->s2.0", "s3->s2.1", "s3->s7.0", "s3->s7.1"], ["s3->s2.2"])
    assert ways(routing, "s1->s0.2", 6) == (["s0->s2.0", "s0->s2.1", "s0->s4.0", "s0->s4.1"], ["s0->s2.2"])
    assert ways(routing, "s0->s2.1", 6) == (["s2->s6.0", "s2->s6.1"], ["s2->s6.2"])
    assert ways(routing, "s2->s6.0", 6) == (["s6->p6"], [])


def expected(routing: HypercubeRouting, arrival: int, key: int) -> tuple[set[int], set[int]]:
    """Candidates and escapes by the rules, VC by VC."""
    network = routing.network
    switch, came = network.channels[arrival].sink, network.dimension_of[arrival]
    remaining = [d for d in range(network.dimensions) if (switch ^ key) >> d & 1]
    if came in remaining:
        return set(), set()
    if not remaining:
        return (set() if came is None else {network.delivery_channel(switch)}), set()
    escape = remaining[-1] if routing.rule == WRONG_ESCAPE and f"{switch:b}".count("1") % 2 else remaining[0]
    candidates, escapes = set(), set()
    for output in network.output_channel[switch]:
        last = network.vc_of[output] == network.vcs - 1
        if network.dimension_of[output] in remaining and (not last or routing.rule == ADAPTIVE_ONLY):
            candidates.add(output)
        if network.dimension_of[output] == escape and last and routing.rule != ADAPTIVE_ONLY:
            escapes.add(output)
    return candidates, escapes


@each("rule", RULES)
@each("dimensions, vcs", SIZES)
def test_all_headers_on_all_vcs(dimensions, vcs, rule):
    routing = make(dimensions, vcs, rule, dimensions)
    network = routing.network
    for arrival, channel in enumerate(network.channels):
        if not network.is_switch(channel.sink):
            continue
        outputs = network.output_channel[channel.sink]
        for key in range(network.switches):
            masks = routing.candidates(arrival, key), routing.escapes(arrival, key)
            candidates, escapes = expected(routing, arrival, key)
            assert masks == tuple(
                sum(1 << outputs.index(output) for output in found) for found in (candidates, escapes)
            )
            assert tuple(row[channel.sink ^ key] for row in routing.masks(arrival)) == masks


@each("rule", RULES)
def test_headers_without_a_way(rule):
    routing = make(3, 2, rule, 2)
    assert ways(routing, "p5_0->s5", 5) == ways(routing, "p5_1->s5", 5) == ([], [])  # for the host that it comes from
    assert ways(routing, "s4->s5.0", 4) == ways(routing, "s4->s5.1", 6) == ([], [])  # sent away from its destination
    for key in (-1, 8, 100):
        assert ways(routing, "s4->s5.0", key) == ([], [])


def test_masks_use_all_vc_ports_there_may_be():
    routing = make(10, 6)
    network = routing.network
    arrival = network.injection_channel(0)
    everything = routing.candidates(arrival, 1023) | sum(1 << 6 * dimension + 5 for dimension in range(10))
    assert everything == (1 << 60) - 1
    arrived = network.output_channel[0][0]
    assert routing.candidates(arrived, network.channels[arrived].sink) == 1 << 60


@each(
    "attempt, message",
    [
        (lambda: HypercubeNetwork(0, 1), "Number of dimensions is 0; it must be 1 to 16"),
        (lambda: HypercubeNetwork(17, 1), "Number of dimensions is 17; it must be 1 to 16"),
        (lambda: HypercubeNetwork(True, 1), "Number of dimensions is True; it must be 1 to 16"),
        (lambda: HypercubeNetwork(2.0, 1), "Number of dimensions is 2.0; it must be 1 to 16"),
        (lambda: HypercubeNetwork(3, 0), "Number of VCs is 0; it must be 1 to 8"),
        (lambda: HypercubeNetwork(3, 9), "Number of VCs is 9; it must be 1 to 8"),
        (lambda: HypercubeNetwork(3, 2, 0), "Number of injection channels is 0; it must be 1 to 3"),
        (lambda: HypercubeNetwork(3, 2, 4), "Number of injection channels is 4; it must be 1 to 3"),
        (lambda: HypercubeNetwork(1, 2, 2), "Number of injection channels is 2; it must be 1"),
        (
            lambda: HypercubeNetwork(8, 8),
            "VC ports on a side of a switch are 65; at most 61 are allowed: 8 dimensions of 8 VCs, and 1 from the host",
        ),
        (lambda: HypercubeNetwork(7, 8, 6), "VC ports on a side of a switch are 62; at most 61 are allowed"),
        (lambda: unicast_header(9, 9, 8), "Flit must have room for the routing key's 9 bits, not 8 bits"),
        (lambda: HypercubeRouting(HypercubeNetwork(10, 1), 9), "the routing key's 10 bits, not 9 bits"),
        (lambda: make(2, 2, "odd-even"), "Rule is 'odd-even'; it must be duato, adaptive-only or wrong-escape"),
    ],
)
def test_broken_rules(attempt, message):
    with pytest.raises(TopologyError, match=message):
        attempt()


def test_only_single_destinations_have_a_key():
    with pytest.raises(ValueError, match="A message must have 1 destination, not 2"):
        make(2, 2).routing_key(0, [1, 2])


def test_worked_case():
    """From node 5 with base 1: dimensions 1, 2, 0."""
    assert dimension_order(3, 1) == (1, 2, 0)
    assert binomial_tree(3, 5, 1) == [
        TreeEdge(5, 7, 1, 1),
        TreeEdge(5, 1, 2, 1),
        TreeEdge(5, 4, 0, 1),
        TreeEdge(7, 3, 2, 2),
        TreeEdge(7, 6, 0, 2),
        TreeEdge(1, 0, 0, 2),
        TreeEdge(3, 2, 0, 3),
    ]


@each("dimensions", range(1, 8))
def test_every_node_receives_once(dimensions):
    nodes = 1 << dimensions
    for source in {0, 1, nodes - 1, nodes // 2}:
        for base in range(dimensions):
            edges = binomial_tree(dimensions, source, base)
            assert len(edges) == nodes - 1
            assert sorted(edge.receiver for edge in edges) == [node for node in range(nodes) if node != source]
            level = {source: 0}
            for edge in edges:  # a sender has received before
                assert edge.sender ^ edge.receiver == 1 << edge.dimension
                assert edge.step == level[edge.sender] + 1 <= dimensions
                level[edge.receiver] = edge.step
            assert [edge.step for edge in edges] == sorted(edge.step for edge in edges)
            assert level == {node: (node ^ source).bit_count() for node in range(nodes)}


def test_who_sends_over_what():
    assert sends_over(4, 2, None) == (2, 3, 0, 1)
    assert sends_over(4, 2, 3) == (0, 1)
    assert sends_over(4, 2, 1) == ()
    for base in range(4):
        edges = binomial_tree(4, 6, base)
        arrivals = {6: None, **{edge.receiver: edge.dimension for edge in edges}}
        for node, arrival in arrivals.items():
            sent = tuple(edge.dimension for edge in edges if edge.sender == node)
            assert sent == sends_over(4, base, arrival)


@each(
    "attempt, message",
    [
        (lambda: binomial_tree(3, 0, 3), "Base is 3; it must be 0 to 2"),
        (lambda: dimension_order(3, -1), "Base is -1; it must be 0 to 2"),
        (lambda: dimension_order(3, True), "Base is True; it must be 0 to 2"),
        (lambda: binomial_tree(3, 8, 0), "Source is 8; it must be 0 to 7"),
        (lambda: sends_over(3, 0, 3), "Dimension is 3; it must be 0 to 2"),
    ],
)
def test_broken_rules_trees(attempt, message):
    with pytest.raises(TopologyError, match=message):
        attempt()
