"""Interface of a manager: the packets that it sends, and the answers that it gives."""

from dataclasses import replace
from typing import Any

import pytest

from rtl.axi4.manager import ManagerInterface
from tests.rtl.simulate import run
from topology.axi4.address_map import AddressMap, Region, Window
from topology.axi4.words import DECERR, FIXED, INCR, SLVERR, WRAP, Axi4Format

REQUEST_BITS, RESPONSE_BITS = 36, 34
SIZE = 0x1000
REGIONS = [Region(p, p * SIZE, SIZE) for p in (1, 4, 6)]
WINDOW = Window((1, 4, 6), 0x10000, SIZE)
AREAS = AddressMap(REGIONS, [WINDOW])
AXI = Axi4Format(8, id_bits=2, windows=1)
MAX_CYCLES = 2_000
Packet = tuple[int, list[int]]
"""Destination and words."""


def manager(**options: Any) -> ManagerInterface:
    """An interface of a network with a window."""
    return ManagerInterface(AXI, AREAS, REQUEST_BITS, RESPONSE_BITS, **options)


def tie(ctx: Any, part: Any, node: int) -> None:
    receivers = [len(AREAS.receivers(target, node)) for target in range(len(AREAS.areas))]
    ctx.set(part.node, node)
    ctx.set(part.reachable, sum(bool(count) << i for i, count in enumerate(receivers)))
    ctx.set(part.receivers, receivers[-1])


async def handshake(ctx: Any, ready: Any) -> None:
    """Wait for the end of the first cycle with a signal."""
    for _ in range(MAX_CYCLES):
        done = ctx.get(ready)
        await ctx.tick()
        if done:
            return
    raise AssertionError(f"no {ready!r} within {MAX_CYCLES} cycles")


async def wait_for(ctx: Any, valid: Any) -> None:
    """Wait for a cycle with a signal; it has not passed."""
    for _ in range(MAX_CYCLES):
        if ctx.get(valid):
            return
        await ctx.tick()
    raise AssertionError(f"no {valid!r} within {MAX_CYCLES} cycles")


async def offer(ctx: Any, part: Any, channel: str, **fields: int) -> None:
    """Give one beat of a channel."""
    for name, value in fields.items():
        ctx.set(getattr(part, f"{channel}{name}"), value)
    ctx.set(getattr(part, f"{channel}valid"), 1)
    await handshake(ctx, getattr(part, f"{channel}ready"))
    ctx.set(getattr(part, f"{channel}valid"), 0)


async def request(
    ctx: Any, part: Any, channel: str, address: int, beats: int, number: int = 0, size: int = 2, burst: int = INCR
) -> None:
    await offer(ctx, part, channel, addr=address, len=beats - 1, size=size, burst=burst, id=number)


async def give_data(ctx: Any, part: Any, data: list[int]) -> None:
    for i, word in enumerate(data):
        await offer(ctx, part, "w", data=word, strb=15, last=int(i == len(data) - 1))


async def packets(ctx: Any, part: Any, count: int) -> list[Packet]:
    """Take packets, with pauses."""
    taken: list[Packet] = []
    words: list[int] = []
    destination = 0
    for cycle in range(MAX_CYCLES):
        ready = cycle % 3 != 0
        ctx.set(part.request_tready, ready)
        if ready and ctx.get(part.request_tvalid):
            if not words:
                destination = ctx.get(part.request_tdest)
            words.append(ctx.get(part.request_tdata))
            if ctx.get(part.request_tlast):
                taken.append((destination, words))
                words = []
        await ctx.tick()
        if len(taken) == count:
            ctx.set(part.request_tready, 0)
            return taken
    raise AssertionError(f"{len(taken)} packets within {MAX_CYCLES} cycles, not {count}")


def fields_of_packet(words: list[int], axi: Axi4Format = AXI, word_bits: int = REQUEST_BITS) -> dict[str, int]:
    """The fields of a request."""
    row = sum(word << i * word_bits for i, word in enumerate(words[: axi.request_words(word_bits)]))
    found = {}
    for name, bits in axi.request_fields:
        found[name] = row & (1 << bits) - 1
        row >>= bits
    return found


def data_of_packet(words: list[int]) -> list[int]:
    return [word & 0xFFFFFFFF for word in words[AXI.request_words(REQUEST_BITS) :]]


async def respond_read(ctx: Any, part: Any, slot: int, data: list[int]) -> None:
    """Give the response of a read; its words follow each other."""
    ctx.set(part.response_tvalid, 1)
    for i, word in enumerate([1 | slot << 1, *data]):
        ctx.set(part.response_tdata, word)
        ctx.set(part.response_tlast, int(i == len(data)))
        await handshake(ctx, part.response_tready)
    ctx.set(part.response_tvalid, 0)


async def respond(ctx: Any, part: Any, slot: int, response: int) -> None:
    """Give the response of a write."""
    ctx.set(part.response_tdata, slot << 1 | response << 1 + AXI.slot_bits)
    ctx.set(part.response_tlast, 1)
    ctx.set(part.response_tvalid, 1)
    await handshake(ctx, part.response_tready)
    ctx.set(part.response_tvalid, 0)


