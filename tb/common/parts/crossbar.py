"""Bench of the replicating crossbar. Parameters: ``flit_bits``, ``inputs``, ``outputs``, ``cycles``, ``seed``."""

import random
from collections.abc import Sequence

from sim_model.parts.switch import ReplicatingCrossbarTwin, bit
from tb.common.parts.monitor import LinkMonitor, Scoreboard, check_rate
from tb.common.parts.parameters import Phase, parameters_of
from tb.common.parts.stream import PauseGenerator, StreamSink
from tb.common.parts.twin_bench import STEADY_CYCLES, TwinBench, all_phases, on_each_instance, steady_cycles
from topology.common.flits import FlitFormat

DRAIN_CYCLES = 4


class CrossbarBench:
    """The crossbar with its twin, a sink and a monitor on every link, and random copies from inputs to outputs."""

    def __init__(self, dut, instance: str):
        parameters = parameters_of(instance)
        self.numbers = random.Random(parameters["seed"])
        self.inputs, self.outputs = parameters["inputs"], parameters["outputs"]
        self.width = FlitFormat(parameters["flit_bits"]).width
        self.twin = ReplicatingCrossbarTwin(self.inputs, self.outputs)
        self.idle = PauseGenerator(self.numbers)
        self.sinks = [StreamSink(PauseGenerator(self.numbers)) for _ in range(self.outputs)]
        self.links = [LinkMonitor(f"link {output}") for output in range(self.outputs)]
        self.scoreboards = [Scoreboard(f"output {output}") for output in range(self.outputs)]
        registered = [f"links.{output}.{wire}" for output in range(self.outputs) for wire in ("valid", "payload")]
        self.bench = TwinBench(dut, instance, self.twin, registered)

    async def step(self) -> None:
        """Run one cycle: every free output loads from some input unless it idles."""
        ready = [sink.offer() for sink in self.sinks]
        wanted = sum(1 << output for output in range(self.outputs) if not self.idle.paused())
        load = wanted & self.twin.free(ready)
        flits = [self.numbers.getrandbits(self.width) for _ in range(self.inputs)]
        chosen = [self.numbers.randrange(self.inputs) for _ in range(self.outputs)]
        seen = await self.bench.step(self._ports(flits, chosen, load, ready))
        for output, (link, sink, scoreboard) in enumerate(zip(self.links, self.sinks, self.scoreboards, strict=True)):
            valid, payload = seen[f"links.{output}.valid"], seen[f"links.{output}.payload"]
            if link.observe(valid, payload, ready[output]):
                scoreboard.receive(payload)
            sink.settle(valid, ready[output])
            if bit(load, output):
                scoreboard.expect(flits[chosen[output]])

    def _ports(self, flits: Sequence[int], chosen: Sequence[int], load: int, ready: Sequence[int]) -> dict[str, int]:
        ports = {f"flits.{position}": flit for position, flit in enumerate(flits)}
        ports |= {f"select.{output}": 1 << position for output, position in enumerate(chosen)}
        ports |= {f"links.{output}.ready": value for output, value in enumerate(ready)}
        return ports | {"load": load}

    async def traffic(self, phase: Phase, cycles: int) -> None:
        """Random traffic, then let the registers run empty."""
        self.idle.probability = phase.idle
        for link, sink in zip(self.links, self.sinks, strict=True):
            link.start_phase()
            sink.pause.probability = phase.backpressure
            sink.waits_for_valid = phase.waits_for_valid
        for _ in range(cycles):
            await self.step()
        self.idle.probability = 1.0
        for link, sink in zip(self.links, self.sinks, strict=True):
            if phase.waits_for_valid:
                link.check_progress()
            sink.flow_freely()
        for _ in range(DRAIN_CYCLES):
            await self.step()
        for scoreboard in self.scoreboards:
            scoreboard.check_empty()


@on_each_instance(CrossbarBench)
async def random_traffic(run: CrossbarBench):
    """Every mixture of idle cycles and back-pressure."""
    await all_phases(run)


@on_each_instance(CrossbarBench)
async def throughput(run: CrossbarBench):
    """One flit per cycle and output, and one cycle from input to link."""
    await steady_cycles(run)
    for link in run.links:
        check_rate(link.name, link.moved, STEADY_CYCLES - 1, STEADY_CYCLES)
