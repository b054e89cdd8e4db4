"""AXI4-Stream packets through a hexagonal mesh. cocotb runs `packets` inside the simulator.

The job (a pickled `StreamJob`) is named by the environment variable HYDRANOC_HARTS_STREAM_JOB, and the result is
written as JSON to the job's ``result``.

A cycle of the bench begins at the falling clock edge: inputs are set, logic settles, and the transfers of the next
rising edge are recorded. All nodes share one coroutine that reads few signals, which is many times faster than an
endpoint for each of them.
"""

import json
import os
import pickle
import random
from collections import deque
from dataclasses import asdict
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly

from tb.harts.stream_job import JOB_VARIABLE, Sent, StreamJob, StreamResult

CLOCK_PERIOD_NS = 10
RESET_CYCLES = 4
QUIET_CYCLES = 400
"""A wave is over after this number of cycles without a transfer at any node."""
PATIENCE_CYCLES = 60_000
BEAT = ("tdata", "tlast", "tdest", "tuser")


class Source:
    """Sends packets into a node, with pauses between all beats."""

    def __init__(self, dut, node: int, job: StreamJob, numbers: random.Random):
        self._ports = [getattr(dut, f"s_axis_n{node}_{name}") for name in BEAT]
        self._valid = getattr(dut, f"s_axis_n{node}_tvalid")
        self._ready = getattr(dut, f"s_axis_n{node}_tready")
        self._job, self._numbers = job, numbers
        self._beats: deque[tuple[int, ...]] = deque()
        self._offered = False

    @property
    def empty(self) -> bool:
        """True if all packets have been sent."""
        return not self._beats

    def queue(self, packet: Sent) -> None:
        """Queue a packet; the side signals are valid only in its first beat."""
        numbers, job, last = self._numbers, self._job, len(packet.body) - 1
        for i, word in enumerate(packet.body):
            others = (numbers.getrandbits(job.tdest_bits), numbers.getrandbits(job.tuser_bits))
            self._beats.append((word, int(i == last), *(others if i else (packet.tdest, packet.tuser))))

    def drive(self) -> None:
        """Drive a beat; once valid is high it stays until the transfer."""
        if self._offered or not self._beats or self._numbers.random() < self._job.idle:
            return
        for port, value in zip(self._ports, self._beats[0], strict=True):
            port.value = value
        self._valid.value = 1
        self._offered = True

    def note(self) -> bool:
        """Return whether the beat moves in this cycle."""
        return self._offered and bool(self._ready.value)

    def advance(self) -> None:
        """Advance to the next beat. Until it is offered, the ports have the other values."""
        for port, value in zip(self._ports, self._beats.popleft(), strict=True):
            port.value = ~value & (1 << len(port)) - 1
        self._offered = False
        self._valid.value = 0


class Sink:
    """Takes packets from a node, with pauses in between."""

    def __init__(self, dut, node: int, job: StreamJob, numbers: random.Random, result: StreamResult):
        self._valid, self._ready = (getattr(dut, f"m_axis_n{node}_{name}") for name in ("tvalid", "tready"))
        self._beat = [getattr(dut, f"m_axis_n{node}_{name}") for name in ("tdata", "tlast", "tid", "tuser")]
        self._node, self._job, self._numbers, self._result = node, job, numbers, result
        self._words: list[int] = []
        self._is_ready = False
        self._sides: set[tuple[int, ...]] = set()
        self._held: tuple[int, ...] | None = None  # offered and not taken

    @property
    def empty(self) -> bool:
        """True if no packet has arrived in part."""
        return not self._words

    def drive(self) -> None:
        """Drive ``ready``."""
        is_ready = self._numbers.random() >= self._job.backpressure
        if is_ready != self._is_ready:
            self._ready.value = self._is_ready = is_ready

    def note(self) -> bool:
        """Accept the offered beat; return whether there was one."""
        if not self._valid.value:
            self._check(None)
            return False
        beat = tuple(int(signal.value) for signal in self._beat)
        self._check(beat)
        self._held = None if self._is_ready else beat
        if self._is_ready:
            self._words.append(beat[0])
            self._sides.add(beat[2:])
            if beat[1]:
                self._result.bodies.append((self._node, self._words))
                self._result.sides.append(sorted(self._sides))
                self._words, self._sides = [], set()
        return True

    def _check(self, beat: tuple[int, ...] | None) -> None:
        if self._held is not None and self._held != beat:
            self._result.rule_broken = self._result.rule_broken or f"n{self._node} took back what it had offered"


class Bench:
    """All nodes of a mesh."""

    def __init__(self, dut, job: StreamJob):
        numbers = random.Random(job.axi.seed)
        self.result = StreamResult()
        self._job = job
        self._cycles = 0
        self._falling = FallingEdge(dut.clk)
        self._sources = [Source(dut, node, job, numbers) for node in job.axi.sources]
        self._sinks = [Sink(dut, node, job, numbers, self.result) for node in job.axi.sinks]
        self._pulses = {name: getattr(dut, name) for name in job.pulses}

    async def reset(self, dut) -> None:
        """Start the clock and leave reset, with nothing at the inputs."""
        dut.rst.value = 1
        for node in self._job.axi.sources:
            for name in (*BEAT, "tvalid"):
                getattr(dut, f"s_axis_n{node}_{name}").value = 0
            getattr(dut, f"m_axis_n{node}_tready").value = 0
        Clock(dut.clk, CLOCK_PERIOD_NS, "ns").start()
        for _ in range(RESET_CYCLES):
            await self._falling
        dut.rst.value = 0

    async def step(self) -> bool:
        """Run one cycle; return whether any beat moved, or waits at a source or a sink."""
        for endpoint in (*self._sources, *self._sinks):
            endpoint.drive()
        await ReadOnly()
        moving = [source for source in self._sources if source.note()]
        arrived = [sink.note() for sink in self._sinks]
        for name, signal in self._pulses.items():
            if signal.value:
                self.result.pulses[name] = self.result.pulses.get(name, 0) + 1
        await self._falling
        for source in moving:
            source.advance()
        return any(arrived) or not all(source.empty for source in self._sources)

    async def run_wave(self, wave: tuple[Sent, ...]) -> None:
        """Send packets, and collect the output until nothing moves."""
        for packet in wave:
            self._sources[packet.source].queue(packet)
        quiet = cycles = 0
        while quiet < QUIET_CYCLES or self._cycles < self._job.sweep_cycles + QUIET_CYCLES:
            quiet = 0 if await self.step() else quiet + 1
            cycles += 1
            self._cycles += 1
            assert cycles < PATIENCE_CYCLES, "a wave never ends"
        assert all(sink.empty for sink in self._sinks), "a packet came only in part"


@cocotb.test()
async def packets(dut):
    """Entry point for the simulator."""
    job: StreamJob = pickle.loads(Path(os.environ[JOB_VARIABLE]).read_bytes())
    bench = Bench(dut, job)
    await bench.reset(dut)
    for wave in job.waves:
        await bench.run_wave(wave)
    Path(job.axi.result).write_text(json.dumps(asdict(bench.result)))
