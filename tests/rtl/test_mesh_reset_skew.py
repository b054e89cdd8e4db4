"""Hexagonal meshes whose nodes leave reset in different cycles (docs/look_up/timing.md, "Reset"): their slots differ.

Links have ``valid`` and ``ready``, and a node takes what has come in its own slot; so nothing depends on the slots of
its neighbours but the time that packets take.
"""

import random
from collections import Counter
from collections.abc import Sequence

import pytest

from rtl.generator.network import NetworkTop
from rtl.harts.network import harts_plan
from tests.rtl.simulate import run
from tests.rtl.skewed_resets import SkewedResets
from topology.harts.broadcast import COPIES
from topology.harts.graph import HexMesh
from topology.harts.routing import UNICAST, HartsRouting, operation

LATEST_RELEASE = 20
BODY_FLITS = 4
MAX_CYCLES = 8_000
QUIET_CYCLES = 120
PACKETS = 2


class SkewedMesh:
    """A mesh that is reset as a whole, and released part by part."""

    def __init__(self, link_cycles: int, algorithms: Sequence[str], numbers: random.Random):
        self.algorithms = algorithms
        self.numbers, self.routing = numbers, HartsRouting(HexMesh(2), 48)
        self.platform = SkewedResets("router_s", "injector_n", "ejector_n", "wire_", "stage_")
        plan = harts_plan(self.routing, packet_flits=BODY_FLITS + 1, link_cycles=link_cycles)
        self.top = NetworkTop(plan)
        self.whole = self.top.elaborate(self.platform)
        self.nodes = range(self.routing.mesh.nodes)

    async def lost_and_doubled(self, ctx) -> tuple[Counter, Counter]:
        """Reset all parts, release them one by one, send, and compare the deliveries with the expected ones."""
        releases = {name: self.numbers.randrange(1, LATEST_RELEASE) for name in self.platform.resets}
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
        for cycle in range(MAX_CYCLES):
            for name, release in releases.items():
                ctx.set(self.platform.resets[name], cycle < release)
            for source, messages in waiting.items():
                self._offer(ctx, source, messages, taken, words)
            quiet += 1
            for node in self.nodes:
                quiet = 0 if self._take(ctx, node, open_packets[node], got) else quiet
            await ctx.tick()
            if cycle > LATEST_RELEASE and quiet > QUIET_CYCLES:
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
        return tuple(source << 8 | number * BODY_FLITS + k for k in range(BODY_FLITS))

    def _offer(self, ctx, source, messages, taken, words):
        port = f"inject_n{source}"
        offers = taken[source] < len(messages)
        values = {
            "message_valid": offers,
            "message_header": messages[taken[source]][0] if offers else 0,
            "message_header_flits": 1,
            "message_flits": BODY_FLITS + 1,
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
