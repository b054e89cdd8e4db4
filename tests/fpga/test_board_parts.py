"""The smaller parts of a self-test, each against a few lines of Python."""

import random

import pytest

from fpga.boards.common.descriptors import draw_descriptors, pack_rows, row_layout
from fpga.boards.common.parameters import SelfTestParameters, parameters_at
from fpga.boards.common.self_test import BitFlip, SelfTest
from fpga.boards.common.supervisor import Supervisor
from rtl.spam.network import spam_plan
from tests.each import each
from tests.fpga.board_runner import make_test, parameters, routing_of
from tests.rtl.simulate import run
from topology.common.graph import Network
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import HypercubeRouting


def star() -> Network:
    return Network(1, [], [0, 0, 0, 0])


def test_one_word_is_flipped_per_press():
    part, generator = BitFlip(16), random.Random(3)
    presses = {20, 21, 22, 60, 90}  # the first three are one

    async def testbench(ctx):
        number, flipped, waiting = 0, [], None
        for cycle in range(150):
            ctx.set(part.inject, cycle in presses)
            ctx.set(part.i.payload, 2 * number)
            ctx.set(part.i.valid, 1)
            ctx.set(part.o.ready, generator.random() < 0.4)
            word = ctx.get(part.o.payload)
            assert waiting in (None, word)  # a word holds until it moves
            assert word >> 1 == number
            moved = ctx.get(part.o.ready)
            waiting = None if moved else word
            if moved and word & 1:
                flipped.append(number)
            number += moved
            await ctx.tick()
        assert len(flipped) == 3

    run(part, testbench)


SOUND = {"messages": 5, "deliveries": 9, "expected": 9, "errors": 0, "delivered_seeds": 7, "expected_seeds": 7}


@each(
    "changes, passed",
    [
        ({}, True),
        ({"messages": 6}, True),
        ({"messages": 4}, False),
        ({"deliveries": 8}, False),
        ({"deliveries": 10}, False),
        ({"delivered_seeds": 8}, False),
        ({"errors": 1}, False),
    ],
)
def test_the_verdict(changes, passed):
    part = Supervisor(2, parameters(messages=5, cycles_per_line=100))

    async def testbench(ctx):
        for name, value in (SOUND | changes).items():
            ctx.set(getattr(part, name), value)
        reports, ended = [], None
        for cycle in range(600):
            ctx.set(part.flits, cycle == 20)
            if ctx.get(part.report):
                reports.append(cycle)
            if ended is None and not ctx.get(part.running):
                ended = cycle
            await ctx.tick()
        assert 20 + 256 < ended < 20 + 256 + 8
        assert reports == sorted({100, 200, 300, 400, 500, ended})
        assert ctx.get(part.cycles) == ended
        assert (ctx.get(part.passed), ctx.get(part.failed)) == (passed, not passed)
        assert ctx.get(part.enable) == (changes.get("messages") == 4)

    run(part, testbench)


def test_descriptors_are_mixed_and_right():
    routing = routing_of(star(), 8)
    for source, rows in enumerate(draw_descriptors(routing, 4, 8)):
        assert [row.destinations for row in rows[:5]] == [1, 1, 1, 1, 3]
        for row in rows:
            (_, sender), bits = routing.header.unpack(row.header)
            assert sender == source
            assert bits.bit_count() == (row.destinations if row.destinations > 1 else 0)
            assert not bits >> source & 1
    table = pack_rows(routing.header, rows)
    assert table.bit_length() <= 8 * row_layout(routing.header).size
    assert draw_descriptors(routing, 4, 8, seed=1) == draw_descriptors(routing, 4, 8)
    with pytest.raises(ValueError, match="A self-test needs at least 2 processors, not 1"):
        draw_descriptors(routing_of(Network(1, [], [0]), 8), 1, 8)


@each(
    "changes, message",
    [
        ({"messages": 0}, "Number of messages is 0; it must be 1 to 4294967295"),
        ({"cycles_per_bit": 1}, "Cycles per bit is 1; it must be 2 to 1048576"),
        ({"cycles_per_line": 15}, "Cycles per line is 15; it must be 16 to 1099511627776"),
        ({"quiet_cycles": 255}, "Quiet cycles is 255; it must be 256 to 1099511627776"),
        ({"descriptors": 1}, "Number of descriptors is 1; it must be 2 to 256"),
        ({"descriptors": 12}, "Number of descriptors is 12; it must be a power of two"),
    ],
)
def test_parameters_out_of_range(changes, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        parameters(**changes)


def test_parameters_of_a_clock():
    assert parameters_at(12_000_000, 7, 4) == SelfTestParameters(7, 104, 12_000_000, descriptors=4)


def test_descriptors_must_fit_the_network():
    routing = routing_of(star(), 16)
    with pytest.raises(ValueError, match="Descriptors must be 8 for each of 4 processors"):
        SelfTest(spam_plan(routing), draw_descriptors(routing, 4, 16), parameters())
    assert make_test(routing, parameters()).module_name == "self_test"


def test_processors_with_several_injection_channels_are_refused():
    routing = HypercubeRouting(HypercubeNetwork(2, 2, 2), 16)
    with pytest.raises(ValueError, match="A self-test needs 1 injection channel per processor, not 2"):
        make_test(routing, parameters())
