"""Generated networks: lattices, irregular ones, and the regular kinds."""

import networkx as nx
import numpy as np
import pytest

from tests.each import each
from topology.common.errors import TopologyError
from topology.common.lattice import irregular_network, lattice_network
from topology.common.regular import hypercube_network, mesh_network, ring_network, torus_network, tree_network


@each("seed", range(5))
@each("switches", [1, 2, 7, 64])
def test_lattice_links_all_adjacent_points_and_no_others(switches, seed):
    network = lattice_network(switches, seed=seed)
    points = network.positions
    assert points is not None
    assert len({tuple(point) for point in points}) == switches
    distance = np.abs(points[:, np.newaxis] - points[np.newaxis]).sum(axis=2)
    adjacent = {(a, b) for a in range(switches) for b in range(a + 1, switches) if distance[a, b] == 1}
    assert set(network.edges) == adjacent
    assert network.processors == tuple(range(switches))


@pytest.mark.parametrize("most", [2, 3])
def test_lattice_with_fewer_links_is_still_connected(most):
    network = lattice_network(20, seed=1, max_switch_links=most, processors_per_switch=2)
    links = np.bincount(np.array(network.edges).ravel(), minlength=20)
    assert links.max() <= most
    assert len(network.processors) == 40


@each(
    "arguments, message",
    [
        ({"switches": 0}, "A network must have at least 1 switch, not 0"),
        ({"switches": 4, "max_switch_links": 5}, "max_switch_links is 5; it must be 2 to 4"),
        ({"switches": 4, "processors_per_switch": 0}, "processors_per_switch is 0; it must be at least 1"),
        ({"switches": 9, "ports": 3, "seed": 2}, "a switch of this network may have at most 3"),
    ],
)
def test_lattice_refuses_wrong_parameters(arguments, message):
    with pytest.raises(TopologyError, match=message):
        lattice_network(**arguments)


def test_lattice_that_gets_stuck_says_so():
    with pytest.raises(TopologyError, match=r"The lattice got stuck at \d+ of 300 switches with max_switch_links 2"):
        lattice_network(300, seed=0, max_switch_links=2)


@each("seed", range(5))
@each("ports, extra", [(3, 0), (4, None), (8, 30)])
def test_irregular_network_keeps_within_its_ports(ports, extra, seed):
    network = irregular_network(24, ports=ports, extra_links=extra, seed=seed)
    assert max(network.degree(switch) for switch in range(24)) <= ports
    assert len(network.edges) >= 23
    if extra == 0:
        assert len(network.edges) == 23


def test_irregular_network_refuses_too_few_ports():
    with pytest.raises(TopologyError, match="ports is 3; it must be at least 4"):
        irregular_network(8, ports=3, processors_per_switch=2)


@each("shape", [[1], [5], [4, 3], [2, 3, 4], [2, 2, 2, 2]])
def test_mesh_is_the_grid_graph(shape):
    network = mesh_network(shape)
    assert nx.is_isomorphic(network.switch_graph, nx.grid_graph(shape))


@each("shape", [[5], [4, 3], [2, 3], [3, 3, 3]])
def test_torus_is_the_periodic_grid_graph(shape):
    network = torus_network(shape)
    assert nx.is_isomorphic(network.switch_graph, nx.grid_graph(shape, periodic=True))


def test_mesh_numbers_run_along_the_first_dimension():
    network = mesh_network([4, 3])
    assert network.edges[:3] == ((0, 1), (0, 4), (1, 2))
    assert network.positions is not None
    assert network.positions[6].tolist() == [2.0, 1.0]


@each("dimensions", [0, 1, 3, 5])
def test_hypercube_links_numbers_that_differ_in_one_bit(dimensions):
    network = hypercube_network(dimensions)
    assert network.switches == 1 << dimensions
    assert len(network.edges) == dimensions << dimensions >> 1
    assert all((a ^ b).bit_count() == 1 for a, b in network.edges)


def test_ring_is_a_cycle():
    assert nx.is_isomorphic(ring_network(7).switch_graph, nx.cycle_graph(7))


def test_tree_hangs_processors_on_its_leaves_or_everywhere():
    network = tree_network(3, 3, processors_per_switch=2)
    assert nx.is_isomorphic(network.switch_graph, nx.balanced_tree(3, 2))
    assert network.processors == tuple(switch for switch in range(4, 13) for _ in range(2))
    assert tree_network(2, 3, leaves_only=False).processors == tuple(range(7))


@each(
    "network",
    [
        mesh_network([8, 8]),
        mesh_network([4, 4, 4]),
        mesh_network([3, 3, 3, 3, 2]),
        torus_network([5, 4]),
        hypercube_network(7),
        ring_network(9),
        tree_network(3, 4),
    ],
)
def test_positions_are_all_different(network):
    apart = np.linalg.norm(network.positions[:, np.newaxis] - network.positions[np.newaxis], axis=2)
    np.fill_diagonal(apart, np.inf)
    assert apart.min() > 0.1


@each(
    "build, message",
    [
        (lambda: mesh_network([]), r"shape is \[\]; it must be sizes of at least 1"),
        (lambda: torus_network([4, 0]), r"shape is \[4, 0\]; it must be sizes of at least 1"),
        (lambda: hypercube_network(11), "dimensions is 11; it must be 0 to 10"),
        (lambda: ring_network(2), "A ring must have at least 3 switches, not 2"),
        (lambda: tree_network(0, 3), "arity is 0; it must be at least 1"),
        (lambda: tree_network(2, 0), "levels is 0; it must be at least 1"),
        (lambda: ring_network(4, processors_per_switch=0), "processors_per_switch is 0; it must be at least 1"),
        (lambda: mesh_network([3, 3], ports=4), "a switch of this network may have at most 4"),
    ],
)
def test_wrong_parameters_are_refused(build, message):
    with pytest.raises(TopologyError, match=message):
        build()
