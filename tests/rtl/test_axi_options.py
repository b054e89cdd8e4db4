"""Sideband, packet buffers and first words of AXI4-Stream ends."""

import random
from typing import Any

import pytest
from amaranth.sim import Simulator

from hydranoc import load
from rtl.endpoints.axi_ends import StreamOptions
from rtl.endpoints.axi_injector import TDEST, TUSER
from rtl.endpoints.axi_network import AxiStreamTop
from rtl.endpoints.header_words import HeaderWordEjector, HeaderWordInjector
from rtl.endpoints.packet_buffer import PacketBuffer
from rtl.endpoints.stream_component import StreamNetwork
from tests.each import each
from tests.rtl.simulate import check_accepted
from tests.sampled import sampled

LINE = {"family": "spam", "topology": {"kind": "mesh", "shape": [1, 4]}, "root": 0, "flit_bits": 37}
TORUS = {"family": "torus", "topology": {"kind": "torus", "rows": 2, "columns": 2}, "flit_bits": 37}
STALLED, WORDS, BUFFER = 3, 12, 16
MAX_CYCLES = 300


def network(section: dict[str, Any], mode: str, **options: Any) -> StreamNetwork:
    return StreamNetwork(AxiStreamTop(load({"network": section}).plan, mode, StreamOptions(**options)))


def simulate(design: Any, *testbenches: Any) -> None:
    simulator = Simulator(design)
    simulator.add_clock(1e-8)
    for testbench in testbenches:
        simulator.add_testbench(testbench)
    simulator.run()


async def send(ctx: Any, sink: Any, words: list[int], **fields: Any) -> None:
    """Send a packet; fields are constants, or functions of the position of a word."""
    for number, word in enumerate(words):
        ctx.set(sink.payload.data, word)
        ctx.set(sink.payload.last, number == len(words) - 1)
        for name, value in fields.items():
            ctx.set(sink.payload[name], value(number) if callable(value) else value)
        ctx.set(sink.valid, 1)
        while not ctx.get(sink.ready):
            await ctx.tick()
        await ctx.tick()
    ctx.set(sink.valid, 0)


async def received(ctx: Any, source: Any) -> list[Any]:
    """Take a packet: its beats."""
    beats: list[Any] = []
    ctx.set(source.ready, 1)
    for _ in range(MAX_CYCLES):
        if ctx.get(source.valid):
            beats.append(ctx.get(source.payload))
            if beats[-1].last:
                await ctx.tick()
                return beats
        await ctx.tick()
    raise AssertionError(f"{len(beats)} beats in {MAX_CYCLES} cycles")


@pytest.mark.parametrize(("section", "mode"), [(LINE, TUSER), (TORUS, TDEST)])
@pytest.mark.parametrize("buffer", sampled((0, BUFFER), (BUFFER,)))
def test_each_word_has_its_sideband(section, mode, buffer):
    """The sideband is above the destination set at the source, and above the mark of multicasts at the receiver."""
    design = network(section, mode, user_bits=5, delivery_buffer_flits=buffer)
    own_in, own_out = (4, 1) if mode == TUSER else (0, 0)
    assert design.sink_payload.members["user"] == own_in + 5
    assert design.source_payload.members["user"] == own_out + 5
    side = [7, 31, 0, 18]
    mask = 0b1110 if mode == TUSER else 0

    async def source(ctx: Any) -> None:
        await send(ctx, design.sinks[0], [10, 11, 12, 13], dest=2, user=lambda i: side[i] << own_in | mask)

    async def sink(ctx: Any) -> None:
        for stream in design.sources:
            ctx.set(stream.ready, 1)
        beats = await received(ctx, design.sources[2])
        assert [beat.data for beat in beats] == [10, 11, 12, 13]
        assert [beat.user >> own_out for beat in beats] == side
        assert {beat.user & (1 << own_out) - 1 for beat in beats} == {own_out}

    simulate(design, source, sink)


