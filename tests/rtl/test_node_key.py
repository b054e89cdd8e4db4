"""The key part of hypercubes against the routing's own keys, for every pair of nodes."""

import pytest

from rtl.hypercube import node_key
from rtl.hypercube.network import hypercube_addressing
from tests.rtl.test_shortest_key import wrong_pairs
from tests.tb.parts_runner import mutated
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import HypercubeRouting


def routing_of(dimensions: int) -> HypercubeRouting:
    return HypercubeRouting(HypercubeNetwork(dimensions, 2), 16)


@pytest.mark.parametrize("dimensions", [1, 2, 5])
def test_every_key_is_that_of_the_routing(dimensions):
    routing = routing_of(dimensions)
    addressing = hypercube_addressing(routing)
    assert wrong_pairs(addressing.key(), routing) == []
    assert addressing.sender_bits == 0
    assert addressing.unicast_keys == tuple(routing.routing_key(0, [node]) for node in range(1 << dimensions))


@pytest.mark.parametrize("fault", [("self.key.eq(self.destination)", "self.key.eq(self.node)"), ("eq(1)", "eq(0)")])
def test_a_fault_is_seen(fault):
    assert wrong_pairs(mutated(node_key, *fault).NodeKey(3), routing_of(3))
