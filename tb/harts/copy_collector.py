"""Bench of the copy collector.

Parameters: ``size`` (of the mesh), ``flit_bits``, ``packet_flits``, ``votes`` (1: the copies vote, 0: the first is
taken), ``entries``, ``least_copies``, ``cycles``, ``seed``.
"""

import functools
import random
from collections.abc import Iterator, Mapping
from typing import Any

from sim_model.harts.copy_collector import CopyCollectorTwin
from tb.common.parts.monitor import LinkMonitor, RuleBroken
from tb.common.parts.parameters import Phase, parameters_of
from tb.common.parts.stream import PauseGenerator, StreamSink, StreamSource
from tb.common.parts.twin_bench import TwinBench, all_phases, on_each_instance
from tb.harts.copy_oracle import CrowdedOracle, ExactOracle, Oracle, Packet
from tb.harts.copy_traffic import CopyTraffic
from topology.common.flits import FlitFormat, HeaderFormat
from topology.harts.graph import HexMesh
from topology.harts.header import PacketHeader, harts_header
from topology.harts.reception import FIRST, STEPS, VOTE

REGISTERED = ("i.ready", "o.valid", "o.payload", "refused", "undecided")
ORDERLY, ABANDONED, CROWDED, STEADY = "orderly", "abandoned", "crowded", "steady"
LATENCY_CYCLES = 15
STEADY_PACKETS = 4
MAX_WAIT_CYCLES = 10_000
LONG_PAUSE, MAX_PAUSE_CYCLES = 0.01, 8 * STEPS


def collector_keywords(parameters: Mapping[str, int]) -> dict[str, Any]:
    """Return the keywords of a collector and of its twin, from the bench's parameters."""
    mesh = HexMesh(parameters["size"])
    return {
        "header": harts_header(mesh, parameters["flit_bits"]),
        "nodes": mesh.nodes,
        "packet_flits": parameters["packet_flits"],
        "mode": VOTE if parameters["votes"] else FIRST,
        "entries": parameters["entries"],
        "least_copies": parameters["least_copies"],
    }


class LongPauses(PauseGenerator):
    """Pauses, some of which last several frames: long enough for waiting packets to be overtaken."""

    _left = 0

    def paused(self) -> bool:
        """Return whether to pause in this cycle."""
        if self.probability and not self._left and self._random.random() < LONG_PAUSE:
            self._left = self._random.randrange(MAX_PAUSE_CYCLES)
        self._left = max(0, self._left - 1) if self.probability else 0
        return self._left > 0 or super().paused()


class PacketsOut:
    """Assembles packets from the flits that come out."""

    def __init__(self, flits: FlitFormat):
        self._flits = flits
        self._words: list[int] = []

    def flit_moved(self, flit: int) -> Packet | None:
        """Return the packet that ends with this flit, if any."""
        data, head, tail = self._flits.unpack(flit)
        if head != (not self._words):
            raise RuleBroken(f"flit {len(self._words)} of a packet has the head bit {head:d}")
        self._words.append(data)
        if not tail:
            return None
        header, *body = self._words
        self._words.clear()
        return Packet(header, tuple(body))

    def check_complete(self) -> None:
        """Raise ``RuleBroken`` if a packet is incomplete."""
        if self._words:
            raise RuleBroken(f"{len(self._words)} flits came out of a packet without a tail")


