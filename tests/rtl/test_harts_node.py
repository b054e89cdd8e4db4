"""Parts of a HARTS node: limits of packets, guards, relay rules and the decoder of routes."""

import itertools
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from amaranth.sim import Simulator

from rtl.harts import input_guard
from rtl.harts.network import harts_plan
from rtl.harts.parameters import HartsNodeParameters
from rtl.harts.relay_rules import RelayRules, SendRules
from rtl.harts.route_decoder import RouteDecoder
from rtl.harts.router import HartsNode
from tests.rtl.simulate import run, run_combinational
from tests.sim_model.builders import harts_model
from tests.tb.racks import mutated
from topology.harts.broadcast import (
    ALGORITHM_A,
    ALGORITHMS,
    SFBCAST,
    Leg,
    algorithm_number,
    broadcast_copies,
    initial_legs,
    relayed_legs,
)
from topology.harts.graph import DIRECTIONS
from topology.harts.guard import expected_arrivals
from topology.harts.header import HOST, PacketHeader


def test_a_node_has_no_guards_that_nobody_asked_for():
    """They do not change sound traffic, so no comparison would detect them; they cost LUTs."""
    assert HartsNodeParameters.whole_packets is False
    routing = harts_model(3).routing
    for asked, expected in ({}, False), ({"whole_packets": True}, True):
        plan = harts_plan(routing, packet_flits=2, **asked)
        node: HartsNode = next(iter(plan.shapes.values()))()
        assert ("misframed" in node.signature.members) == expected


def test_the_smallest_values_are_taken():
    parameters = parameters_of(2)
    least = {"packet_flits": 1, "buffer_flits": 1, "gap_frames": 1, "relay_frames": 1}
    assert replace(parameters, **least).buffer_flits == 1
    for name in least:
        with pytest.raises(ValueError, match="must be an integer from 1 to"):
            replace(parameters, **{name: 0})


# The guard of a mesh's links against all existing broadcasts, for every number in a header.

SIZES = (2, 3)
"""7 nodes, so that the one number to spare is the last one of 3 bits, and 19."""
READ_CYCLES = 3
MIN_DISTANCE = 1


def parameters_of(size: int):
    node: HartsNode = next(iter(harts_plan(harts_model(size, guard=True).routing, packet_flits=4).shapes.values()))()
    return node.parameters


def wrong_answers(guard, size: int) -> list[tuple[str, int, int]]:
    """Algorithm, claimed source and direction of packets for which the guard of node 1 is wrong."""
    model, wrong, node = harts_model(size, guard=True), [], 1
    mesh, layout = model.routing.mesh, model.routing.header
    sources = range(1 << dict(layout.fields)["source"])

    async def testbench(ctx):
        ctx.set(guard.node, node)
        ctx.set(guard.present, 1)
        for algorithm in ALGORITHMS:
            arrivals = expected_arrivals(mesh, algorithm) if algorithm != ALGORITHM_A else {}
            # the last direction is the host's own packets
            for source, direction in itertools.product(sources, range(DIRECTIONS + 1)):
                # for a number without a node, the arrivals that would be right if numbers continued round the mesh
                arrival = arrivals.get(((node - source) % mesh.nodes, direction))
                fields = arrival._asdict() if arrival else {"distance": MIN_DISTANCE, "stage": 1, "tag": 0}
                right = (arrival is not None and source < mesh.nodes) or direction == HOST
                for broadcast, honest in ((1, right), (0, True)):
                    header = PacketHeader(
                        broadcast=broadcast, algorithm=algorithm_number(algorithm), source=source, **fields
                    )
                    ctx.set(guard.header.as_value(), header.pack(layout))
                    ctx.set(guard.direction, direction)
                    for _ in range(READ_CYCLES):
                        await ctx.tick()
                    if (ctx.get(guard.known), ctx.get(guard.honest)) != (1, int(honest)):
                        wrong.append((algorithm, source, direction))

    run(guard, testbench)
    return wrong


@pytest.mark.parametrize("size", SIZES)
def test_only_arrivals_that_can_be_are_honest(size):
    assert wrong_answers(input_guard.InputGuard(parameters_of(size)), size) == []


