"""Bench of the input buffer. Parameters: ``flit_bits``, ``depth``, ``header_flits``, ``decoded_bits``, ``cycles``,
``seed``."""

import random

from sim_model.parts.switch import InputBufferTwin
from tb.common.parts.monitor import Scoreboard, check_rate
from tb.common.parts.parameters import Phase, parameters_of
from tb.common.parts.stream import PauseGenerator, StreamSource, random_words
from tb.common.parts.twin_bench import STEADY_CYCLES, TwinBench, all_phases, on_each_instance, steady_cycles
from topology.common.flits import FlitFormat

REGISTERED = ("link.ready", "present")
LOOK_PROBABILITY = 0.3


class Reader:
    """Reads a buffer as a router does: some flits from the front on, then back, then it pops the front.

    It follows the rules by reading the twin, so that a faulty buffer cannot mislead it.

    Parameters:
        header_flits: Flits that it may read, counted from the front.
        pause: Cycles in which it pauses.

    Members:
        looks (bool): Whether it may look ahead at all.
    """

    def __init__(self, twin: InputBufferTwin, header_flits: int, pause: PauseGenerator, random_numbers: random.Random):
        self.pause = pause
        self.looks = header_flits > 1
        self._twin = twin
        self._last_position = header_flits - 1
        self._random = random_numbers

    def command(self, arriving: bool) -> dict[str, int]:
        """``pop``, and with a cursor ``advance`` and ``at_front``, for this cycle; ``arriving``: a flit moves in."""
        twin, acts = self._twin, not self.pause.paused()
        if not self._last_position:
            return {"pop": int(acts and twin.present)}
        looks = self.looks and (twin.cursor > 0 or self._random.random() < LOOK_PROBABILITY)
        done = twin.cursor > self._last_position or self._random.random() < LOOK_PROBABILITY
        at_front = not looks or (twin.cursor > 0 and done)
        visible = twin.readable or (arriving and twin.cursor == len(twin.entries))
        advance = acts and not at_front and visible and twin.cursor <= self._last_position
        return {"at_front": int(at_front), "pop": int(acts and at_front and twin.present), "advance": int(advance)}


class BufferBench:
    """A source, the buffer with its twin, and a reader."""

    def __init__(self, dut, instance: str):
        parameters = parameters_of(instance)
        numbers = random.Random(parameters["seed"])
        width = FlitFormat(parameters["flit_bits"]).width
        self.decoded_bits = parameters["decoded_bits"]
        self.twin = InputBufferTwin(parameters["depth"], parameters["header_flits"], self.decoded_bits)
        readable = ("readable",) if parameters["header_flits"] > 1 else ()
        self.bench = TwinBench(dut, instance, self.twin, REGISTERED + readable)
        self.source = StreamSource(random_words(numbers, width), width, PauseGenerator(numbers), numbers)
        self.numbers = numbers
        self.reader = Reader(self.twin, parameters["header_flits"], PauseGenerator(numbers), numbers)
        self.scoreboard = Scoreboard("buffer")
        self.moved_in, self.moved_out = 0, 0

    async def step(self) -> None:
        """Run one cycle."""
        valid, payload = self.source.offer()
        command = self.reader.command(bool(valid and self.twin.ready))
        decoded = {"arriving_decoded": self.numbers.getrandbits(self.decoded_bits)} if self.decoded_bits else {}
        seen = await self.bench.step({"link.valid": valid, "link.payload": payload, **decoded, **command})
        if command["pop"]:
            self.scoreboard.receive(seen["flit"])
            self.moved_out += 1
        flit = self.source.settle(seen["link.ready"])
        if flit is not None:
            self.scoreboard.expect(flit)
            self.moved_in += 1

    async def traffic(self, phase: Phase, cycles: int) -> None:
        """Random traffic, then let the buffer run empty."""
        self.source.pause.probability = phase.idle
        self.reader.pause.probability = phase.backpressure
        for _ in range(cycles):
            await self.step()
        looks, self.reader.looks = self.reader.looks, False
        self.source.stopped, self.reader.pause.probability = True, 0.0
        for _ in range(self.twin.depth + 2):
            await self.step()
        self.scoreboard.check_empty()
        self.source.stopped, self.reader.looks = False, looks


@on_each_instance(BufferBench)
async def random_traffic(run: BufferBench):
    """Every mixture of idle cycles and back-pressure."""
    await all_phases(run)


@on_each_instance(BufferBench)
async def throughput(run: BufferBench):
    """One flit per cycle from a depth of 2 on, else one in two cycles; a flit can be read one cycle after it moved."""
    run.reader.looks = False
    await run.step()  # nothing is ready in the first cycle
    await steady_cycles(run)
    due = STEADY_CYCLES if run.twin.depth >= 2 else STEADY_CYCLES // 2
    out = due if run.twin.depth == 1 else due - 1
    check_rate("link", run.moved_in, due, STEADY_CYCLES)
    check_rate("reader", run.moved_out, out, STEADY_CYCLES)