@pytest.mark.parametrize("buffered", [False, True])
def test_a_stalled_receiver_holds_multicasts_of_others_only_without_a_buffer(buffered):
    """Receivers 1 and 3 get the first multicast, 3 never takes it; 1 and 2 get the second one."""
    design = network({**LINE, "flit_bits": 32}, TUSER, delivery_buffer_flits=BUFFER if buffered else 0)
    arrived: list[int] = []

    async def source(ctx: Any) -> None:
        await send(ctx, design.sinks[0], list(range(WORDS)), user=0b1010)
        await send(ctx, design.sinks[0], list(range(WORDS)), user=0b0110)

    async def watch(ctx: Any) -> None:
        for i in range(len(design.sources)):
            ctx.set(design.sources[i].ready, i != STALLED)
        for _ in range(MAX_CYCLES):
            for i, source in enumerate(design.sources):
                if i != STALLED and ctx.get(source.valid) and ctx.get(source.payload.last):
                    arrived.append(i)
            await ctx.tick()

    simulator = Simulator(design)
    simulator.add_clock(1e-8)
    simulator.add_testbench(source, background=True)
    simulator.add_testbench(watch)
    simulator.run()
    assert sorted(arrived) == ([1, 1, 2] if buffered else [])


@pytest.mark.parametrize("beats", [4, 5, 16])
def test_a_buffer_is_a_queue_at_full_rate(beats):
    part, numbers = PacketBuffer(8, beats), random.Random(beats)
    sent, taken = [], []

    async def testbench(ctx: Any) -> None:
        for cycle in range(600):
            pauses, full = 0.0 if cycle < 130 else 0.5, 100 <= cycle < 130
            ctx.set(part.i.valid, numbers.random() >= pauses)
            ctx.set(part.i.payload, cycle % 256)
            ctx.set(part.o.ready, not full and numbers.random() >= pauses)
            if ctx.get(part.i.valid) and ctx.get(part.i.ready):
                sent.append(cycle % 256)
            if ctx.get(part.o.valid) and ctx.get(part.o.ready):
                taken.append(ctx.get(part.o.payload))
            if cycle == 99:
                assert len(taken) == 100 - 3
            if cycle == 129:
                assert len(sent) - len(taken) == beats + 1
            await ctx.tick()

    simulate(part, testbench)
    assert taken == sent[: len(taken)]
    assert len(taken) > 200


OPTIONS = {
    "all": (LINE, TUSER, StreamOptions("separate", tkeep=True, user_bits=4, delivery_buffer_flits=32)),
    "buffer": (LINE, "leading-word", StreamOptions(delivery_buffer_flits=64)),
    "sideband": (TORUS, TDEST, StreamOptions("shared", user_bits=4)),
}


@pytest.mark.parametrize("name", sampled(OPTIONS, ("all",)))
def test_tools_and_the_certificate_accept_the_ends(name, tmp_path, require_tool):
    section, mode, options = OPTIONS[name]
    design = load({"network": section})
    made = design.verilog(axi_stream=mode, **vars(options))
    check_accepted(made, require_tool, tmp_path)
    entry = made.manifest["axi_stream"]
    assert entry.get("user_bits", 0) == options.user_bits
    assert entry.get("delivery_buffer_flits", 0) == options.delivery_buffer_flits
    certificate = design.certificate(made)
    assert certificate.text, certificate.verdict


def test_numbers_out_of_range_are_refused():
    for name, value, limits in (("user_bits", 65, "0 to 64"), ("delivery_buffer_flits", 3, "4 to 65536")):
        with pytest.raises(ValueError, match=f"^{name} is {value}; it must be from {limits}$"):
            StreamOptions(**{name: value})
    with pytest.raises(ValueError, match=r"^flit_bits is 8; it must be more than the 8 bits of the sideband$"):
        StreamOptions(user_bits=8).word_bits(8)
    with pytest.raises(ValueError, match=r"^Packet buffer has 3 flits; it must have 4 to 65536$"):
        PacketBuffer(8, 3)


OF_STREAMS = ({"tkeep": True}, {"user_bits": 4}, {"delivery_buffer_flits": 16}, {"clocks": "shared"}, {"arrays": True})


@each("options", OF_STREAMS)
def test_options_of_streams_need_streams(options: dict[str, Any]):
    with pytest.raises(ValueError, match="axi_stream is None; it must be a mode"):
        load({"network": LINE}).verilog(**options)


def test_a_first_word_has_to_fit_into_the_header():
    plan = load({"network": {"family": "spam", "topology": {"kind": "mesh", "shape": [2, 2]}, "flit_bits": 8}}).plan
    for bits in (0, 4):
        text = f"^word_bits is {bits}; in a header with 5 bits it must be from 1 to 3$"
        with pytest.raises(ValueError, match=text):
            HeaderWordInjector(plan.header, plan.addressing, bits)
        with pytest.raises(ValueError, match=text):
            HeaderWordEjector(plan.header, bits)
