"""Random networks: connected, within their bounds, the same for the same seed."""

import numpy as np
import pytest

from topology.common.errors import TopologyError
from topology.common.lattice import irregular_network, lattice_network


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("switches", [1, 2, 7, 64])
def test_lattice_links_all_adjacent_points_and_no_others(switches, seed):
    network = lattice_network(switches, seed=seed)
    points = network.positions
    assert points is not None
    assert len({tuple(point) for point in points}) == switches
    distance = np.abs(points[:, np.newaxis] - points[np.newaxis]).sum(axis=2)
    adjacent = {(a, b) for a in range(switches) for b in range(a + 1, switches) if distance[a, b] == 1}
    assert set(network.edges) == adjacent
    assert network.processors == tuple(range(switches))


def test_lattice_is_the_same_for_the_same_seed():
    assert lattice_network(40, seed=3).edges == lattice_network(40, seed=3).edges
    assert lattice_network(40, seed=3).edges != lattice_network(40, seed=4).edges


def test_lattice_of_256_switches_is_compact_enough_for_the_paper():
    """A broadcast below 14 us needs at most 55 channels on its longest path; no path is longer than twice the depth."""
    for seed in range(6):
        network = lattice_network(256, seed=seed)
        assert network.distance[: network.switches, : network.switches].max() + 2 <= 55


@pytest.mark.parametrize("most", [2, 3])
def test_lattice_with_fewer_links_is_still_connected(most):
    network = lattice_network(20, seed=1, max_switch_links=most, processors_per_switch=2)
    links = np.bincount(np.array(network.edges).ravel(), minlength=20)
    assert links.max() <= most
    assert len(network.processors) == 40


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"switches": 0}, "A network must have at least 1 switch, not 0"),
        ({"switches": 4, "max_switch_links": 5}, "max_switch_links must be 2 to 4, not 5"),
        ({"switches": 4, "processors_per_switch": 0}, "processors_per_switch must be at least 1, not 0"),
        ({"switches": 9, "ports": 3, "seed": 2}, "a switch of this network may have at most 3"),
    ],
)
def test_lattice_refuses_wrong_parameters(arguments, message):
    with pytest.raises(TopologyError, match=message):
        lattice_network(**arguments)


def test_lattice_that_gets_stuck_says_so():
    with pytest.raises(TopologyError, match=r"The lattice got stuck at \d+ of 300 switches with max_switch_links 2"):
        lattice_network(300, seed=0, max_switch_links=2)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("ports", "extra"), [(3, 0), (4, None), (8, 30)])
def test_irregular_network_keeps_within_its_ports(ports, extra, seed):
    network = irregular_network(24, ports=ports, extra_links=extra, seed=seed)
    assert max(network.degree(switch) for switch in range(24)) <= ports
    assert len(network.edges) >= 23
    if extra == 0:
        assert len(network.edges) == 23


def test_irregular_network_is_the_same_for_the_same_seed():
    assert irregular_network(30, seed=9).edges == irregular_network(30, seed=9).edges


def test_irregular_network_refuses_too_few_ports():
    with pytest.raises(TopologyError, match="ports must be at least 4, not 3"):
        irregular_network(8, ports=3, processors_per_switch=2)