@pytest.mark.parametrize(
    ("text", "replacement"),
    [
        ("self.header.source < p.nodes", "self.header.source <= p.nodes"),
        ("offset + p.nodes", "offset + p.nodes + 1"),
        ("~doubtful\n                | source_exists", "(~doubtful | source_exists)"),
    ],
)
def test_a_wrong_guard_is_seen(text, replacement):
    module = mutated(input_guard, text, replacement)
    assert wrong_answers(module.InputGuard(parameters_of(2)), 2)


# The network processor's program against the procedures, for every stored copy of a broadcast.

CASES = [(size, algorithm) for size in (2, 4) for algorithm in ALGORITHMS]
"""Large meshes have copies that small ones do not have: some turn without a tag, though they are not at the corner."""


def parts(size: int, algorithm: str) -> tuple[RelayRules, SendRules, object]:
    """Both halves of the program, and the header's layout."""
    routing = harts_model(size, algorithm_a=algorithm == ALGORITHM_A).routing
    node = next(iter(harts_plan(routing, packet_flits=4).shapes.values()))()
    return RelayRules(node.parameters), SendRules(node.parameters), routing.header


def stored(size: int, algorithm: str) -> Iterator[tuple[PacketHeader, tuple[Leg, ...]]]:
    """Headers of the packets that a node has stored, and the copies that it must send of each."""
    number, mesh = algorithm_number(algorithm), harts_model(size).routing.mesh
    yield PacketHeader(broadcast=1, algorithm=number), initial_legs(algorithm, size)
    seen = {(c.direction, c.stages, c.tag, c.steps_left) for c in broadcast_copies(mesh, algorithm, 0)}
    for direction, stage, tag, left in sorted(seen):
        legs = relayed_legs(algorithm, size, Leg(direction, left + 1, stage, tag), left)
        ahead = Leg(direction, left, stage, tag)
        for forwarded in (False, True) if left else (True,):
            header = PacketHeader(
                broadcast=1,
                algorithm=number,
                stage=stage,
                tag=tag,
                distance=left,
                direction=direction,
                forwarded=int(forwarded),
            )
            yield header, legs if forwarded else (*legs, ahead)


def wrong_outputs(size: int, algorithm: str) -> list[PacketHeader]:
    """Headers that the rules send to other outputs."""
    rules, _, layout = parts(size, algorithm)
    wrong = []

    async def testbench(ctx):
        for header, legs in stored(size, algorithm):
            ctx.set(rules.header.as_value(), header.pack(layout))
            outputs = {leg.direction for leg in legs} | ({HOST} if header.direction != HOST else set())
            if ctx.get(rules.outputs) != sum(1 << output for output in outputs):
                wrong.append(header)

    run_combinational(rules, testbench)
    return wrong


def wrong_headers(size: int, algorithm: str) -> list[tuple[PacketHeader, Leg]]:
    """Headers, and legs on which they are sent with other fields."""
    _, rules, layout = parts(size, algorithm)
    wrong = []

    async def testbench(ctx):
        for header, legs in stored(size, algorithm):
            for leg in legs:
                ctx.set(rules.header.as_value(), header.pack(layout))
                ctx.set(rules.output, leg.direction)
                sent = rules.sent
                if tuple(map(ctx.get, (sent.distance, sent.stage, sent.tag))) != (leg.distance, leg.stage, leg.tag):
                    wrong.append((header, leg))

    run_combinational(rules, testbench)
    return wrong


@pytest.mark.parametrize(("size", "algorithm"), CASES)
def test_a_copy_is_sent_where_the_procedure_says_with_the_header_of_its_leg(size, algorithm):
    assert wrong_outputs(size, algorithm) == []
    assert wrong_headers(size, algorithm) == []


# Route candidates of heads at a node, possible and impossible ones.

HEADS = 600