@pytest.mark.parametrize("node", [0, 4])
def test_without_multicasts_a_window_gets_a_copy_for_each_receiver(node):
    """The data of the next write, which is in the store too, come behind those of the last copy."""
    part = manager(copies=True)
    receivers = [p for p in WINDOW.processors if p != node]
    first, second = list(range(100, 105)), [7]

    async def give(ctx: Any) -> None:
        tie(ctx, part, node)
        await request(ctx, part, "aw", WINDOW.base + 0x20, len(first), number=1)
        await give_data(ctx, part, first)
        await give_data(ctx, part, second)
        await request(ctx, part, "aw", SIZE * 6 + 4, len(second), number=2)

    async def take(ctx: Any) -> None:
        sent = await packets(ctx, part, len(receivers) + 1)
        assert [destination for destination, _ in sent] == [*receivers, 6]
        fields = [fields_of_packet(words) for _, words in sent]
        assert [(f["multicast"], f["addr"]) for f in fields] == [(1, 0x20)] * len(receivers) + [(0, SIZE * 6 + 4)]
        assert len({f["slot"] for f in fields[:-1]}) == 1
        assert [data_of_packet(words) for _, words in sent] == [first] * len(receivers) + [second]
        ctx.set(part.bready, 1)
        for i in range(len(receivers)):
            assert not ctx.get(part.bvalid)
            await respond(ctx, part, fields[0]["slot"], SLVERR if i == 0 else 0)
        await handshake(ctx, part.bvalid)
        assert not ctx.get(part.bvalid)  # one answer

    run(part, give, take)


@pytest.mark.parametrize("copies", [False, True])
def test_a_long_write_is_cut_and_answered_once(copies):
    """Its address is not aligned; another write follows. The answers to the first pieces come before the last piece."""
    part = manager(copies=copies, cut_beats=16)
    data, second = list(range(500, 540)), list(range(20))
    receivers = list(WINDOW.processors) if copies else [0]
    starts = [0x22, 0x60, 0xA0]

    async def give(ctx: Any) -> None:
        tie(ctx, part, 0)
        await request(ctx, part, "aw", WINDOW.base + 0x22, len(data), number=1)
        await give_data(ctx, part, data)
        await give_data(ctx, part, second)
        await request(ctx, part, "aw", SIZE * 6 + 4, len(second), number=2)

    async def take(ctx: Any) -> None:
        sent = await packets(ctx, part, 2 * len(receivers))
        slot = fields_of_packet(sent[0][1])["slot"]
        answers = len(receivers) if copies else len(WINDOW.processors)
        ctx.set(part.bready, 1)
        for i in range(2 * answers):
            await respond(ctx, part, slot, SLVERR if i == 1 else 0)
        assert not ctx.get(part.bvalid)
        sent += await packets(ctx, part, len(receivers) + 2)
        fields = [fields_of_packet(words) for _, words in sent[:-2]]
        if copies:
            assert [destination for destination, _ in sent[:-2]] == receivers * 3
        each = len(receivers)
        assert [(f["addr"], f["len"]) for f in fields] == [
            (start, length) for start, length in zip(starts, (15, 15, 7), strict=True) for _ in range(each)
        ]
        assert {f["slot"] for f in fields} == {slot}
        for copy in range(each):
            assert [word for _, words in sent[copy:-2:each] for word in data_of_packet(words)] == data
        assert [data_of_packet(words) for _, words in sent[-2:]] == [second[:16], second[16:]]
        for _ in range(answers):
            for _ in range(5):
                assert not ctx.get(part.bvalid)
                await ctx.tick()
            await respond(ctx, part, slot, 0)
        await wait_for(ctx, part.bvalid)
        assert (ctx.get(part.bvalid), ctx.get(part.bid), ctx.get(part.bresp)) == (1, 1, SLVERR)
        await ctx.tick()
        assert not ctx.get(part.bvalid)

    run(part, give, take)


def test_a_long_read_is_cut_and_has_one_last_beat():
    """A piece is requested when the one before has come, and the next read behind the last one."""
    part = manager(cut_beats=16)
    beats: list[tuple[int, int, int]] = []

    async def give(ctx: Any) -> None:
        tie(ctx, part, 0)
        await request(ctx, part, "ar", SIZE + 0x41, 36, number=1, size=1)
        await request(ctx, part, "ar", SIZE * 4, 1, number=2)

    async def take(ctx: Any) -> None:
        slots = []
        for piece, (start, length) in enumerate([(0x41, 16), (0x60, 16), (0x80, 4)]):
            ((destination, words),) = await packets(ctx, part, 1)
            fields = fields_of_packet(words)
            assert (destination, fields["addr"], fields["len"]) == (1, SIZE + start, length - 1)
            slots.append(fields["slot"])
            ctx.set(part.rready, 1)
            if length == 16:  # the second read waits, too
                ctx.set(part.request_tready, 1)
                for _ in range(20):
                    assert not ctx.get(part.request_tvalid)
                    await ctx.tick()
            await respond_read(ctx, part, fields["slot"], [piece * 16 + i for i in range(length)])
        assert len(set(slots)) == 1
        ((destination, words),) = await packets(ctx, part, 1)
        assert destination == 4
        await respond_read(ctx, part, fields_of_packet(words)["slot"], [99])

    async def watch(ctx: Any) -> None:
        while len(beats) < 37:
            if ctx.get(part.rvalid) and ctx.get(part.rready):
                beats.append((ctx.get(part.rid), ctx.get(part.rdata), ctx.get(part.rlast)))
            await ctx.tick()

    run(part, give, take, watch)
    assert beats == [(1, i, int(i == 35)) for i in range(36)] + [(2, 99, 1)]


