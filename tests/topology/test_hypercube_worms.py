"""Worms in hypercubes, moved flit by flit in any order, against the static deadlock check."""

import random
from collections import deque
from typing import NamedTuple

import pytest

from tests.each import each
from topology.common.virtual_channels import ATOMIC, NON_ATOMIC
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import ADAPTIVE_ONLY, DUATO, WRONG_ESCAPE, HypercubeRouting
from topology.hypercube.vc_reallocation import NON_ATOMIC_ESCAPE


class Flit(NamedTuple):
    worm: int
    number: int


class Worm(NamedTuple):
    key: int
    flits: int


class Worms:
    """A network with worms."""

    def __init__(self, routing: HypercubeRouting, depth: int, shared: set[int]):
        self.routing, self.network = routing, routing.network
        self.depth, self.shared = depth, shared
        self.worms: list[Worm] = []
        self.flits: dict[int, deque[Flit]] = {vc: deque() for vc in range(len(self.network.channels))}
        self.owner: dict[int, int] = {}
        self.following: dict[tuple[int, int], int] = {}

    def send(self, source: int, destination: int, flits: int, injection: int = 0) -> None:
        """Append a worm to the queue of an injection channel."""
        vc = self.network.injection_channels_of(source)[injection]
        self.flits[vc].extend(Flit(len(self.worms), number) for number in range(flits))
        self.worms.append(Worm(destination, flits))

    def paths(self, vc: int) -> list[int]:
        """VCs that the first flit of a VC can go to now."""
        if not self.flits[vc]:
            return []
        flit = self.flits[vc][0]
        if flit.number > 0:
            following = self.following[flit.worm, vc]
            return [following] if self._has_room(following) else []
        key = self.worms[flit.worm].key
        for mask in (self.routing.candidates(vc, key), self.routing.escapes(vc, key)):
            outputs = self.network.output_channel[self.network.channels[vc].sink]
            free = [output for port, output in enumerate(outputs) if mask >> port & 1 and self._can_be_had(output)]
            if free:
                return free
        return []

    def _has_room(self, vc: int) -> bool:
        return self._delivers(vc) or len(self.flits[vc]) < self.depth

    def _can_be_had(self, vc: int) -> bool:
        return vc not in self.owner and (self._has_room(vc) if vc in self.shared else not self.flits[vc])

    def _delivers(self, vc: int) -> bool:
        return not self.network.is_switch(self.network.channels[vc].sink)

    def move(self, vc: int, to: int) -> None:
        """The first flit of a VC goes on."""
        assert to in self.paths(vc), (self.network.channels[vc].name, self.network.channels[to].name)
        flit = self.flits[vc].popleft()
        self.owner[to] = flit.worm
        self.following[flit.worm, vc] = to
        if not self._delivers(to):
            self.flits[to].append(flit)
        if flit.number == self.worms[flit.worm].flits - 1:
            del self.owner[to]

    def run(self, order: random.Random) -> int:
        """Move flits in random order until none can move. Returns how many are left."""
        while True:
            vcs = [vc for vc in self.flits if self.paths(vc)]
            if not vcs:
                return sum(map(len, self.flits.values()))
            vc = order.choice(vcs)
            self.move(vc, order.choice(self.paths(vc)))


def worms(
    dimensions: int, vcs: int, rule: str, depth: int, vc_reallocation: str = ATOMIC, injection_channels: int = 1
) -> Worms:
    network = HypercubeNetwork(dimensions, vcs, injection_channels)
    between = [vc for vc, dimension in enumerate(network.dimension_of) if dimension is not None]
    shared = {
        ATOMIC: set(),
        NON_ATOMIC_ESCAPE: {vc for vc in between if network.vc_of[vc] == vcs - 1},
        NON_ATOMIC: set(between),
    }
    return Worms(HypercubeRouting(network, 32, rule), depth, shared[vc_reallocation])


class Mover:
    """Moves flits by the names of the lanes."""

    def __init__(self, network: Worms):
        self.worms = network
        self.vcs = {channel.name: channel.index for channel in network.network.channels}

    def __call__(self, vc: str, to: str) -> None:
        self.worms.move(self.vcs[vc], self.vcs[to])

    def paths(self, vc: str) -> list[str]:
        channels = self.worms.network.channels
        return [channels[to].name for to in self.worms.paths(self.vcs[vc])]


def send_at_random(network: Worms, order: random.Random, count: int, most_flits: int, *, least_flits: int = 1) -> None:
    nodes = network.network.switches
    for _ in range(count):
        source = order.randrange(nodes)
        destination = source ^ order.randrange(1, nodes)
        injection = order.randrange(network.network.injection_channels_per_processor)
        network.send(source, destination, order.randint(least_flits, most_flits), injection)


@each(
    "dimensions, vcs, vc_reallocation",
    [
        (2, 2, ATOMIC),
        (2, 2, NON_ATOMIC_ESCAPE),
        (2, 2, NON_ATOMIC),  # not proved, but no worm waits for ever in a square
        (2, 1, NON_ATOMIC),
        (3, 1, NON_ATOMIC),
        (3, 2, ATOMIC),
        (3, 2, NON_ATOMIC_ESCAPE),
    ],
)
def test_everything_is_delivered(dimensions, vcs, vc_reallocation):
    for seed in range(6):
        order = random.Random(seed)
        network = worms(dimensions, vcs, DUATO, 1 + seed % 3, vc_reallocation, 2)
        send_at_random(network, order, 12 << dimensions, 7)
        assert network.run(order) == 0


