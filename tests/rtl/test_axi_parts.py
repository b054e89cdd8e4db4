"""AXI4-Stream injector and ejector in Amaranth's simulator: headers, cycles, and packets without a destination."""

from dataclasses import dataclass, field, replace

import pytest

from rtl.endpoints.axi_ejector import AxiStreamEjector
from rtl.endpoints.axi_injector import LEADING_WORD, TUSER, AxiStreamInjector
from rtl.endpoints.axi_network import AxiStreamTop
from rtl.spam.network import spam_addressing, spam_plan
from tests.networks import figure_1, ring
from tests.rtl.simulate import run
from topology.common.flits import FlitFormat, HeaderFormat
from topology.common.graph import Network
from topology.common.part_headers import BIT_STRING, PARTS
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

BODY = (5, 0, 255, 9)
NODE = 1
GARBAGE = 0x5A5A5A5A


def spam_routing(network: Network, flit_bits: int, header_kind: str = BIT_STRING) -> SpamRouting:
    return SpamRouting(SpamLabels(network), flit_bits, header_kind=header_kind)


# headers of one flit for all; of one and two; of one and three; of two and four
ROUTINGS = {
    "one": spam_routing(figure_1(), 32),
    "two": spam_routing(figure_1(), 8),
    "three": spam_routing(ring(12), 10),
    "four": spam_routing(ring(20), 8),
    # flits for parts of six nodes, of which there is one; of four and a last one of three, behind a key of two flits
    "one-part": spam_routing(figure_1(), 8, PARTS),
    "parts": spam_routing(ring(23), 8, PARTS),
}


@dataclass
class Sent:
    """Events of an injector, with the cycle of each."""

    flits: list[tuple[int, int]] = field(default_factory=list)
    taken: list[int] = field(default_factory=list)
    errors: list[int] = field(default_factory=list)


