"""Distances modulo 3 and the farthest switches, against whole distances."""

import numpy as np
import pytest

from tests.networks import random_irregular, ring
from topology.common import hops
from topology.common.hops import hop_bits, unpacked
from topology.common.lattice import irregular_network, lattice_network

NETWORKS = {
    "one switch": lambda: lattice_network(1),
    "ring": lambda: ring(9),
    "lattice": lambda: lattice_network(300, seed=3),
    "irregular": lambda: irregular_network(77, seed=2),
    **{f"small {seed}": lambda seed=seed: random_irregular(seed) for seed in range(5)},
}


@pytest.mark.parametrize("name", NETWORKS)
def test_hops_are_distances_modulo_3(name):
    network = NETWORKS[name]()
    switches, found = network.switches, network.hops
    distance = network.distance[:switches, :switches]
    np.testing.assert_array_equal(unpacked(found.low, switches), distance % 3 == 1)
    np.testing.assert_array_equal(unpacked(found.high, switches), distance % 3 == 2)
    np.testing.assert_array_equal(found.eccentricity, distance.max(axis=1))
    assert (found.reached == switches).all()
    assert network.centre() == np.argmin(distance.max(axis=1))


def test_blocks_of_bits_make_no_difference(monkeypatch):
    neighbours = [list(lattice_network(200, seed=1).switch_graph[switch]) for switch in range(200)]
    whole = hop_bits(neighbours)
    monkeypatch.setattr(hops, "CACHE_BYTES", 200 * 8)
    for one, other in zip(whole, hop_bits(neighbours), strict=True):
        np.testing.assert_array_equal(one, other)


def test_what_cannot_be_reached_is_told():
    assert hop_bits([[1], [0], []]).reached.tolist() == [2, 2, 1]
