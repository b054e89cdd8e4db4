"""Networks whose parts leave reset in different cycles, and tokens that are lost or doubled."""

import random
from collections import Counter
from collections.abc import Sequence

import pytest

from rtl.generator.network import NetworkTop
from rtl.harts.network import harts_plan
from rtl.min.network import min_plan
from rtl.spam.network import spam_plan
from tests.rtl.simulate import SkewedResets, run
from tests.sampled import sampled
from topology.common.graph import Network
from topology.harts.broadcast import COPIES
from topology.harts.graph import HexMesh
from topology.harts.routing import UNICAST, HartsRouting, operation
from topology.min.graph import MinNetwork
from topology.min.routing import MinRouting
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

# Routers, injectors and ejectors that leave reset in different cycles: no flit is lost, duplicated or misplaced.

MAX_CYCLES = 1500
LATEST_RELEASE = 24
BODY_FLITS = 5
LATER_IN_RING = 2


def spam_case():
    network = Network(3, [(0, 1), (0, 2), (1, 2)], [0, 1, 1, 2])
    routing = SpamRouting(SpamLabels(network, 0), 16)
    return spam_plan(routing), routing, ()


def min_case():
    routing = MinRouting(MinNetwork("baseline", 2, 2), 16)
    return min_plan(routing), routing, [group.switches for group in routing.groups.groups]


CASES = {"spam": spam_case, "min": min_case}


@pytest.mark.parametrize(
    "offered_from",
    [0, pytest.param(2 * LATEST_RELEASE, marks=pytest.mark.slow)],
    ids=["traffic-already-offered", "before-any-traffic"],
)
@pytest.mark.parametrize("family", CASES)
def test_nothing_is_lost(family, offered_from):
    plan, routing, rings = CASES[family]()
    numbers, platform = random.Random(family), SkewedResets("router_s", "injector_n", "ejector_n")
    top = NetworkTop(plan)
    whole = top.elaborate(platform)
    nodes = len(plan.network.processors)
    releases = {name: numbers.randrange(LATEST_RELEASE) for name in platform.resets}
    for first, *others in rings:
        for name in map("router_s{}".format, others):
            releases[name] = releases[f"router_s{first}"] + LATER_IN_RING
    sent = {source: [node for node in range(nodes) if node != source] for source in range(nodes)}
    got: list[list[int]] = [[] for _ in range(nodes)]

    async def testbench(ctx):
        words = dict.fromkeys(sent, 0)
        taken = set()
        for cycle in range(MAX_CYCLES):
            for name, release in releases.items():
                ctx.set(platform.resets[name], cycle < release)
            for source, destinations in sent.items():
                port = f"inject_n{source}"
                offers = cycle >= offered_from and source not in taken
                ctx.set(getattr(top, f"{port}_message_valid"), offers)
                ctx.set(getattr(top, f"{port}_message_header"), routing.header_value(source, destinations))
                ctx.set(getattr(top, f"{port}_message_header_flits"), routing.header_flits(destinations))
                ctx.set(getattr(top, f"{port}_message_flits"), routing.header_flits(destinations) + BODY_FLITS)
                ctx.set(getattr(top, f"{port}_payload_valid"), 1)
                ctx.set(getattr(top, f"{port}_payload_data"), source << 8 | words[source])
                if offers and ctx.get(getattr(top, f"{port}_message_ready")):
                    taken.add(source)
                words[source] += ctx.get(getattr(top, f"{port}_payload_ready"))
            for node in range(nodes):
                port = f"eject_n{node}"
                ctx.set(getattr(top, f"{port}_ready"), 1)
                if ctx.get(getattr(top, f"{port}_valid")):
                    got[node].append(ctx.get(getattr(top, f"{port}_data")))
            await ctx.tick()
            if cycle > 3 * LATEST_RELEASE and all(len(flits) >= expected for flits in got):
                break

    header = routing.header_flits(list(range(1, nodes)))
    expected = (nodes - 1) * (header + BODY_FLITS)
    run(whole, testbench)
    for node, flits in enumerate(got):
        assert len(flits) == expected
        bodies = [flits[k : k + header + BODY_FLITS][header:] for k in range(0, expected, header + BODY_FLITS)]
        senders = [source for source in range(nodes) if source != node]
        assert sorted(bodies) == [[source << 8 | k for k in range(BODY_FLITS)] for source in senders]


