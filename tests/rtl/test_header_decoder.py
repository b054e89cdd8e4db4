"""Decoding of headers of parts in a switch, valid and forged ones, flit by flit."""

import random

import pytest

from rtl.generator.router_parameters import RouterParameters
from rtl.min.parameters import MinRouterParameters
from rtl.routed.header_decoder import HeaderDecoder
from rtl.routed.route_unit import RouteUnit
from rtl.spam.parameters import SpamRouterParameters
from tests.rtl.simulate import run
from topology.common.part_headers import PartsFormat

MESSAGES = 600
FIELDS = (("key", 4), ("source", 5))


def spam_shape(processors: int, flit_bits: int) -> RouterParameters:
    """Three ports; keys below three are those of multicasts, and numbers from 3 + processors on are unused."""
    return SpamRouterParameters(3, 3 + processors, header=PartsFormat(FIELDS, processors, flit_bits))


def min_shape(processors: int, flit_bits: int) -> RouterParameters:
    """Four outputs; the last key is that of multicasts."""
    header = PartsFormat(FIELDS, processors, flit_bits)
    return MinRouterParameters(2, 4, processors + 1, 1, header=header)


SHAPES = {
    "fields-of-one-flit": spam_shape(12, 9),  # three parts of four; a fourth one does not exist
    "fields-of-two-flits": spam_shape(13, 8),  # and the last part has one processor
    "one-part": spam_shape(5, 32),
    "min": min_shape(15, 8),
}


def meaning(
    parameters: RouterParameters, routes: list[int], reach: list[int], flits: list[int]
) -> list[tuple[int, ...]]:
    """Candidates, branches and ``last`` of each flit of a message, up to the last one that is decoded."""
    header, decoded = parameters.header, []
    assert isinstance(header, PartsFormat)
    key = flits[0] & (1 << parameters.key_bits) - 1
    candidates = routes[key] if key < len(routes) else 0
    splits = not candidates and key in parameters.multicast_keys
    for position, flit in enumerate(flits):
        is_tail, in_set = position == len(flits) - 1, splits and position >= header.unicast_flits
        size = header.part_processors
        part, bits = flit >> size & (1 << header.part_bits) - 1, flit & (1 << size) - 1
        named = bits << part * size if in_set else 0
        says_last = in_set and (flit >> header.last_bit & 1 or position == header.multicast_flits - 1)
        last = bool(says_last or is_tail or (position == 0 and not splits))
        branches = sum(1 << o for o, mask in enumerate(reach) if named & mask)
        decoded.append((candidates if position == 0 else 0, branches, int(last)))
        if last:
            break
    return decoded


@pytest.mark.parametrize("name", SHAPES)
def test_headers_honest_and_forged(name):
    parameters = SHAPES[name]
    header, numbers = parameters.header, random.Random(1)
    decoder = HeaderDecoder(parameters)
    routes = [numbers.choice([0, 1, 2, 5]) for _ in range(parameters.keys)]
    routes[parameters.multicast_keys[-1]] = 0  # some split here
    reach = [numbers.getrandbits(parameters.processors) for _ in range(parameters.outputs)]
    by_part = sum(
        (mask >> word.processors.start & (1 << len(word.processors)) - 1) << (row * len(reach) + o) * word.bits
        for row, word in enumerate(header.set_words)
        for o, mask in enumerate(reach)
    )
    seen = {"last part": 0, "no last part": 0, "no such part": 0, "cut short": 0}

    def message() -> list[int]:
        key = numbers.choice([numbers.choice(parameters.multicast_keys), numbers.randrange(1 << parameters.key_bits)])
        destinations = numbers.sample(range(parameters.processors), numbers.randint(2, parameters.processors))
        value = header.pack((key, 3), sum(1 << destination for destination in destinations))
        flits = header.to_flits(value, header.flits_of(destinations))
        kept = len(flits) if numbers.random() < 0.3 else numbers.randint(1, len(flits))
        noise = [numbers.getrandbits(header.flit_bits) for _ in range(numbers.randrange(2 * header.multicast_flits))]
        return [*flits[:kept], *noise]

    async def testbench(ctx):
        ctx.set(decoder.routes, sum(mask << key * parameters.outputs for key, mask in enumerate(routes)))
        ctx.set(decoder.reach, by_part)
        for _ in range(MESSAGES):
            flits = message()
            due = meaning(parameters, routes, reach, flits)
            for position, flit in enumerate(flits):
                ctx.set(decoder.data, flit & (1 << parameters.scan_bits) - 1)
                ctx.set(decoder.head, position == 0)
                ctx.set(decoder.tail, position == len(flits) - 1)
                for moved in (0, 1) if numbers.random() < 0.3 else (1,):  # a flit may wait on the link
                    ctx.set(decoder.moved, moved)
                    if position < len(due):
                        found = ctx.get(decoder.decoded)
                        assert (found.candidates, found.branches, found.last) == due[position], (flits, position)
                    await ctx.tick()
            count_kinds(flits, due)

    def count_kinds(flits: list[int], due: list[tuple[int, ...]]) -> None:
        ended = flits[len(due) - 1]
        if len(due) <= header.unicast_flits:
            return
        seen["cut short"] += len(due) == len(flits)
        seen["last part"] += ended >> header.last_bit & 1
        seen["no last part"] += len(due) == header.multicast_flits and not ended >> header.last_bit & 1
        numbers_named = [flit >> header.part_processors & (1 << header.part_bits) - 1 for flit in flits[: len(due)]]
        seen["no such part"] += any(number >= header.parts for number in numbers_named[header.unicast_flits :])

    run(decoder, testbench)
    if header.parts == 1 << header.part_bits:
        del seen["no such part"]
    assert all(count > 5 for count in seen.values()), seen


@pytest.mark.parametrize("name", SHAPES)
def test_rows_are_as_wide_as_parts(name):
    parameters = SHAPES[name]
    header = parameters.header
    assert parameters.reach_bits == parameters.outputs * header.part_processors * header.parts
    assert parameters.depth == header.unicast_flits + header.parts - 1 + parameters.buffer_flits
    assert len(RouteUnit(parameters).arriving[0]) == parameters.scan_bits <= header.flit_bits
