"""SPAM: labels and tables, reachability, and the static deadlock check with its cycles."""

import itertools

import networkx as nx
import numpy as np
import pytest

from tests.each import each
from tests.networks import FIGURE_1_PROCESSOR, FIGURE_1_SWITCH, figure_1, random_irregular, ring
from topology.common.deadlock import Dependencies, check_deadlock
from topology.common.errors import TopologyError
from topology.common.graph import Network
from topology.spam.deadlock import spam_dependencies
from topology.spam.graph import CROSS, TREE, UP, SpamLabels
from topology.spam.reachability import unreached_pairs
from topology.spam.routing import SpamRouting


@pytest.fixture
def figure_1_labels() -> SpamLabels:
    return SpamLabels(figure_1(), root=0)


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


@each("seed", range(8))
def test_ancestors_against_brute_force(seed):
    labels = SpamLabels(random_irregular(seed))
    for u, v in itertools.product(range(labels.network.vertices), repeat=2):
        assert labels.ancestor[u, v] == brute_force_descends(labels, u, v, (TREE,))
        assert labels.extended_ancestor[u, v] == brute_force_descends(labels, u, v, (CROSS, TREE))


@each("seed", range(8))
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


@each("seed", range(8))
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


def _routing(network, **options) -> SpamRouting:
    return SpamRouting(SpamLabels(network), 32, **options)


@each("seed", range(20))
def test_all_pairs_are_reached_on_random_networks(seed):
    assert unreached_pairs(_routing(random_irregular(seed))) == []


def test_shortest_paths_that_may_go_up_again_arrive_too():
    assert unreached_pairs(_routing(ring(7), up_after_down=True)) == []


def lose_a_route(routing: SpamRouting) -> None:
    routing.routes[1, routing.network.processor_vertex(4), UP] = 0  # at the paper's switch 2, for its processor 11


def swap_processors(routing: SpamRouting) -> None:
    network = routing.network
    port = network.neighbours[4].index(network.processor_vertex(2))
    routing.routes[4, network.processor_vertex(1), :] = 1 << port


def close_a_circle(routing: SpamRouting) -> None:
    for a, b in ((0, 1), (1, 0)):
        port = routing.network.neighbours[a].index(b)
        routing.routes[a, routing.network.processor_vertex(4), :] = 1 << port


def leave_a_hole(routing: SpamRouting) -> None:
    routing.reach[3, :, 4] = False  # switch 4 has no route to processor 11 any more


def copy_twice(routing: SpamRouting) -> None:
    routing.reach[3, routing.reach[3].any(axis=1), 4] = True


@each(
    "damage, source, destination",
    [(lose_a_route, 0, 4), (swap_processors, 0, 1), (close_a_circle, 0, 4), (leave_a_hole, 0, 4), (copy_twice, 0, 4)],
)
def test_broken_tables_are_found(damage, source, destination):
    routing = _routing(figure_1())
    damage(routing)
    found = unreached_pairs(routing)
    assert (source, destination) in found
    assert {wrong for _, wrong in found} == {destination}


def test_figure_1_is_proved_free():
    verdict = check_deadlock(spam_dependencies(SpamRouting(SpamLabels(figure_1(), root=0), 32)))
    assert verdict.free
    assert verdict.cycle == ()
    assert verdict.splits == 3  # vertices 1, 4 and 6 of the figure


@each("seed", range(6))
def test_random_networks_are_proved_free(seed):
    assert check_deadlock(spam_dependencies(_routing(random_irregular(seed)))).free


def test_non_atomic_enqueue_has_a_cycle_between_branches():
    verdict = check_deadlock(spam_dependencies(SpamRouting(SpamLabels(figure_1(), root=0), 32), atomic=False))
    assert not verdict.free
    assert set(verdict.cycle) == {"s3->s4", "s3->s5"} or {name.split("->")[0] for name in verdict.cycle} == {"s4"}


def test_up_after_down_has_a_cycle_around_the_ring():
    routing = SpamRouting(SpamLabels(ring(6)), 32, up_after_down=True)
    verdict = check_deadlock(spam_dependencies(routing))
    assert not verdict.free
    assert len(verdict.cycle) == 6
    for name, following in zip(verdict.cycle, verdict.cycle[1:] + verdict.cycle[:1], strict=True):
        assert name.split("->")[1] == following.split("->")[0]


def test_every_dependency_is_walked_by_some_header():
    """The table-driven sweep against a header-by-header walk."""
    routing = SpamRouting(SpamLabels(random_irregular(3)), 32)
    network, labels = routing.network, routing.labels
    walked = set()
    for processor in range(len(network.processors)):
        for key in range(network.switches, network.vertices):
            states = [network.injection_channel(processor)]
            for channel in states:
                switch = network.channels[channel].sink
                if not network.is_switch(switch):
                    continue
                mask = int(routing.routes[switch, key, labels.channel_class[channel]])
                assert mask, "a unicast header always has an output"
                for port, outgoing in enumerate(network.output_channel[switch]):
                    if mask >> port & 1:
                        walked.add((channel, outgoing))
                        states.append(outgoing)
    edges = set(spam_dependencies(routing).path.edges)
    assert walked <= edges
    tree = {c.index for c in network.channels if labels.channel_class[c.index] == 2}
    assert all(outgoing in tree for _, outgoing in edges - walked), "multicasts add only tree dependencies"


def test_dead_end_is_reported_by_name():
    network = figure_1()
    verdict = check_deadlock(Dependencies(network, nx.DiGraph(), {}, True, ((0, 6),)))
    assert not verdict.free
    assert "a header for p0 that arrives on s0->s1 has no output" in verdict.reason


def test_crossing_branches_are_not_proved():
    network = figure_1()
    path = nx.DiGraph([(0, 3), (1, 3), (1, 4)])
    path.add_nodes_from(range(len(network.channels)))
    verdict = check_deadlock(Dependencies(network, path, {(0, 1): 0}, True))
    assert not verdict.free
    assert "overlap" in verdict.reason
