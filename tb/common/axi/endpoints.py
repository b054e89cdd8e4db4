"""AXI4-Stream endpoints of a top: cocotbext-axi sources and sinks, and counters of events that these do not see."""

import random
from collections.abc import Iterator
from typing import Any

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

from tb.common.axi.job import AxiJob, Packet, Received


def _pauses(numbers: random.Random, probability: float) -> Iterator[bool]:
    while True:
        yield numbers.random() < probability


class Endpoints:
    """Sources and sinks of a top.

    Without ``tkeep`` there is one word per "byte" of cocotbext-axi, so that any width is possible.

    Parameters:
        dut (cocotb handle): With ``clk``, ``rst``, and the AXI4-Stream ports of the job's nodes.

    Members:
        errors (int): Cycles in which some ``error`` was high.
        rule_broken (str or None): The first violation by an output that dropped an offered beat.
    """

    def __init__(self, dut, job: AxiJob):
        self.errors = 0
        self.rule_broken: str | None = None
        self._dut = dut
        self._job = job
        self._numbers = random.Random(job.seed)
        self._sources = {
            node: [self._endpoint(AxiStreamSource, node, prefix) for prefix in job.inputs_of(node)]
            for node in job.sources
        }
        self._sinks = {node: self._endpoint(AxiStreamSink, node, f"m_axis_n{node}") for node in job.sinks}
        for node in job.sources:
            for prefix in job.inputs_of(node):
                cocotb.start_soon(self._count_errors(getattr(dut, f"{prefix}_error"), self._clock(node)))
        for node in job.sinks:
            cocotb.start_soon(self._watch_output(f"m_axis_n{node}", self._clock(node)))

    def _clock(self, node: int):
        return getattr(self._dut, self._job.clocks[node][0]) if self._job.clocks else self._dut.clk

    def _endpoint(self, kind, node: int, prefix: str):
        bus = AxiStreamBus.from_prefix(self._dut, prefix)
        lanes = {} if self._job.lanes else {"byte_lanes": 1}
        return kind(bus, self._clock(node), self._dut.rst, **lanes)

    def pause(self, idle: float, backpressure: float) -> None:
        """Pause with these probabilities from now on."""
        sources = [source for inputs in self._sources.values() for source in inputs]
        for endpoints, probability in ((sources, idle), (self._sinks.values(), backpressure)):
            for endpoint in endpoints:
                endpoint.set_pause_generator(_pauses(self._numbers, probability) if probability else None)
                endpoint.pause = False

    def send(self, packet: Packet) -> None:
        """Queue a packet at its source; the packet's number selects the input."""
        job = self._job
        words: Any = list(packet.body)
        tuser = 0
        if packet.destinations is not None:
            value = sum(1 << node for node in packet.destinations)
            mask = (1 << job.flit_bits) - 1
            leading = [value >> job.flit_bits * k & mask for k in range(job.leading_words)]
            words = leading + words
            tuser = 1 if job.leading_words else value
        # side signals are valid only in the first beat
        tuser_bits = 1 if job.leading_words else job.nodes
        tdests = [packet.tdest, *(self._numbers.getrandbits(job.tdest_bits) for _ in words[1:])]
        tusers = [tuser, *(self._numbers.getrandbits(tuser_bits) for _ in words[1:])]
        if job.lanes:
            there = len(words) * job.lanes - (-packet.last_bytes % job.lanes)
            words = list(b"".join(word.to_bytes(job.lanes, "little") for word in words))[:there]
            tdests, tusers = ([sides[i // job.lanes] for i in range(there)] for sides in (tdests, tusers))
        sides = {"tdest": tdests, **({"tuser": tusers} if job.sets else {})}
        inputs = self._sources[packet.source]
        number = packet.body[0] if packet.body else 0
        inputs[number // job.nodes % len(inputs)].send_nowait(AxiStreamFrame(words, **sides))

    def received(self) -> Iterator[tuple[int, Received]]:
        """Yield the packets received since the last call, and their nodes."""
        for node, sink in self._sinks.items():
            while not sink.empty():
                frame: Any = sink.recv_nowait(compact=bool(self._job.lanes))
                yield node, self._received(frame)

    def _received(self, frame: Any) -> Received:
        lanes, words, last_bytes = self._job.lanes, tuple(frame.tdata), 0
        if lanes:
            pieces = [words[i : i + lanes] for i in range(0, len(words), lanes)]
            words, last_bytes = tuple(int.from_bytes(piece, "little") for piece in pieces), len(words) % lanes
        tids, tusers = (tuple(side) if isinstance(side, list) else (side,) for side in (frame.tid, frame.tuser))
        return Received(words, tids, tusers if self._job.sets else (), last_bytes)

    @property
    def idle(self) -> bool:
        """True if all sources have sent their packets."""
        return all(source.idle() for inputs in self._sources.values() for source in inputs)

    async def _count_errors(self, error, clock) -> None:
        rises, edge = RisingEdge(error), RisingEdge(clock)
        while True:
            await rises
            await edge
            while error.value:
                self.errors += 1
                await edge

    async def _watch_output(self, prefix: str, clock) -> None:
        """Check that valid and data stay until the transfer, in the cycles in which an output waits."""
        dut, edge, settled = self._dut, RisingEdge(clock), ReadOnly()
        tvalid, tready = (getattr(dut, f"{prefix}_{name}") for name in ("tvalid", "tready"))
        sides = ("tid", "tuser") if self._job.sets else ("tid",)
        held = [getattr(dut, f"{prefix}_{name}") for name in ("tdata", "tlast", *sides)]
        rises = RisingEdge(tvalid)
        while True:
            await rises
            await edge
            while tvalid.value:
                waiting, offered = not tready.value, [int(signal.value) for signal in held]
                await settled
                if waiting and (not tvalid.value or [int(signal.value) for signal in held] != offered):
                    self.rule_broken = self.rule_broken or f"{prefix} took back what it had offered"
                await edge