# Hexagonal meshes whose nodes leave reset in different cycles (docs/look_up/timing.md, "Reset"): their slots differ.

MESH_LATEST_RELEASE = 20
MESH_BODY_FLITS = 4
MESH_MAX_CYCLES = 8_000
QUIET_CYCLES = 120
PACKETS = 2


class SkewedMesh:
    """A mesh that is reset as a whole, and released part by part."""

    def __init__(self, link_cycles: int, algorithms: Sequence[str], numbers: random.Random):
        self.algorithms = algorithms
        self.numbers, self.routing = numbers, HartsRouting(HexMesh(2), 48)
        self.platform = SkewedResets("router_s", "injector_n", "ejector_n", "wire_", "stage_")
        plan = harts_plan(self.routing, packet_flits=MESH_BODY_FLITS + 1, link_cycles=link_cycles)
        self.top = NetworkTop(plan)
        self.whole = self.top.elaborate(self.platform)
        self.nodes = range(self.routing.mesh.nodes)

    async def lost_and_doubled(self, ctx) -> tuple[Counter, Counter]:
        """Reset all parts, release them one by one, send, and compare the deliveries with the expected ones."""
        releases = {name: self.numbers.randrange(1, MESH_LATEST_RELEASE) for name in self.platform.resets}
        waiting = {source: self._messages(source) for source in self.nodes}
        wanted = Counter(
            (node, *self._body(source, number))
            for source, messages in waiting.items()
            for number, (_, nodes, copies) in enumerate(messages)
            for node in nodes
            for _ in range(copies)
        )
        taken = dict.fromkeys(self.nodes, 0)
        words = dict.fromkeys(self.nodes, 0)
        open_packets: dict[int, list[int]] = {node: [] for node in self.nodes}
        got, quiet = Counter(), 0
        for cycle in range(MESH_MAX_CYCLES):
            for name, release in releases.items():
                ctx.set(self.platform.resets[name], cycle < release)
            for source, messages in waiting.items():
                self._offer(ctx, source, messages, taken, words)
            quiet += 1
            for node in self.nodes:
                quiet = 0 if self._take(ctx, node, open_packets[node], got) else quiet
            await ctx.tick()
            if cycle > MESH_LATEST_RELEASE and quiet > QUIET_CYCLES:
                break
        assert open_packets == {node: [] for node in self.nodes}
        return wanted - got, got - wanted

    def _messages(self, source: int) -> list[tuple[int, list[int], int]]:
        """Header, nodes that get it, and copies that each gets."""
        others = [node for node in self.nodes if node != source]
        chosen = self.numbers.sample(others, PACKETS)
        messages = [(self.routing.sent_header(source, [node], UNICAST, 0), [node], 1) for node in chosen]
        name = self.numbers.choice(self.algorithms)
        messages.append((self.routing.sent_header(source, others, operation(name), 0), others, COPIES[name]))
        self.numbers.shuffle(messages)
        return messages

    @staticmethod
    def _body(source: int, number: int) -> tuple[int, ...]:
        return tuple(source << 8 | number * MESH_BODY_FLITS + k for k in range(MESH_BODY_FLITS))

    def _offer(self, ctx, source, messages, taken, words):
        port = f"inject_n{source}"
        offers = taken[source] < len(messages)
        values = {
            "message_valid": offers,
            "message_header": messages[taken[source]][0] if offers else 0,
            "message_header_flits": 1,
            "message_flits": MESH_BODY_FLITS + 1,
            "payload_valid": 1,
            "payload_data": source << 8 | words[source],
        }
        for name, value in values.items():
            ctx.set(getattr(self.top, f"{port}_{name}"), value)
        words[source] += ctx.get(getattr(self.top, f"{port}_payload_ready"))
        taken[source] += offers and ctx.get(getattr(self.top, f"{port}_message_ready"))

    def _take(self, ctx, node, packet, got) -> bool:
        """Take a flit of a packet for a node's host, if one is offered."""
        port = f"eject_n{node}"
        ctx.set(getattr(self.top, f"{port}_ready"), 1)
        if not ctx.get(getattr(self.top, f"{port}_valid")):
            return False
        packet.append(ctx.get(getattr(self.top, f"{port}_data")))
        if ctx.get(getattr(self.top, f"{port}_tail")):
            got[(node, *packet[1:])] += 1
            packet.clear()
        return True