class CollectorBench:
    """A source of copies, the collector with its twin, a sink, and an oracle independent of both.

    Parameters:
        bench (TwinBench): Or another object with its ``step``.
        parameters (mapping of str to int)
        traffic: Kind of traffic.
    """

    def __init__(self, bench: Any, parameters: Mapping[str, int], traffic: str):
        self.bench = bench
        self.numbers = random.Random(parameters["seed"])
        keywords = collector_keywords(parameters)
        self.flits = FlitFormat(parameters["flit_bits"])
        self.packet_flits = parameters["packet_flits"]
        self.sweep_cycles = CopyCollectorTwin(**keywords).sweep_cycles
        self.oracle, packets = self._packets(traffic, keywords)
        self.source = StreamSource(
            self._flits_of(packets), self.flits.width, PauseGenerator(self.numbers), self.numbers
        )
        self.sink = StreamSink(LongPauses(self.numbers))
        self.out = LinkMonitor("o")
        self.packets = PacketsOut(self.flits)
        self.heads_seen: list[int] = []
        self.pulses = {"refused": 0, "undecided": 0}
        self._between_packets = True

    def _packets(self, traffic: str, keywords: Mapping[str, Any]) -> tuple[Oracle, Iterator[Packet]]:
        layout, entries = keywords["header"], keywords["entries"]
        rules = (layout, keywords["mode"], keywords["least_copies"])
        maker = CopyTraffic(layout, keywords["nodes"], self.packet_flits, entries, self.numbers)
        if traffic == CROWDED:
            oracle = CrowdedOracle(*rules)
            return oracle, maker.crowded(oracle)
        oracle = ExactOracle(*rules, entries, gives_up=traffic == ABANDONED)
        if traffic == STEADY:
            return oracle, self._ordinary(layout, oracle)
        return oracle, maker.abandoned(oracle) if traffic == ABANDONED else maker.orderly(oracle)

    def _ordinary(self, layout: HeaderFormat, oracle: Oracle) -> Iterator[Packet]:
        """Yield the longest ordinary packets without end."""
        while True:
            body = tuple(self.numbers.getrandbits(self.flits.flit_bits) for _ in range(self.packet_flits - 1))
            packet = Packet(PacketHeader(id=self.numbers.getrandbits(8)).pack(layout), body)
            oracle.take(packet)
            yield packet

    def _flits_of(self, packets: Iterator[Packet]) -> Iterator[int]:
        for packet in packets:
            last = len(packet.body)
            for position, word in enumerate((packet.header, *packet.body)):
                yield self.flits.pack(data=word, head=position == 0, tail=position == last)

    async def step(self) -> None:
        """Run one cycle."""
        valid, payload = self.source.offer()
        ready = self.sink.offer()
        seen = await self.bench.step({"i.valid": valid, "i.payload": payload, "o.ready": ready})
        if self.out.observe(seen["o.valid"], seen["o.payload"], ready):
            self._flit_moved(seen["o.payload"])
        self.sink.settle(seen["o.valid"], ready)
        taken = self.source.settle(seen["i.ready"])
        if valid:
            self._between_packets = taken is not None and self.flits.unpack(taken)[2]
        for pulse in self.pulses:
            self.pulses[pulse] += seen[pulse]

    def _flit_moved(self, flit: int) -> None:
        if self.flits.unpack(flit)[1]:
            self.heads_seen.append(self.bench.cycle - 1)
        packet = self.packets.flit_moved(flit)
        if packet:
            self.oracle.receive(packet)

    async def sweep(self) -> None:
        """Wait while the collector takes nothing."""
        while self.bench.cycle < self.sweep_cycles:
            await self.step()

    async def traffic(self, phase: Phase, cycles: int) -> None:
        """Random traffic up to the end of a packet, then let the collector run empty."""
        await self.sweep()
        self.source.pause.probability = phase.idle
        self.sink.pause.probability = phase.backpressure
        self.sink.waits_for_valid = phase.waits_for_valid
        self.out.start_phase()
        before = self.out.moved
        for _ in range(cycles):
            await self.step()
        if phase.waits_for_valid:
            # many copies may be needed until a packet is due
            for _ in range(MAX_WAIT_CYCLES):
                if self.out.moved > before:
                    break
                await self.step()
            self.out.check_progress()
        self.sink.flow_freely()
        await self._run_empty()
        self.packets.check_complete()
        self.oracle.check_settled(**self.pulses)

    async def _run_empty(self) -> None:
        self.source.pause.probability = 0.0
        longest_wait = (2 * self.packet_flits + 4) * STEPS
        for _ in range(longest_wait):
            if self._between_packets:
                self.source.stopped = True
                break
            await self.step()
        if not self.source.stopped:
            raise RuleBroken(f"a packet was not taken in {longest_wait} cycles")
        for _ in range(longest_wait):
            await self.step()
        self.source.stopped = False


def beside_twin(traffic: str, dut: Any, instance: str) -> CollectorBench:
    """Return the bench of an instance in the simulator."""
    parameters = parameters_of(instance)
    twin = CopyCollectorTwin(**collector_keywords(parameters))
    return CollectorBench(TwinBench(dut, instance, twin, REGISTERED), parameters, traffic)


@on_each_instance(functools.partial(beside_twin, ORDERLY))
async def all_copies_come(run: CollectorBench):
    """Every mixture of idle cycles and back-pressure, with room for every broadcast: the output is determined."""
    await all_phases(run)


@on_each_instance(functools.partial(beside_twin, ABANDONED))
async def copies_are_missing(run: CollectorBench):
    """Entries of incomplete broadcasts are evicted. Memories keep the content of the test before."""
    await all_phases(run)


@on_each_instance(functools.partial(beside_twin, CROWDED))
async def entries_do_not_suffice(run: CollectorBench):
    """Entries are evicted while their copies arrive."""
    await all_phases(run)


@on_each_instance(functools.partial(beside_twin, STEADY))
async def latency_and_rate(run: CollectorBench):
    """The first flit is taken in the first cycle after the sweep; the header comes a fixed time after its tail was
    taken; and a packet takes one frame more than it has flits."""
    await check_latency(run)


async def check_latency(run: CollectorBench) -> None:
    """Raise ``RuleBroken`` unless headers come out in the cycles in which they are due."""
    await run.sweep()
    first = run.sweep_cycles + (run.packet_flits - 1) * STEPS + LATENCY_CYCLES
    due = [first + packet * (run.packet_flits + 1) * STEPS for packet in range(STEADY_PACKETS)]
    while run.bench.cycle <= due[-1] + STEPS:
        await run.step()
    if run.heads_seen != due:
        raise RuleBroken(f"headers came out in the cycles {run.heads_seen} and not {due}")