@pytest.mark.parametrize("burst", [FIXED, WRAP])
def test_other_bursts_keep_their_address(burst):
    """They have 16 beats at most; AXI4 allows no longer ones."""
    part = manager(cut_beats=16)

    async def give(ctx: Any) -> None:
        tie(ctx, part, 0)
        await request(ctx, part, "aw", SIZE + 0x14, 16, burst=burst)
        await give_data(ctx, part, list(range(16)))

    async def take(ctx: Any) -> None:
        ((_, words),) = await packets(ctx, part, 1)
        fields = fields_of_packet(words)
        assert (fields["burst"], fields["len"], fields["addr"]) == (burst, 15, SIZE + 0x14)
        assert data_of_packet(words) == list(range(16))

    run(part, give, take)


def test_a_burst_to_a_single_region_is_refused():
    areas = AddressMap([Region(1, SIZE, SIZE, single=True), *REGIONS[1:]], [WINDOW])
    part = ManagerInterface(AXI, areas, REQUEST_BITS, RESPONSE_BITS)

    async def testbench(ctx: Any) -> None:
        tie(ctx, part, 0)
        ctx.set(part.rready, 1)
        ctx.set(part.bready, 1)
        await request(ctx, part, "ar", SIZE, 2)
        await wait_for(ctx, part.rvalid)
        for last in (0, 1):
            assert (ctx.get(part.rvalid), ctx.get(part.rresp), ctx.get(part.rlast)) == (1, DECERR, last)
            await ctx.tick()
        await request(ctx, part, "aw", WINDOW.base, 2)
        await give_data(ctx, part, [1, 2])
        await wait_for(ctx, part.bvalid)
        assert ctx.get(part.bresp) == DECERR
        assert not ctx.get(part.request_tvalid)
        for destination, beats in ((1, 1), (4, 2)):
            await request(ctx, part, "ar", SIZE * destination, beats)
            ((to, words),) = await packets(ctx, part, 1)
            assert (to, fields_of_packet(words)["len"]) == (destination, beats - 1)
            await respond_read(ctx, part, fields_of_packet(words)["slot"], [0] * beats)

    run(part, testbench)


@pytest.mark.parametrize(
    ("address", "mask", "processors"),
    [
        (0x4000, 0, (4,)),
        (0x4010, 0x2000, (4, 6)),
        (0x1008, 0x7000, (1, 4, 6)),  # the manager has a region, too
        (0x3000, 0x4000, ()),  # two regions would match, but the one is of the manager, the other is none
        (0x4000, 0x2004, ()),  # a mask within regions
        (0x14000, 0x2000, ()),
    ],
)
def test_a_mask_selects_regions(address, mask, processors):
    areas = AddressMap([*REGIONS, Region(3, 3 * SIZE, SIZE)])
    axi = replace(AXI, windows=0, masks=True, user_bits=2)
    part = ManagerInterface(axi, areas, 38, RESPONSE_BITS + 2)
    assert [p for p in areas.masked_target(address, mask) if p != 3] == list(processors)

    async def give(ctx: Any) -> None:
        ctx.set(part.node, 3)
        ctx.set(part.reachable, 0b0111)
        ctx.set(part.awuser, mask | 2 << axi.address_bits)
        await request(ctx, part, "aw", address, 1, number=1)
        await give_data(ctx, part, [5])

    async def take(ctx: Any) -> None:
        ctx.set(part.bready, 1)
        if not processors:
            await wait_for(ctx, part.bvalid)
            assert ctx.get(part.bresp) == DECERR
            return
        await wait_for(ctx, part.request_tvalid)
        tuser = sum(1 << processor for processor in processors)
        assert ctx.get(part.request_tuser) == (tuser if mask else 0)
        if not mask:
            assert ctx.get(part.request_tdest) == processors[0]
        ((_, words),) = await packets(ctx, part, 1)
        fields = fields_of_packet(words, axi, 38)
        offset = address % SIZE if mask else address
        assert (fields["multicast"], fields["addr"], fields["user"]) == (int(mask > 0), offset, 2)
        for _ in processors:
            assert not ctx.get(part.bvalid)
            await respond(ctx, part, fields["slot"], 0)
        await wait_for(ctx, part.bvalid)

    run(part, give, take)
