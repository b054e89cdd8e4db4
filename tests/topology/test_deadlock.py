"""The static deadlock check: freedom proved where it holds, the cycle printed where it does not."""

import networkx as nx

from tests.networks import figure_1, random_irregular, ring
from topology.common.deadlock import Dependencies, check_deadlock
from topology.spam.deadlock import spam_dependencies
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting


def test_figure_1_is_proved_free():
    verdict = check_deadlock(spam_dependencies(SpamRouting(SpamLabels(figure_1(), root=0), 32)))
    assert verdict.free
    assert verdict.cycle == ()
    assert verdict.splits == 3  # vertices 1, 4 and 6 of the figure


def test_random_networks_are_proved_free(random_routing):
    assert check_deadlock(spam_dependencies(random_routing)).free


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
