"""The guard of a mesh's links against all existing broadcasts, for every number in a header.

Networks send numbers of nodes that there are. The first one after them is where a limit that is off by one shows.
"""

import itertools

import pytest

from rtl.harts import input_guard
from rtl.harts.network import harts_plan
from rtl.harts.router import HartsNode
from tests.rtl.simulate import run
from tests.sim_model.harts_traffic import harts_model
from tests.tb.parts_runner import mutated
from topology.harts.broadcast import ALGORITHM_A, ALGORITHMS, algorithm_number
from topology.harts.graph import DIRECTIONS
from topology.harts.guard import expected_arrivals
from topology.harts.header import PacketHeader

SIZES = (2, 3)
"""7 nodes, so that the one number to spare is the last one of 3 bits, and 19."""
READ_CYCLES = 3
MIN_DISTANCE = 1


def parameters_of(size: int):
    node: HartsNode = next(iter(harts_plan(harts_model(size, guard=True).routing, packet_flits=4).shapes.values()))()
    return node.parameters


def wrong_answers(guard, size: int) -> list[tuple[str, int, int]]:
    """Algorithm, claimed source and direction of broadcasts for which the guard of node 1 is wrong."""
    model, wrong, node = harts_model(size, guard=True), [], 1
    mesh, layout = model.routing.mesh, model.routing.header
    sources = range(1 << dict(layout.fields)["source"])

    async def testbench(ctx):
        ctx.set(guard.node, node)
        ctx.set(guard.present, 1)
        for algorithm in ALGORITHMS:
            arrivals = expected_arrivals(mesh, algorithm) if algorithm != ALGORITHM_A else {}
            for source, direction in itertools.product(sources, range(DIRECTIONS)):
                # for a number without a node, the arrivals that would be right if numbers continued round the mesh
                arrival = arrivals.get(((node - source) % mesh.nodes, direction))
                fields = arrival._asdict() if arrival else {"distance": MIN_DISTANCE, "stage": 1, "tag": 0}
                header = PacketHeader(broadcast=1, algorithm=algorithm_number(algorithm), source=source, **fields)
                ctx.set(guard.header.as_value(), header.pack(layout))
                ctx.set(guard.direction, direction)
                for _ in range(READ_CYCLES):
                    await ctx.tick()
                honest = arrival is not None and source < mesh.nodes
                if (ctx.get(guard.known), ctx.get(guard.honest)) != (1, int(honest)):
                    wrong.append((algorithm, source, direction))

    run(guard, testbench)
    return wrong


@pytest.mark.parametrize("size", SIZES)
def test_only_arrivals_that_can_be_are_honest(size):
    assert wrong_answers(input_guard.InputGuard(parameters_of(size)), size) == []


@pytest.mark.parametrize(
    ("text", "replacement"),
    [("self.header.source < p.nodes", "self.header.source <= p.nodes"), ("offset + p.nodes", "offset + p.nodes + 1")],
)
def test_a_limit_that_is_off_by_one_is_seen(text, replacement):
    module = mutated(input_guard, text, replacement)
    assert wrong_answers(module.InputGuard(parameters_of(2)), 2)
