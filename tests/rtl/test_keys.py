"""Parts that compute routing keys against the routing's own keys."""

import pytest

from rtl.hypercube import node_key
from rtl.hypercube.network import hypercube_addressing
from rtl.spam.multicast_key import MulticastKey
from rtl.torus import shortest_key
from rtl.torus.network import torus_addressing
from rtl.torus.shortest_key import ShortestKey
from tests.rtl.simulate import run_combinational
from tests.tb.racks import mutated
from topology.common.graph import Network
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import HypercubeRouting
from topology.spam.graph import SpamLabels
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import TorusRouting


def test_registers_stand_only_between_switches():
    """A processor's bit needs none on its way into its switch, whatever its level: it would cost a cycle more."""
    for levels_per_cycle in (1, 2):
        star = MulticastKey(SpamLabels(Network(1, [], [0, 0, 0])), levels_per_cycle)
        assert star.key_cycles == 1  # before the encoder
    pair = MulticastKey(SpamLabels(Network(2, [(0, 1)], [0, 1, 1]), 0), 2)
    assert pair.key_cycles == 1  # processors of the second switch are on level 2
    with pytest.raises(ValueError, match=r"^Levels per cycle is 0; it must be a positive integer$"):
        MulticastKey(pair.labels, 0)


# The key part of hypercubes against the routing's own keys, for every pair of nodes.


def hypercube_routing(dimensions: int) -> HypercubeRouting:
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
def test_every_node_key_is_that_of_the_routing(dimensions):
    routing = hypercube_routing(dimensions)
    addressing = hypercube_addressing(routing)
    assert wrong_destinations(addressing.key(), routing) == []
    assert addressing.sender_bits == 0
    assert addressing.unicast_keys == tuple(routing.routing_key(0, [node]) for node in range(1 << dimensions))


@pytest.mark.parametrize(
    "fault", [("self.key.eq(self.destination)", "self.key.eq(self.destination ^ 1)"), ("eq(1)", "eq(0)")]
)
def test_a_fault_of_a_node_key_is_seen(fault):
    assert wrong_destinations(mutated(node_key, *fault).NodeKey(3), hypercube_routing(3))


# The key part of tori and meshes against the routing's own keys, for every pair of nodes.

GRIDS = (
    *(Grid(rows, columns) for rows, columns in ((2, 2), (3, 3), (4, 4), (5, 6), (8, 8), (1, 7), (6, 1), (1, 64))),
    *(Grid(rows, columns, wraps=False) for rows, columns in ((2, 3), (4, 4), (7, 1), (1, 2))),
)


def name(grid: Grid) -> str:
    return f"{grid.rows}x{grid.columns}-{'torus' if grid.wraps else 'mesh'}"


def routing_of(grid: Grid) -> TorusRouting:
    return TorusRouting(TorusNetwork(grid, 2), 32)


def wrong_pairs(part, routing: TorusRouting) -> list[tuple[int, int]]:
    """Pairs of sender and destination, of all numbers that the ports can have, for which the part is wrong."""
    nodes, wrong = routing.network.switches, []

    async def testbench(ctx):
        for node in range(nodes):
            ctx.set(part.node, node)
            for destination in range(1 << len(part.destination)):
                ctx.set(part.destination, destination)
                await ctx.delay(1e-9)
                exists = destination < nodes
                sound = ctx.get(part.exists) == exists
                if exists:
                    sound = sound and ctx.get(part.key) == routing.routing_key(node, [destination])
                if not sound:
                    wrong.append((node, destination))

    run_combinational(part, testbench)
    return wrong


@pytest.mark.parametrize("grid", GRIDS, ids=name)
def test_every_key_is_that_of_the_routing(grid):
    assert wrong_pairs(ShortestKey(grid), routing_of(grid)) == []


FAULTS = {
    "takes the other way round in a tie": ("ahead > side // 2", "ahead >= side // 2"),
    "goes back only where there is no wrap": ("(ahead > side // 2) | ", ""),
    "never goes back without a wrap": (" | ((ahead < 0) & (ahead >= -((side - 1) // 2)))", ""),
    "goes back as far as the side reaches": ("(ahead >= -((side - 1) // 2))", "1"),
    "goes forward in a mesh": ("negative.eq(end < start)", "negative.eq(0)"),
    "mixes up the dimensions": ("self._goes_back(m, row, to_row", "self._goes_back(m, column, to_column"),
    "knows nodes that are not there": ("self.destination < grid.nodes if", "1 if"),
    "has rows and columns the wrong way round": (
        "[y | x << len(column) for x, y in",
        "[y | x << len(column) for y, x in",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_seen(fault):
    module = mutated(shortest_key, *FAULTS[fault])
    assert any(wrong_pairs(module.ShortestKey(grid), routing_of(grid)) for grid in (GRIDS[2], GRIDS[3], GRIDS[8]))


@pytest.mark.parametrize("grid", GRIDS, ids=name)
def test_what_the_plan_says_of_keys(grid):
    """A key without what the sender chooses names its destination, and no two are alike."""
    routing = routing_of(grid)
    addressing = torus_addressing(routing)
    assert len(set(addressing.unicast_keys)) == grid.nodes
    for source in range(grid.nodes):
        for destination in range(grid.nodes):
            key = routing.routing_key(source, [destination])
            assert key & ~addressing.sender_bits == addressing.unicast_keys[destination]
