"""The network processor's program against the procedures, for every stored copy of a broadcast.

Meshes of up to five steps from the middle to the rim: in smaller ones no leg has a node that is neither the corner nor
next to it, or only one of them.
"""

from collections.abc import Iterator

import pytest

from rtl.harts.network import harts_plan
from rtl.harts.relay_rules import RelayRules, SendRules
from tests.rtl.simulate import run_combinational
from tests.sim_model.harts_traffic import harts_model
from topology.harts.broadcast import (
    ALGORITHM_A,
    ALGORITHMS,
    NO_TAG,
    Leg,
    algorithm_number,
    broadcast_copies,
    initial_legs,
    relayed_legs,
)
from topology.harts.header import HOST, PacketHeader

CASES = [(size, algorithm) for size in (2, 3, 4, 6) for algorithm in ALGORITHMS if size < 6 or algorithm != ALGORITHM_A]


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
def test_a_copy_is_sent_where_the_procedure_says(size, algorithm):
    assert wrong_outputs(size, algorithm) == []


@pytest.mark.parametrize(("size", "algorithm"), CASES)
def test_it_is_sent_with_the_header_of_its_leg(size, algorithm):
    assert wrong_headers(size, algorithm) == []


def test_large_meshes_have_copies_that_small_ones_do_not_have():
    """Those that turn without a tag, though they are not at the corner."""
    plain = [leg for header, legs in stored(4, "6-bcast") for leg in legs if header.distance == 1 and leg.tag == NO_TAG]
    assert plain
