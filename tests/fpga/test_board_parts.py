"""The smaller parts of a self-test, each against a few lines of Python."""

import random
from functools import reduce
from operator import xor
from typing import Any

import pytest

from fpga.boards.common.descriptors import draw_descriptors, pack_rows, row_layout
from fpga.boards.common.generator import (
    RANDOM_BITS,
    RandomBits,
    TrafficGenerator,
    message_words,
    next_state,
    seed_words,
)
from fpga.boards.common.parameters import TOTAL_BITS, SelfTestParameters, parameters_at
from fpga.boards.common.report_line import FIELDS, DecimalDigits, ReportLine, UartTransmitter
from fpga.boards.common.self_test import BitFlip, SelfTest, Total
from fpga.boards.common.supervisor import Supervisor
from rtl.spam.network import spam_plan
from tests.each import each
from tests.fpga.board_runner import make_test, parameters, read_line, receive, routing_of
from tests.rtl.simulate import run
from tests.tb.workloads import injecting_plan, injecting_routing
from topology.common.graph import Network


def star() -> Network:
    return Network(1, [], [0, 0, 0, 0])


def test_random_bits_are_those_of_the_polynomial():
    part = RandomBits()

    async def testbench(ctx):
        state = 0xDEAD_BEEF
        ctx.set(part.start, state)
        assert ctx.get(part.bits) == 0
        for _ in range(200):
            await ctx.tick()
            assert ctx.get(part.bits) == state & (1 << RANDOM_BITS) - 1
            state = next_state(state)

    run(part, testbench)


@pytest.mark.parametrize(("nodes", "bits", "total_bits"), [(1, 1, 8), (2, 16, 16), (5, 1, 40), (16, 4, 9)])
def test_totals(nodes, bits, total_bits):
    part, generator = Total(nodes, bits, total_bits), random.Random(nodes)

    async def testbench(ctx):
        total = 0
        for _ in range(60):
            numbers = [generator.randrange(1 << bits) for _ in range(nodes)]
            ctx.set(part.numbers, sum(number << i * bits for i, number in enumerate(numbers)))
            total += sum(numbers)
            await ctx.tick()
        ctx.set(part.numbers, 0)
        for _ in range((nodes - 1).bit_length()):
            await ctx.tick()
        assert ctx.get(part.total) == total % (1 << total_bits)

    run(part, testbench)


@pytest.mark.parametrize("cycles_per_bit", [2, 5])
def test_a_serial_line(cycles_per_bit):
    part, text, bits = UartTransmitter(cycles_per_bit), "U\x00\x7f ok", []

    async def testbench(ctx):
        await ctx.tick()
        for character in text:
            ctx.set(part.characters.payload, ord(character))
            ctx.set(part.characters.valid, 1)
            taken = False
            while not taken:
                taken = bool(ctx.get(part.characters.ready))
                bits.append(ctx.get(part.tx))
                await ctx.tick()
            ctx.set(part.characters.valid, 0)
        for _ in range(12 * cycles_per_bit):
            bits.append(ctx.get(part.tx))
            await ctx.tick()

    run(part, testbench)
    assert bits[0] == bits[-1] == 1
    assert receive(bits, cycles_per_bit) == text


def test_decimal_digits():
    part, generator = DecimalDigits(TOTAL_BITS), random.Random(1)
    numbers = [0, 9, 10, 4999, (1 << TOTAL_BITS) - 1, *(generator.randrange(1 << TOTAL_BITS) for _ in range(3))]

    async def testbench(ctx):
        for number in numbers:
            ctx.set(part.number, number)
            ctx.set(part.start, 1)
            await ctx.tick()
            ctx.set(part.start, 0)
            digits, done = "", False
            while not done:
                ctx.set(part.digits.ready, generator.randrange(2))
                if ctx.get(part.digits.valid & part.digits.ready):
                    digits += str(ctx.get(part.digits.payload))
                done = bool(ctx.get(part.done))
                await ctx.tick()
            assert digits == str(number)

    run(part, testbench)


async def read_text(ctx: Any, part: Any, generator: random.Random) -> str:
    """The next line of a part with a stream of characters, from a reader that is not always ready."""
    text = ""
    while not text.endswith("\r\n"):
        ctx.set(part.characters.ready, generator.randrange(2))
        if ctx.get(part.characters.valid & part.characters.ready):
            text += chr(ctx.get(part.characters.payload))
        await ctx.tick()
    return text


