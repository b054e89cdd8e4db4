"""A node drops packets that have travelled over the maximum number of links, for any header."""

import pytest

from rtl.harts.network import harts_plan
from rtl.harts.parameters import HartsNodeParameters
from rtl.harts.router import HartsNode
from tests.rtl.simulate import run
from tests.sim_model.harts_traffic import harts_model
from topology.harts.broadcast import algorithm_number
from topology.harts.frame import SLOTS
from topology.harts.graph import DIRECTIONS
from topology.harts.header import HOST, PacketHeader

SIZE = 3
FRAMES = 12
LONGEST = 2 * (SIZE - 1)
OVERFLOWING = 7  # the highest number of links that the header has room for


def outputs_of(header: PacketHeader) -> tuple[set[int], bool]:
    """Where a packet of one flit that comes in direction 0 leaves a node; and a bit that it is reported drained."""
    routing = harts_model(SIZE).routing
    assert routing.levels == LONGEST
    plan = harts_plan(routing, packet_flits=2)
    node: HartsNode = next(iter(plan.shapes.values()))()
    seen, drained = set(), []

    async def testbench(ctx):
        for direction in range(DIRECTIONS):
            ctx.set(getattr(node, f"ahead_{direction}"), 0b11)
        for link in node.outputs:
            ctx.set(link.ready, 1)
        link, sent = node.inputs[0], False
        for cycle in range(FRAMES * SLOTS):
            offered = not sent and cycle >= 2 * SLOTS
            ctx.set(link.valid, offered)
            ctx.set(link.payload.data, header.pack(routing.header))
            ctx.set(link.payload.head, 1)
            ctx.set(link.payload.tail, 1)
            sent = sent or bool(offered and ctx.get(link.ready))
            seen.update(o for o in range(HOST + 1) if ctx.get(node.outputs[o].valid))
            drained.append(ctx.get(node.discarding))
            await ctx.tick()

    run(node, testbench)
    assert set(drained) <= {0, 1}
    return seen, any(drained)


def copy(hops: int, *, stage: int = 1, distance: int = 1) -> PacketHeader:
    """A copy of a broadcast by the procedure that turns everywhere."""
    return PacketHeader(broadcast=1, algorithm=algorithm_number("6-bcast"), stage=stage, distance=distance, hops=hops)


def test_a_copy_with_links_to_go_turns():
    seen, drained = outputs_of(copy(LONGEST - 2))
    assert seen > {HOST}
    assert not drained


@pytest.mark.parametrize("hops", [LONGEST - 1, LONGEST, OVERFLOWING])
def test_a_copy_that_has_come_far_enough_is_for_the_host_alone(hops):
    assert outputs_of(copy(hops)) == ({HOST}, False)


@pytest.mark.parametrize("header", [copy(LONGEST - 1, distance=2), copy(OVERFLOWING, distance=2), copy(0, stage=0)])
def test_a_copy_that_cannot_be_is_drained(header):
    assert outputs_of(header) == (set(), True)


@pytest.mark.parametrize(("hops", "outputs"), [(LONGEST - 2, {0}), (LONGEST - 1, set()), (OVERFLOWING, set())])
def test_an_ordinary_packet(hops, outputs):
    assert outputs_of(PacketHeader(m0=1, hops=hops)) == (outputs, not outputs)


def test_a_node_has_no_guards_that_nobody_asked_for():
    """They do not change sound traffic, so no comparison would detect them; they cost LUTs."""
    assert HartsNodeParameters.whole_packets is False
    routing = harts_model(SIZE).routing
    for asked, expected in ({}, False), ({"whole_packets": True}, True):
        plan = harts_plan(routing, packet_flits=2, **asked)
        node: HartsNode = next(iter(plan.shapes.values()))()
        assert ("misframed" in node.signature.members) == expected
