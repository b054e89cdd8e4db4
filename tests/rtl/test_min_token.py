"""Tokens that are lost or doubled show on the status outputs of the network."""

from dataclasses import replace
from itertools import pairwise

import pytest

from rtl.generator.network import NetworkTop
from rtl.generator.plan import NetworkPlan, RouterInstance
from rtl.min.network import min_plan
from tests.rtl.simulate import run
from topology.min.graph import MinNetwork
from topology.min.routing import MinRouting

CYCLES = 20


def plan_with_tokens(starts: dict[int, int], link_cycles: int) -> NetworkPlan:
    """A network of 8 nodes in which some switches begin with another number of tokens than they should."""
    plan = min_plan(MinRouting(MinNetwork("baseline", 2, 3), 16), link_cycles=link_cycles)
    instances = [
        RouterInstance(
            instance.shape, {**instance.constants, "starts_here": starts.get(switch, instance.constants["starts_here"])}
        )
        for switch, instance in enumerate(plan.routers)
    ]
    return replace(plan, routers=tuple(instances))


@pytest.mark.parametrize("link_cycles", [1, 3])
@pytest.mark.parametrize(
    ("starts", "lost", "duplicated"),
    [
        ({}, 0, 0),
        ({0: 0}, 0b1, 0),  # the ring of stage 0
        ({4: 0, 6: 0}, 0b110, 0),  # both rings of stage 1
        ({3: 1}, 0, 0b1),
        ({5: 1, 11: 0}, 0b1000000, 0b10),
    ],
)
def test_status_outputs(starts, lost, duplicated, link_cycles):
    """A token in the register of a wire is not lost."""
    top = NetworkTop(plan_with_tokens(starts, link_cycles))
    seen = []

    async def testbench(ctx):
        for _ in range(CYCLES):
            seen.append((ctx.get(top.token_lost), ctx.get(top.token_duplicated)))
            await ctx.tick()

    run(top, testbench)
    assert seen[0] == (0, 0)
    assert seen[-1] == (lost, duplicated)
    changes = [first for first, second in pairwise(seen) if first != second]
    assert len(changes) <= 1  # reported until reset