def test_report_lines():
    part, generator = ReportLine(), random.Random(2)

    async def testbench(ctx):
        for passed, failed, state in ((0, 0, "BUSY"), (1, 0, "PASS"), (0, 1, "FAIL"), (1, 1, "FAIL")):
            values = [generator.randrange(1 << generator.randrange(TOTAL_BITS + 1)) for _ in FIELDS]
            ctx.set(part.values, sum(value << TOTAL_BITS * i for i, value in enumerate(values)))
            ctx.set(part.passed, passed)
            ctx.set(part.failed, failed)
            ctx.set(part.start, 1)
            await ctx.tick()
            await ctx.tick()  # the second start comes while the line is written: another line follows
            ctx.set(part.start, 0)
            for _ in range(2):
                line = read_line((await read_text(ctx, part, generator)).removesuffix("\r\n"))
                assert line == {**dict(zip(FIELDS, values, strict=True)), "state": state}

    run(part, testbench)


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


@pytest.mark.parametrize("flit_bits", [8, 24])
def test_a_generator_sends_what_the_format_says(flit_bits):
    routing, rows, source = routing_of(star(), flit_bits), 8, 2
    header = routing.header
    descriptors = draw_descriptors(routing, 4, rows)[source]
    part, generator = TrafficGenerator(header, rows), random.Random(4)

    async def testbench(ctx):
        ctx.set(part.table, pack_rows(header, descriptors))
        told = dict.fromkeys(("sent", "expected", "expected_seed"), 0)
        due = dict(told)

        async def tick():
            ctx.set(part.random, generator.randrange(1 << RANDOM_BITS))
            await ctx.tick()
            for name in told:
                told[name] += ctx.get(getattr(part, name))

        ctx.set(part.enable, 1)
        for _ in range(20):
            while not ctx.get(part.message.valid):
                await tick()
            offer = ctx.get(part.message.payload)
            seed = await _receive(ctx, part, tick, offer, header, descriptors)
            due["sent"] += 1
            due["expected"] += descriptors[seed % rows].destinations
            due["expected_seed"] += descriptors[seed % rows].destinations * seed
        ctx.set(part.enable, 0)
        was_ready = ctx.get(part.message.valid)
        for _ in range(100):
            await tick()
            assert ctx.get(part.message.valid) == was_ready
        assert told == due

    run(part, testbench)


async def _receive(ctx, part, tick, offer, header, descriptors) -> int:
    """Take one message as an injector does, compare it with its seed, and return the seed."""
    ctx.set(part.message.ready, 1)
    await tick()
    ctx.set(part.message.ready, 0)
    flits = header.to_flits(offer.header, offer.header_flits)
    while len(flits) < offer.flits:
        ready = ctx.get(part.random) & 1
        ctx.set(part.payload.ready, ready)
        if ready:
            flits.append(ctx.get(part.payload.payload))
        await tick()
    ctx.set(part.payload.ready, 0)
    words = seed_words(header.flit_bits)
    flits_of_seed = flits[offer.header_flits : offer.header_flits + words]
    flits_of_seed[0] ^= reduce(xor, flits[: offer.header_flits])
    seed = sum(word << k * header.flit_bits for k, word in enumerate(flits_of_seed))
    row = descriptors[seed % len(descriptors)]
    assert flits == message_words(header, row.header, row.header_flits, seed)
    return seed


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
        ({"messages": 0}, "Number of messages must be 1 to 4294967295, not 0"),
        ({"cycles_per_bit": 1}, "Cycles per bit must be 2 to 1048576, not 1"),
        ({"cycles_per_line": 15}, "Cycles per line must be 16 to 1099511627776, not 15"),
        ({"quiet_cycles": 255}, "Quiet cycles must be 256 to 1099511627776, not 255"),
        ({"descriptors": 1}, "Number of descriptors must be 2 to 256, not 1"),
        ({"descriptors": 12}, "Number of descriptors must be a power of two, not 12"),
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
    routing, settings = injecting_routing(1, 3, 2, wraps=False), parameters()
    with pytest.raises(ValueError, match="A self-test needs 1 injection channel per processor, not 2"):
        make_test(routing, settings, injecting_plan(routing))
