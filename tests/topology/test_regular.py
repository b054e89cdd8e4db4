"""Regular networks against their textbook properties and networkx."""

import networkx as nx
import numpy as np
import pytest

from topology.common.errors import TopologyError
from topology.common.regular import hypercube_network, mesh_network, ring_network, torus_network, tree_network


@pytest.mark.parametrize("shape", [[1], [5], [4, 3], [2, 3, 4], [2, 2, 2, 2]])
def test_mesh_is_the_grid_graph(shape):
    network = mesh_network(shape)
    assert nx.is_isomorphic(network.switch_graph, nx.grid_graph(shape))


@pytest.mark.parametrize("shape", [[5], [4, 3], [2, 3], [3, 3, 3]])
def test_torus_is_the_periodic_grid_graph(shape):
    network = torus_network(shape)
    assert nx.is_isomorphic(network.switch_graph, nx.grid_graph(shape, periodic=True))


def test_mesh_numbers_run_along_the_first_dimension():
    network = mesh_network([4, 3])
    assert network.edges[:3] == ((0, 1), (0, 4), (1, 2))
    assert network.positions is not None
    assert network.positions[6].tolist() == [2.0, 1.0]


@pytest.mark.parametrize("dimensions", [0, 1, 3, 5])
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: mesh_network([]), "shape must be sizes of at least 1, not "),
        (lambda: torus_network([4, 0]), "shape must be sizes of at least 1, not "),
        (lambda: hypercube_network(11), "dimensions must be 0 to 10, not 11"),
        (lambda: ring_network(2), "A ring must have at least 3 switches, not 2"),
        (lambda: tree_network(0, 3), "arity must be at least 1, not 0"),
        (lambda: tree_network(2, 0), "levels must be at least 1, not 0"),
        (lambda: ring_network(4, processors_per_switch=0), "processors_per_switch must be at least 1, not 0"),
        (lambda: mesh_network([3, 3], ports=4), "a switch of this network may have at most 4"),
    ],
)
def test_wrong_parameters_are_refused(build, message):
    with pytest.raises(TopologyError, match=message):
        build()
