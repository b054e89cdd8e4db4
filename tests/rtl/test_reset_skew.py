"""Routers, injectors and ejectors that leave reset in different cycles: no flit is lost, duplicated or misplaced.

Only what counts cycles together has to leave reset together (docs/look_up/timing.md): what belongs to a token ring
until the token comes (``test_token_reset_skew.py``). Nodes of a hexagonal mesh are in ``test_mesh_reset_skew.py``.
"""

import random

import pytest

from rtl.generator.network import NetworkTop
from rtl.min.network import min_plan
from rtl.spam.network import spam_plan
from tests.rtl.simulate import run
from tests.rtl.skewed_resets import SkewedResets
from topology.common.graph import Network
from topology.min.graph import MinNetwork
from topology.min.routing import MinRouting
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

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


@pytest.mark.parametrize("offered_from", [0, 2 * LATEST_RELEASE], ids=["traffic-already-offered", "before-any-traffic"])
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
