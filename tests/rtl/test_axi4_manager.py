"""Interface of a manager: the packets that it sends, and the answers that it gives."""

from typing import Any

import pytest

from rtl.axi4.manager import ManagerInterface
from tests.rtl.simulate import run
from topology.axi4.address_map import AddressMap, Region, Window
from topology.axi4.words import SLVERR, Axi4Format

REQUEST_BITS, RESPONSE_BITS = 36, 34
SIZE = 0x1000
REGIONS = [Region(p, p * SIZE, SIZE) for p in (1, 4, 6)]
WINDOW = Window((1, 4, 6), 0x10000, SIZE)
AREAS = AddressMap(REGIONS, [WINDOW])
AXI = Axi4Format(8, id_bits=2, windows=1)
INCR = 1
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


async def offer(ctx: Any, part: Any, channel: str, **fields: int) -> None:
    """Give one beat of a channel."""
    for name, value in fields.items():
        ctx.set(getattr(part, f"{channel}{name}"), value)
    ctx.set(getattr(part, f"{channel}valid"), 1)
    await handshake(ctx, getattr(part, f"{channel}ready"))
    ctx.set(getattr(part, f"{channel}valid"), 0)


async def request(ctx: Any, part: Any, channel: str, address: int, beats: int, number: int = 0) -> None:
    await offer(ctx, part, channel, addr=address, len=beats - 1, size=2, burst=INCR, id=number)


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


def fields_of_packet(words: list[int]) -> dict[str, int]:
    """The fields of a request."""
    count = AXI.request_words(REQUEST_BITS)
    row = sum(word << i * REQUEST_BITS for i, word in enumerate(words[:count]))
    found = {}
    for name, bits in AXI.request_fields:
        found[name] = row & (1 << bits) - 1
        row >>= bits
    return found


def data_of_packet(words: list[int]) -> list[int]:
    return [word & 0xFFFFFFFF for word in words[AXI.request_words(REQUEST_BITS) :]]


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