def expected(fields: dict[str, int], port: int, dead: int, levels: int) -> tuple[int, int]:
    """Mask of ways, and whether the packet is kept."""
    alive = (1 << DIRECTIONS) - 1 & ~dead
    at_end = port != HOST and fields["hops"] + 1 >= levels
    if not fields["broadcast"]:
        steps = [fields["m0"], fields["m1"], fields["m2"]]
        wanted = sum(1 << axis + 3 * (count < 0) for axis, count in enumerate(steps) if count)
        return 0 if at_end else wanted & alive, int(wanted == 0)
    if port == HOST:
        first = 1 if fields["algorithm"] == algorithm_number(ALGORITHM_A) else (1 << DIRECTIONS) - 1
        return 0, int(first & alive != 0)
    if fields["stage"] == 0 or (at_end and fields["distance"] != 1):
        return 0, 0
    return 0 if fields["distance"] == 1 else 1 << port & alive, 1


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("port", [0, 4, HOST])
def test_ways_of_heads(size, port):
    routing = harts_model(size).routing
    part = next(iter(harts_plan(routing, packet_flits=4).shapes.values()))()
    decoder, numbers = RouteDecoder(part.parameters), random.Random(size)
    layout = part.parameters.header_layout

    async def bench(ctx):
        for _ in range(HEADS):
            fields = {name: numbers.getrandbits(layout[name].width) for name in dict(layout)}
            dead = numbers.choice([0, 0, numbers.getrandbits(DIRECTIONS)])
            ctx.set(decoder.way, 0 if port == HOST else 1 << port)
            ctx.set(decoder.dead, dead)
            for name, value in fields.items():
                width = layout[name].width
                signed = name in ("m0", "m1", "m2")
                fields[name] = value - (1 << width) if signed and value >> width - 1 else value
                ctx.set(decoder.header[name], fields[name])
            await ctx.delay(1e-9)
            found = ctx.get(decoder.decoded.ways), ctx.get(decoder.decoded.kept)
            assert found == expected(fields, port, dead, routing.levels), fields
            if fields["broadcast"]:
                assert ctx.get(decoder.decoded.cuts) == (fields["algorithm"] != algorithm_number(SFBCAST))

    simulator = Simulator(decoder)
    simulator.add_testbench(bench)
    simulator.run()


# A node with a guard, and heads that come at any time.

PHASES, ARRIVAL_CYCLES = 8, 64


@pytest.mark.parametrize("honest", [True, False])
def test_a_guard_sees_heads_that_come_at_any_time(honest):
    """An honest neighbour sends in the same slot; one that does not gets no forged packet past the guard either."""
    model, node, direction = harts_model(2, guard=True), 1, 0
    layout = model.routing.header
    part: Any = HartsNode(parameters_of(2))
    arrivals = expected_arrivals(model.routing.mesh, "sbcast")
    of_source = {source: arrivals.get(((node - source) % model.network.nodes, direction)) for source in range(7)}
    source = next(source for source, arrival in of_source.items() if (arrival is not None) == honest and source != node)
    fields = of_source[source]._asdict() if honest else {"distance": 1, "stage": 1, "tag": 0}
    header = PacketHeader(broadcast=1, algorithm=algorithm_number("sbcast"), source=source, **fields).pack(layout)
    heads: list[int] = []

    async def bench(ctx):
        ctx.set(part.node, node)
        for d in range(DIRECTIONS):
            ctx.set(getattr(part, f"ahead_{d}"), 0b11)
        link: Any = part.inputs[direction]
        ctx.set(link.payload, {"data": header, "head": 1, "tail": 1})
        for _ in range(PHASES):
            await ctx.tick().repeat(ARRIVAL_CYCLES)
            ctx.set(link.valid, 1)
            await ctx.tick().until(link.ready)  # in the first cycle: the link is idle
            ctx.set(link.valid, 0)

    async def host(ctx):
        out: Any = part.outputs[HOST]
        ctx.set(out.ready, 1)
        async for _, _, valid, head in ctx.tick().sample(out.valid, out.payload.head):
            heads.extend([1] * (valid and head))

    simulator = Simulator(part)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.add_process(host)
    simulator.run_until(1e-6 * (PHASES + 2) * (ARRIVAL_CYCLES + 8))
    assert len(heads) == (PHASES if honest else 0)