@pytest.mark.parametrize("vcs", [2, 3])
def test_long_worms_are_delivered_with_all_vcs_shared(vcs):
    for seed in range(4):
        order = random.Random(seed)
        network = worms(3, vcs, DUATO, 2, NON_ATOMIC, 3)
        send_at_random(network, order, 60, 4, least_flits=4)
        assert network.run(order) == 0


RING = ((0, 1), (1, 3), (3, 2), (2, 0))
"""Of a square: even switches send on in dimension 0, odd ones in dimension 1."""


@pytest.mark.parametrize("rule", [ADAPTIVE_ONLY, WRONG_ESCAPE])
def test_one_vc_without_order_waits_in_a_ring(rule):
    network = worms(2, 1, rule, 2)
    move = Mover(network)
    for switch, following in RING:
        network.send(switch, switch ^ 3, 5)
        move(f"p{switch}->s{switch}", f"s{switch}->s{following}")
    assert network.run(random.Random(0)) == 20


def test_more_adaptive_vcs_wait_in_a_ring():
    network = worms(2, 2, ADAPTIVE_ONLY, 2, injection_channels=2)
    move = Mover(network)
    for switch, following in RING:
        for vc in range(2):
            network.send(switch, switch ^ 3, 5, vc)
            move(f"p{switch}_{vc}->s{switch}", f"s{switch}->s{following}.{vc}")
    assert network.run(random.Random(0)) == 40


@pytest.mark.parametrize("rule", [WRONG_ESCAPE, DUATO])
def test_escapes_in_two_orders_wait_in_a_ring(rule):
    """All adaptive VCs are taken, so the next worm takes its escape: along the ring, if the order is wrong."""
    network = worms(2, 2, rule, 2, injection_channels=2)
    move = Mover(network)
    for switch, following in RING:
        other = following ^ 3
        network.send(switch, other, 3, 0)
        move(f"p{switch}_0->s{switch}", f"s{switch}->s{other}.0")
        network.send(switch, switch ^ 3, 2, 1)
        network.send(switch, switch ^ 3, 2, 1)
        for _ in range(2):
            move(f"p{switch}_1->s{switch}", f"s{switch}->s{following}.0")
        (escape,) = move.paths(f"p{switch}_1->s{switch}")
        assert escape == f"s{switch}->s{following if rule == WRONG_ESCAPE else switch ^ 1}.1"
        move(f"p{switch}_1->s{switch}", escape)
    assert network.run(random.Random(0)) == (16 if rule == WRONG_ESCAPE else 0)


def behind_tails(vc_reallocation: str) -> tuple[Worms, Mover]:
    """A cube with buffers of 3 flits, in which short worms wait for dimension 0 and long ones are about to come behind
    their tails.

    At every node s a long worm for s ^ 3 has the adaptive VC of dimension 0; a worm of one flit for s ^ 3 has passed
    into that of dimension 1; a worm of two for s ^ 5 has begun with that of dimension 2, so that a long one for s ^ 5
    takes the escape VC of dimension 0; then the second flit follows.
    """
    network = worms(3, 2, DUATO, 3, vc_reallocation, 3)
    move = Mover(network)
    for s in range(8):
        network.send(s, s ^ 3, 9, 0)
        network.send(s, s ^ 3, 1, 1)
        network.send(s, s ^ 5, 9, 1)
        network.send(s, s ^ 5, 2, 2)
        move(f"p{s}_0->s{s}", f"s{s}->s{s ^ 1}.0")
        assert move.paths(f"p{s}_1->s{s}")[0] == f"s{s}->s{s ^ 2}.0"
        move(f"p{s}_1->s{s}", f"s{s}->s{s ^ 2}.0")
        assert move.paths(f"p{s}_2->s{s}")[0] == f"s{s}->s{s ^ 4}.0"
        move(f"p{s}_2->s{s}", f"s{s}->s{s ^ 4}.0")
        assert move.paths(f"p{s}_1->s{s}") == [f"s{s}->s{s ^ 1}.1"]
        move(f"p{s}_1->s{s}", f"s{s}->s{s ^ 1}.1")
        move(f"p{s}_2->s{s}", f"s{s}->s{s ^ 4}.0")
    for s in range(8):  # the short ones wait
        assert move.paths(f"s{s}->s{s ^ 2}.0") == move.paths(f"s{s}->s{s ^ 4}.0") == []
    return network, move


def test_heads_behind_tails_in_adaptive_vcs_wait_for_ever():
    network, move = behind_tails(NON_ATOMIC)
    for s in range(8):
        there = s ^ 1
        assert move.paths(f"s{s}->s{there}.0")[0] == f"s{there}->s{there ^ 2}.0"
        move(f"s{s}->s{there}.0", f"s{there}->s{there ^ 2}.0")
        assert move.paths(f"s{s}->s{there}.1")[0] == f"s{there}->s{there ^ 4}.0"
        move(f"s{s}->s{there}.1", f"s{there}->s{there ^ 4}.0")
    assert network.run(random.Random(0)) == 8 * (9 + 1 + 9 + 2)


@pytest.mark.parametrize("vc_reallocation", [ATOMIC, NON_ATOMIC_ESCAPE])
def test_heads_before_empty_adaptive_vcs_take_their_escapes(vc_reallocation):
    for seed in range(5):
        network, move = behind_tails(vc_reallocation)
        for s in range(8):
            assert move.paths(f"s{s}->s{s ^ 1}.0") == [f"s{s ^ 1}->s{s ^ 3}.1"]
            assert move.paths(f"s{s}->s{s ^ 1}.1") == [f"s{s ^ 1}->s{s ^ 5}.1"]
        assert network.run(random.Random(seed)) == 0
