"""SPAM labels and tables against the paper's example and against brute force."""

import itertools

import networkx as nx
import numpy as np
import pytest

from tests.networks import FIGURE_1_PROCESSOR, FIGURE_1_SWITCH, figure_1, random_irregular
from topology.common.errors import TopologyError
from topology.common.graph import Network
from topology.spam.graph import CROSS, TREE, UP, SpamLabels
from topology.spam.routing import SpamRouting


def switches_of_figure(*vertices: int) -> set[int]:
    return {FIGURE_1_SWITCH[vertex] for vertex in vertices}


def test_classes_of_figure_1(figure_1_labels):
    network = figure_1_labels.network
    names = {c.name: figure_1_labels.channel_class[c.index] for c in network.channels}
    assert names["p0->s1"] == UP
    assert names["s1->s2"] == names["s2->s3"] == CROSS
    assert names["s2->s1"] == names["s3->s2"] == UP
    assert names["s3->s4"] == names["s3->s5"] == names["s4->p1"] == TREE


def test_lca_and_extended_ancestors_of_figure_1(figure_1_labels):
    processors = [FIGURE_1_PROCESSOR[vertex] for vertex in (8, 9, 10, 11)]
    lca = figure_1_labels.lowest_common_ancestor(processors)
    assert lca == FIGURE_1_SWITCH[4]
    extended = set(np.flatnonzero(figure_1_labels.extended_ancestor[:, lca]))
    assert extended == switches_of_figure(1, 2, 3, 4)


def test_route_of_the_papers_example(figure_1_labels):
    """From vertex 5 both 2-3-4 and 2-1-4 are legal and equally near; then 4 splits to 6 and 7, 6 to 8, 9, 10."""
    routing = SpamRouting(figure_1_labels, 32)
    network, lca = routing.network, FIGURE_1_SWITCH[4]
    start = FIGURE_1_SWITCH[2]
    options = ports_of(routing.routes[start, lca, UP])
    assert {network.neighbours[start][port] for port in options} == switches_of_figure(1, 3)
    assert routing.routes[lca, lca, CROSS] == 0
    split = [network.neighbours[lca][p] for p in range(network.degree(lca)) if routing.reach[lca, p, 1:].any()]
    assert set(split) == switches_of_figure(6, 7)


def ports_of(mask) -> list[int]:
    return [port for port in range(32) if int(mask) >> port & 1]


def brute_force_descends(labels: SpamLabels, start: int, goal: int, kinds: tuple[int, ...]) -> bool:
    """True if goal is reached by channels of kinds[0]*, then kinds[1]*, ... in that order."""
    network = labels.network
    states = {(start, 0)}
    work = list(states)
    for vertex, phase in work:
        if vertex == goal:
            return True
        for port, sink in enumerate(network.neighbours[vertex]):
            kind = labels.channel_class[network.output_channel[vertex][port]]
            for later in range(phase, len(kinds)):
                if kinds[later] == kind and (sink, later) not in states:
                    states.add((sink, later))
                    work.append((sink, later))
    return False


@pytest.mark.parametrize("seed", range(8))
def test_ancestors_against_brute_force(seed):
    labels = SpamLabels(random_irregular(seed))
    for u, v in itertools.product(range(labels.network.vertices), repeat=2):
        assert labels.ancestor[u, v] == brute_force_descends(labels, u, v, (TREE,))
        assert labels.extended_ancestor[u, v] == brute_force_descends(labels, u, v, (CROSS, TREE))


@pytest.mark.parametrize("seed", range(8))
def test_routes_against_the_rules(seed):
    """Every mask against the three rules of the paper, written out per option."""
    labels = SpamLabels(random_irregular(seed))
    routing, network = SpamRouting(labels, 32), labels.network
    lengths = dict(nx.all_pairs_shortest_path_length(whole_graph(network)))
    for switch, key, arrival in itertools.product(range(network.switches), range(network.vertices), (UP, CROSS, TREE)):
        if switch == key or (arrival == TREE and labels.ancestor[key, switch]):
            assert routing.routes[switch, key, arrival] == 0
            continue
        options = {}
        for port, sink in enumerate(network.neighbours[switch]):
            kind = labels.channel_class[network.output_channel[switch][port]]
            legal = (
                (kind == UP and arrival == UP)
                or (kind == CROSS and arrival != TREE and labels.extended_ancestor[sink, key])
                or (kind == TREE and labels.ancestor[sink, key])
            )
            if legal:
                options[port] = lengths[sink][key]
        nearest = {port for port, hops in options.items() if hops == min(options.values())}
        assert set(ports_of(routing.routes[switch, key, arrival])) == nearest


def whole_graph(network: Network) -> nx.Graph:
    return nx.Graph([(c.source, c.sink) for c in network.channels])


@pytest.mark.parametrize("seed", range(8))
def test_reach_sets_split_every_subtree(seed):
    labels = SpamLabels(random_irregular(seed))
    routing, network = SpamRouting(labels, 32), labels.network
    for switch in range(network.switches):
        assert routing.reach[switch].sum(axis=0).max(initial=0) <= 1, "no destination behind two outputs"
        below = labels.ancestor[switch, network.switches :]
        assert (routing.reach[switch].any(axis=0) == below).all()


def test_tree_may_be_given():
    labels = SpamLabels(figure_1(), root=0, parents=[0, 0, 1, 0, 3, 3])
    assert labels.level[2] == 2
    names = {c.name: labels.channel_class[c.index] for c in labels.network.channels}
    assert names["s0->s2"] == CROSS
    assert names["s2->s0"] == UP
    assert names["s1->s2"] == TREE


def test_a_circle_of_parents_is_refused():
    with pytest.raises(TopologyError, match="run in a circle"):
        SpamLabels(Network(4, [(0, 1), (1, 2), (2, 3), (1, 3)], [0]), root=0, parents=[0, 2, 3, 1])


def test_source_leaves_its_own_set(figure_1_labels):
    routing = SpamRouting(figure_1_labels, 32)
    assert routing.destinations_of(2, [4, 2, 1, 4]) == (1, 4)
    assert routing.destinations_of(2, [2]) == ()


def test_header_of_a_unicast_has_no_bit_string(figure_1_labels):
    routing = SpamRouting(figure_1_labels, 8)
    assert routing.header.unicast_flits == 1  # 4 bits of LCA, 3 of source
    assert routing.header.multicast_flits == 2
    assert routing.header.unpack(routing.header_value(0, (3,))) == ((6 + 3, 0), 0)
    assert routing.header.unpack(routing.header_value(0, (1, 4))) == ((3, 0), 0b10010)
