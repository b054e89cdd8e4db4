"""Parts that compute routing keys against the routing's own keys."""

import random

import pytest

from rtl.hypercube import node_key
from rtl.hypercube.network import hypercube_addressing
from rtl.min.turn_key import TurnKey
from rtl.spam.multicast_key import MulticastKey
from rtl.torus import shortest_key
from rtl.torus.network import torus_addressing
from rtl.torus.shortest_key import ShortestKey
from tests.networks import figure_1, random_irregular, ring
from tests.rtl.simulate import run, run_combinational
from tests.tb.racks import mutated
from topology.common.graph import Network
from topology.common.lattice import lattice_network
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import HypercubeRouting
from topology.min.graph import BIDIRECTIONAL, MinNetwork
from topology.min.routing import MinRouting
from topology.spam.graph import SpamLabels
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import TorusRouting

# The routing key in hardware against the routing's own lowest common ancestor.

CHAIN = Network(9, [(i, i + 1) for i in range(8)], [0, 0, 3, 3, 8])
# two arms of four switches each; one processor at the end of one, two at the end of the other
ARMS = Network(9, [(0, 1), (1, 2), (2, 3), (3, 4), (0, 5), (5, 6), (6, 7), (7, 8)], [4, 8, 8])
SMALL = {
    "figure-1": (figure_1(), None),
    "star": (Network(1, [], [0, 0, 0]), None),
    "ring": (ring(7), 3),
    "chain": (CHAIN, 0),
    "arms": (ARMS, 0),
    "leaf-switches-without-processors": (Network(4, [(0, 1), (0, 2), (0, 3)], [1, 1, 2]), 0),
    **{f"irregular-{seed}": (random_irregular(seed, 6), None) for seed in (1, 2, 3)},
}


def wrong_sets(part, sets, cycles):
    """Sets of which, this many cycles after the set before, the key is not the lowest common ancestor."""
    labels, wrong = part.labels, []

    async def testbench(ctx):
        for destinations in sets:
            members = [i for i in range(len(labels.network.processors)) if destinations >> i & 1]
            ctx.set(part.destinations, destinations)
            for _ in range(cycles):
                await ctx.tick()
            seen = ctx.get(part.key), bool(ctx.get(part.multicast))
            if seen != (labels.lowest_common_ancestor(members), len(members) > 1):
                wrong.append(members)

    run(part, testbench)
    return wrong


@pytest.mark.parametrize("levels_per_cycle", [1, 2, 4])
@pytest.mark.parametrize("name", SMALL)
def test_every_set_of_a_small_network(name, levels_per_cycle):
    network, root = SMALL[name]
    part = MulticastKey(SpamLabels(network, root), levels_per_cycle)
    sets = list(range(1, 1 << len(network.processors)))[:1023]
    random.Random(1).shuffle(sets)  # each after another one
    assert wrong_sets(part, sets, part.key_cycles) == []


@pytest.mark.parametrize("switches", [16, 64])
def test_random_sets_of_a_lattice(switches):
    numbers = random.Random(switches)
    part = MulticastKey(SpamLabels(lattice_network(switches, seed=7)))
    sets = []
    for _ in range(200):
        members = numbers.sample(range(switches), numbers.choice((1, 2, 2, 3, 5, switches)))
        sets.append(sum(1 << member for member in members))
    assert wrong_sets(part, sets, part.key_cycles) == []


def test_the_stated_latency_is_needed():
    part = MulticastKey(SpamLabels(ARMS, 0), 2)
    assert part.key_cycles == 5  # four levels up, four down, and one before the encoder
    sets = [0b110, 0b111, 0b110]
    assert wrong_sets(part, sets, 5) == []
    assert wrong_sets(part, sets, 4) == [[0, 1, 2], [1, 2]]


def test_registers_stand_only_between_switches():
    """A processor's bit needs none on its way into its switch, whatever its level: it would cost a cycle more."""
    for levels_per_cycle in (1, 2):
        star = MulticastKey(SpamLabels(Network(1, [], [0, 0, 0])), levels_per_cycle)
        assert star.key_cycles == 1  # before the encoder
    pair = MulticastKey(SpamLabels(Network(2, [(0, 1)], [0, 1, 1]), 0), 2)
    assert pair.key_cycles == 1  # processors of the second switch are on level 2


def test_a_single_processor():
    part = MulticastKey(SpamLabels(Network(1, [], [0])))
    assert part.key_cycles == 0

    async def testbench(ctx):
        ctx.set(part.destinations, 1)
        assert (ctx.get(part.key), ctx.get(part.multicast)) == (1, 0)

    run_combinational(part, testbench)


def test_no_levels_at_all():
    with pytest.raises(ValueError, match=r"^Levels per cycle must be a positive integer, not 0$"):
        MulticastKey(SpamLabels(CHAIN), 0)


@pytest.mark.parametrize(("kind", "radix", "stages"), [("omega", 2, 3), (BIDIRECTIONAL, 2, 3), (BIDIRECTIONAL, 3, 2)])
def test_keys_of_multistage_networks(kind, radix, stages):
    """Every sender with every set but that of itself alone."""
    routing = MinRouting(MinNetwork(kind, radix, stages), 16)
    part, processors, wrong = TurnKey(routing), radix**stages, []

    async def testbench(ctx):
        for node in range(processors):
            if "node" in part.signature.members:
                ctx.set(part.node, node)
            for destinations in range(1, 1 << processors):
                members = [i for i in range(processors) if destinations >> i & 1 and i != node]
                if not members:
                    continue
                ctx.set(part.destinations, sum(1 << member for member in members))
                await ctx.tick()
                seen = ctx.get(part.key), bool(ctx.get(part.multicast))
                if seen != (routing.routing_key(node, members), len(members) > 1):
                    wrong.append((node, members))

    run(part, testbench)
    assert wrong == []


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