def beats_of(routing, mode, destinations=None, tdest=0, body=BODY):
    """(tdata, tlast, tdest, tuser) of each beat; fields that must not be read are garbage."""
    words, tuser = list(body), 0
    if destinations is not None:
        value = sum(1 << destination for destination in destinations)
        tuser = value if mode == TUSER else 1
        if mode == LEADING_WORD:
            count = -(-len(routing.network.processors) // routing.flit_bits)
            words = routing.header.to_flits(value, count) + words
    beats = [(word, 0, GARBAGE, GARBAGE) for word in words]
    beats[0] = (words[0], 0, tdest, tuser)
    beats[-1] = (beats[-1][0], 1, *beats[-1][2:])
    return beats


def injector_of(routing, mode):
    return AxiStreamInjector(routing.header, spam_addressing(routing), mode)


def sent(routing, mode, beats, cycles=60) -> Sent:
    """Response of the injector of node 1 to a stream without pauses, on a link without pauses."""
    part, seen = injector_of(routing, mode), Sent()

    async def testbench(ctx):
        ctx.set(part.node, NODE)
        ctx.set(part.node_fields, NODE)
        ctx.set(part.link.ready, 1)
        left = list(beats)
        for cycle in range(cycles):
            ctx.set(part.tvalid, bool(left))
            if left:
                for port, value in zip((part.tdata, part.tlast, part.tdest, part.tuser), left[0], strict=True):
                    ctx.set(port, value & (1 << len(port)) - 1)
            if ctx.get(part.link.valid):
                payload = part.link.payload
                flit = FlitFormat(routing.flit_bits).pack(
                    data=ctx.get(payload.data), head=ctx.get(payload.head), tail=ctx.get(payload.tail)
                )
                seen.flits.append((cycle, flit))
            if ctx.get(part.error):
                seen.errors.append(cycle)
            if ctx.get(part.tready) and left:
                seen.taken.append(cycle)
                left.pop(0)
            await ctx.tick()
        assert not left

    run(part, testbench)
    return seen


def message(routing, destinations, body=BODY):
    """The flits of a message of node 1."""
    header = routing.header.to_flits(routing.header_value(NODE, destinations), routing.header_flits(destinations))
    words = [*header, *body]
    pack = FlitFormat(routing.flit_bits).pack
    return [pack(data=word, head=i == 0, tail=i == len(words) - 1) for i, word in enumerate(words)]


@pytest.mark.parametrize("mode", [TUSER, LEADING_WORD])
@pytest.mark.parametrize("name", ROUTINGS)
def test_unicast_by_tdest(name, mode):
    """Header flits and one cycle more, then a word per cycle; so also for the next packet."""
    routing = ROUTINGS[name]
    seen = sent(routing, mode, beats_of(routing, mode, tdest=3) + beats_of(routing, mode, tdest=0))
    assert [flit for _, flit in seen.flits] == message(routing, [3]) + message(routing, [0])
    overhead = 1 + routing.header.unicast_flits
    period = overhead + len(BODY)
    assert seen.taken == [start + overhead + i for start in (0, period) for i in range(len(BODY))]
    assert [cycle for cycle, _ in seen.flits[: len(seen.flits) // 2]] == list(range(2, period + 1))
    assert seen.errors == []


@pytest.mark.parametrize("destinations", [[0, 3, 4], [2, 3], [4], [1, 2, 3], [0, 1]])
@pytest.mark.parametrize("mode", [TUSER, LEADING_WORD])
@pytest.mark.parametrize("name", ROUTINGS)
def test_destination_set(name, mode, destinations):
    """The node itself is left out of the set; a set of one destination is sent as a unicast."""
    routing = ROUTINGS[name]
    packet = beats_of(routing, mode, destinations)
    seen = sent(routing, mode, [*packet, *packet])
    others = [destination for destination in destinations if destination != NODE]
    assert [flit for _, flit in seen.flits] == message(routing, others) * 2
    leading = len(packet) - len(BODY)
    overhead = 2 + spam_addressing(routing).key_cycles + routing.header_flits(others)
    body = [cycle for i, cycle in enumerate(seen.taken) if i % len(packet) >= leading]
    period = overhead + len(packet)
    assert body == [start + overhead + leading + i for start in (0, period) for i in range(len(BODY))]
    assert seen.errors == []


@pytest.mark.parametrize("mode", [TUSER, LEADING_WORD])
@pytest.mark.parametrize("name", ROUTINGS)
def test_packets_without_destination_are_swallowed(name, mode):
    """To the node itself, to a missing node, to no node, and nothing but a set; good packets in between."""
    routing = ROUTINGS[name]
    good = beats_of(routing, mode, tdest=0)
    bad = [beats_of(routing, mode, tdest=NODE), beats_of(routing, mode, [NODE], body=(7,))]
    if len(routing.network.processors) != 1 << len(injector_of(routing, mode).tdest):
        bad.append(beats_of(routing, mode, tdest=len(routing.network.processors)))
    if mode == LEADING_WORD:
        bad += [beats_of(routing, mode, []), beats_of(routing, mode, [0, 2], body=()), good]
        bad[-1] = beats_of(routing, mode, tdest=NODE, body=(1,))  # right behind a packet without a body
    stream = [beat for packet in bad for beat in (*packet, *good)]
    seen = sent(routing, mode, stream, cycles=30 * len(bad))
    assert [flit for _, flit in seen.flits] == message(routing, [0]) * len(bad)
    assert len(seen.errors) == len(bad)


def test_two_errors_in_a_row_are_two_cycles():
    routing = ROUTINGS["one"]
    stream = beats_of(routing, LEADING_WORD, [0], body=()) + beats_of(routing, LEADING_WORD, tdest=NODE)
    assert sent(routing, LEADING_WORD, stream).errors == [2, 3]


def test_bits_of_nodes_that_do_not_exist_are_ignored():
    routing = ROUTINGS["one"]
    packet = beats_of(routing, LEADING_WORD, [2, 3, 5, 31])
    assert [flit for _, flit in sent(routing, LEADING_WORD, packet).flits] == message(routing, [2, 3])


def received(routing, flits, *, ready=lambda _cycle: True):
    """Packets that the ejector of node 3 gives, the cycle of each beat, and the sender and the flag of each packet."""
    part, packets, cycles, sides = AxiStreamEjector(routing.header), [[]], [], []

    async def testbench(ctx):
        if "unicast_key" in part.signature.members:
            ctx.set(part.unicast_key, routing.network.processor_vertex(3))
        left = list(flits)
        for cycle in range(8 * len(flits) + 8):
            ctx.set(part.link.valid, bool(left))
            if left:
                data, head, tail = FlitFormat(routing.flit_bits).unpack(left[0])
                ctx.set(part.link.payload, {"data": data, "head": head, "tail": tail})
            ctx.set(part.tready, ready(cycle))
            if ctx.get(part.tvalid) and ready(cycle):
                packets[-1].append(ctx.get(part.tdata))
                cycles.append(cycle)
                side = ctx.get(part.tid), ctx.get(part.tuser)
                if len(packets[-1]) == 1:
                    sides.append(side)
                assert side == sides[-1]
                if ctx.get(part.tlast):
                    packets.append([])
            if ctx.get(part.link.ready):
                left = left[1:]
            await ctx.tick()
        assert not left

    run(part, testbench)
    assert packets.pop() == []
    return packets, cycles, sides


@pytest.mark.parametrize("name", ROUTINGS)
def test_headers_are_stripped(name):
    """Bodies that look like headers, and messages without a body."""
    routing = ROUTINGS[name]
    key_like = [flit & (1 << routing.flit_bits) - 1 for flit in message(routing, [3])]
    bodies = [BODY, key_like, (), (1,), (0, 0, 0, 0, 0), ()]
    for sets in ([[3]] * 6, [[2, 3, 4]] * 6, [[3], [2, 3]] * 3, [[0, 3], [3]] * 3):
        flits = []
        for destinations, body in zip(sets, bodies, strict=True):
            flits += message(routing, destinations, body)
        due = [(NODE, int(len(destinations) > 1)) for destinations, body in zip(sets, bodies, strict=True) if body]
        for ready in (lambda _: True, lambda cycle: cycle % 3 == 1):
            packets, _, sides = received(routing, flits, ready=ready)
            assert packets == [list(body) for body in bodies if body]
            assert sides == due


@pytest.mark.parametrize("name", ROUTINGS)
def test_one_flit_per_cycle(name):
    routing = ROUTINGS[name]
    _, cycles, _ = received(routing, message(routing, [3]) + message(routing, [2, 3]))
    header = routing.header
    first = [2 + header.unicast_flits + i for i in range(len(BODY))]
    second = [first[-1] + 1 + routing.header_flits([2, 3]) + i for i in range(len(BODY))]
    assert cycles == first + second


def test_a_header_of_the_key_alone():
    """A family may need no other field."""
    routing = ROUTINGS["one"]
    header = HeaderFormat(routing.header.fields[:1], routing.header.destinations, routing.flit_bits)
    part = AxiStreamInjector(header, replace(spam_addressing(routing), node_fields=()), TUSER)
    assert "node_fields" not in part.signature.members


def test_what_is_refused():
    routing = ROUTINGS["one"]
    with pytest.raises(ValueError, match=r"^Destination mode must be one of tuser, leading-word, not 'tid'$"):
        injector_of(routing, "tid")
    plan = replace(spam_plan(routing), addressing=None)
    with pytest.raises(ValueError, match=r"endpoints must have addressing; family spam has none$"):
        AxiStreamTop(plan, TUSER)
