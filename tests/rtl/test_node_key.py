"""The key part of hypercubes against the routing's own keys, for every pair of nodes."""

import pytest

from rtl.hypercube import node_key
from rtl.hypercube.network import hypercube_addressing
from tests.rtl.simulate import run_combinational
from tests.tb.parts_runner import mutated
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import HypercubeRouting


def routing_of(dimensions: int) -> HypercubeRouting:
    return HypercubeRouting(HypercubeNetwork(dimensions, 2), 16)


def wrong_destinations(part, routing: HypercubeRouting) -> list[int]:
    """Numbers of nodes for which the part is wrong, for any sender."""
    wrong = []

    async def testbench(ctx):
        for destination in range(routing.network.switches):
            ctx.set(part.destination, destination)
            await ctx.delay(1e-9)
            keys = {routing.routing_key(source, [destination]) for source in range(routing.network.switches)}
            if {ctx.get(part.key)} != keys or not ctx.get(part.exists):
                wrong.append(destination)

    run_combinational(part, testbench)
    return wrong


@pytest.mark.parametrize("dimensions", [1, 2, 5])
def test_every_key_is_that_of_the_routing(dimensions):
    routing = routing_of(dimensions)
    addressing = hypercube_addressing(routing)
    assert wrong_destinations(addressing.key(), routing) == []
    assert addressing.sender_bits == 0
    assert addressing.unicast_keys == tuple(routing.routing_key(0, [node]) for node in range(1 << dimensions))


@pytest.mark.parametrize(
    "fault", [("self.key.eq(self.destination)", "self.key.eq(self.destination ^ 1)"), ("eq(1)", "eq(0)")]
)
def test_a_fault_is_seen(fault):
    assert wrong_destinations(mutated(node_key, *fault).NodeKey(3), routing_of(3))
