"""Bench of the message ejector. Parameters: ``flit_bits``, ``cycles``, ``seed``."""

import random

from sim_model.parts.hosts import MessageEjectorTwin
from tb.common.parts.monitor import LinkMonitor, Scoreboard, check_rate
from tb.common.parts.parameters import Phase, parameters_of
from tb.common.parts.stream import PauseGenerator, StreamSink, StreamSource, random_words
from tb.common.parts.twin_bench import STEADY_CYCLES, TwinBench, all_phases, on_each_instance, steady_cycles
from topology.common.flits import FlitFormat

REGISTERED = ("link.ready", "user.valid", "user.payload")
DRAIN_CYCLES = 6


class EjectorBench:
    """A source on the link, the ejector with its twin, and a sink in the user's place."""

    def __init__(self, dut, instance: str):
        parameters = parameters_of(instance)
        numbers = random.Random(parameters["seed"])
        width = FlitFormat(parameters["flit_bits"]).width
        self.bench = TwinBench(dut, instance, MessageEjectorTwin(), REGISTERED)
        self.source = StreamSource(random_words(numbers, width), width, PauseGenerator(numbers), numbers)
        self.sink = StreamSink(PauseGenerator(numbers))
        self.user = LinkMonitor("user")
        self.scoreboard = Scoreboard("ejector")

    async def step(self) -> None:
        """Run one cycle."""
        valid, payload = self.source.offer()
        ready = self.sink.offer()
        seen = await self.bench.step({"link.valid": valid, "link.payload": payload, "user.ready": ready})
        if self.user.observe(seen["user.valid"], seen["user.payload"], ready):
            self.scoreboard.receive(seen["user.payload"])
        self.sink.settle(seen["user.valid"], ready)
        flit = self.source.settle(seen["link.ready"])
        if flit is not None:
            self.scoreboard.expect(flit)

    async def traffic(self, phase: Phase, cycles: int) -> None:
        """Random traffic, then let the ejector run empty."""
        self.source.pause.probability = phase.idle
        self.sink.pause.probability = phase.backpressure
        self.sink.waits_for_valid = phase.waits_for_valid
        self.user.start_phase()
        for _ in range(cycles):
            await self.step()
        if phase.waits_for_valid:
            self.user.check_progress()
        self.source.stopped = True
        self.sink.flow_freely()
        for _ in range(DRAIN_CYCLES):
            await self.step()
        self.scoreboard.check_empty()
        self.source.stopped = False


@on_each_instance(EjectorBench)
async def random_traffic(run: EjectorBench):
    """Every mixture of idle cycles and back-pressure."""
    await all_phases(run)


@on_each_instance(EjectorBench)
async def throughput(run: EjectorBench):
    """One flit per cycle, and one cycle from link to user."""
    await run.step()  # nothing is ready in the first cycle
    await steady_cycles(run)
    check_rate("user", run.user.moved, STEADY_CYCLES - 1, STEADY_CYCLES)
