"""The routing key in hardware against the routing's own lowest common ancestor."""

import random

import pytest

from rtl.min.turn_key import TurnKey
from rtl.spam.multicast_key import MulticastKey
from tests.networks import figure_1, random_irregular, ring
from tests.rtl.simulate import run, run_combinational
from topology.common.graph import Network
from topology.common.lattice import lattice_network
from topology.min.graph import BIDIRECTIONAL, MinNetwork
from topology.min.routing import MinRouting
from topology.spam.graph import SpamLabels

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