@pytest.mark.parametrize(
    ("link_cycles", "algorithms"),
    [
        (1, ("sbcast", "2-bcast", "sfbcast")),
        pytest.param(3, ("sbcast", "2-bcast", "sfbcast"), marks=pytest.mark.slow),
        pytest.param(1, ("3-bcast", "4-bcast", "5-bcast", "6-bcast"), marks=pytest.mark.slow),
    ],
)
def test_slots_of_neighbours_may_differ(link_cycles, algorithms):
    mesh = SkewedMesh(link_cycles, algorithms, random.Random(link_cycles))

    async def testbench(ctx):
        assert await mesh.lost_and_doubled(ctx) == (Counter(), Counter())

    run(mesh.whole, testbench)


# Reset skew that a token ring tolerates, and the report of more: docs/look_up/timing.md, "Reset".

FIRST = 0
"""The switch that begins with the token; it leaves reset in cycle ``START``."""
RING = (0, 1, 2, 3)
START = 10
EARLIEST, LATEST = -START, 2
"""Cycles before or after the first switch in which all other parts may leave reset."""
SETTLED = 50
"""Cycles after which the token has visited every station, or none."""
SOUND, LOST, DUPLICATED = (0, 0), (1, 0), (0, 1)


class RingUnderReset:
    """A network whose first ring is reset again and again."""

    def __init__(self, link_cycles: int):
        plan = min_plan(MinRouting(MinNetwork("baseline", 2, 3), 16), link_cycles=link_cycles)
        self.platform = SkewedResets("router_s", "wire_token_in_s", "token")
        self.top = NetworkTop(plan)
        self.whole = self.top.elaborate(self.platform)
        self.wires = [f"wire_token_in_s{k}" for k in RING] if link_cycles > 1 else []

    async def status(self, ctx, delays: dict[str, int]) -> tuple[int, int]:
        """Report of the watch after a reset of all parts that ends with these delays."""
        for cycle in range(START + SETTLED):
            for name, reset in self.platform.resets.items():
                ctx.set(reset, cycle < START + delays.get(name, 0))
            await ctx.tick()
        return self._status(ctx)

    def _status(self, ctx) -> tuple[int, int]:
        return ctx.get(self.top.token_lost) & 1, ctx.get(self.top.token_duplicated) & 1


@pytest.mark.parametrize("link_cycles", sampled([1, 3], [3]))
def test_two_cycles_later_and_any_time_earlier_are_sound(link_cycles):
    """Switches and wires alike; the watch must not begin before there can be a token."""
    ring, numbers = RingUnderReset(link_cycles), random.Random(1)

    async def testbench(ctx):
        for extremes in (True,) * 4 + (False,) * 4:
            parts = [*(f"router_s{k}" for k in RING if k != FIRST), *ring.wires]
            choices = (EARLIEST, LATEST) if extremes else range(EARLIEST, LATEST + 1)
            delays = {**{name: numbers.choice(choices) for name in parts}, "token": numbers.randrange(START)}
            assert await ring.status(ctx, delays) == SOUND, delays

    run(ring.whole, testbench)


@pytest.mark.parametrize("link_cycles", sampled([1, 3], [1]))
def test_a_switch_may_leave_reset_until_the_token_comes_and_not_later(link_cycles):
    ring = RingUnderReset(link_cycles)

    async def testbench(ctx):
        for switch in RING[1:]:
            limit = 1 + switch * link_cycles
            seen = [await ring.status(ctx, {f"router_s{switch}": delay}) for delay in range(limit - 1, limit + 3)]
            assert seen == [SOUND, SOUND, LOST, LOST], switch

    run(ring.whole, testbench)
