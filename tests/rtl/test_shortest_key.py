"""The key part of tori and meshes against the routing's own keys, for every pair of nodes."""

import pytest

from rtl.torus import shortest_key
from rtl.torus.network import torus_addressing
from rtl.torus.shortest_key import ShortestKey
from tests.rtl.simulate import run_combinational
from tests.tb.parts_runner import mutated
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import TorusRouting

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
