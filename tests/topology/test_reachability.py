"""The reachability proof: it holds for right tables, and each kind of broken table fails it."""

import pytest

from tests.networks import figure_1, random_irregular, ring
from topology.spam.graph import UP, SpamLabels
from topology.spam.reachability import unreached_pairs
from topology.spam.routing import SpamRouting


def _routing(network, **options) -> SpamRouting:
    return SpamRouting(SpamLabels(network), 32, **options)


@pytest.mark.parametrize("seed", range(20))
def test_all_pairs_are_reached_on_random_networks(seed):
    assert unreached_pairs(_routing(random_irregular(seed))) == []


def test_shortest_paths_that_may_go_up_again_arrive_too():
    assert unreached_pairs(_routing(ring(7), up_after_down=True)) == []


def test_a_missing_route_is_found():
    network = figure_1()
    routing = _routing(network)
    routing.routes[1, network.processor_vertex(4), UP] = 0  # at the paper's switch 2, for its processor 11
    assert unreached_pairs(routing) == [(0, 4)]


def test_a_route_to_the_wrong_processor_is_found():
    network = figure_1()
    routing = _routing(network)
    ports = {vertex: port for port, vertex in enumerate(network.neighbours[4])}
    wrong = 1 << ports[network.processor_vertex(2)]
    routing.routes[4, network.processor_vertex(1), :] = wrong
    assert {destination for _, destination in unreached_pairs(routing)} == {1}


def test_a_route_in_circles_is_found():
    network = ring(4)
    routing = _routing(network)
    target = network.processor_vertex(2)
    for a, b in ((0, 1), (1, 0)):
        routing.routes[a, target, :] = 1 << network.neighbours[a].index(b)
    assert {(0, 2), (1, 2)} <= set(unreached_pairs(routing))


def test_a_hole_in_a_reach_set_is_found():
    network = figure_1()
    routing = _routing(network)
    routing.reach[3, :, 4] = False  # switch 4 has no route to processor 11 any more
    assert {destination for _, destination in unreached_pairs(routing)} == {4}


def test_two_copies_are_found():
    network = figure_1()
    routing = _routing(network)
    branches = routing.reach[3].any(axis=1)
    routing.reach[3, branches, 4] = True
    assert {destination for _, destination in unreached_pairs(routing)} == {4}
