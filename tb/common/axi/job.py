"""Inputs and results of an AXI4-Stream run; importable without a simulator."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

JOB_VARIABLE = "HYDRANOC_AXI_JOB"
PROBABILITIES = (0.0, 0.5, 0.9)


@dataclass(frozen=True)
class Packet:
    """One AXI4-Stream packet.

    Members:
        source
        destinations: The set as sent, which may include the source; None for a packet to ``tdest``.
        tdest
        body: Words to be delivered. The first one is the packet's number in its phase. Empty: the packet has only the
            words of its set, and is unroutable.
        last_bytes: Bytes of the last word; 0 if it is full.
    """

    source: int
    destinations: tuple[int, ...] | None
    tdest: int
    body: tuple[int, ...] = ()
    last_bytes: int = 0

    def receivers(self, nodes: int) -> set[int]:
        """Return the nodes that must receive the packet."""
        if not self.body:
            return set()
        named = {self.tdest} if self.destinations is None else set(self.destinations)
        return {node for node in named if node != self.source and node < nodes}


@dataclass(frozen=True)
class Received:
    """A packet received by a node.

    Members:
        words, tids, tusers (tuple of int): Of each beat (no ``tusers`` without that port); of a partial word its valid
            bytes.
        last_bytes: Bytes of the last word; 0 if it is full.
    """

    words: tuple[int, ...]
    tids: tuple[int, ...]
    tusers: tuple[int, ...]
    last_bytes: int = 0


@dataclass(frozen=True)
class Phase:
    """Packets that are sent all at once.

    Members:
        idle: Probability that a source pauses in a cycle, also inside a packet.
        backpressure: Probability that a sink pauses in a cycle.
        packets
    """

    idle: float
    backpressure: float
    packets: tuple[Packet, ...]


@dataclass(frozen=True)
class AxiJob:
    """Inputs of one run.

    Members:
        nodes: Processors of the network.
        flit_bits
        leading_words: Words of a destination set in front of a packet; 0 if the set goes in ``tuser``.
        sources, sinks (tuple of int): Nodes whose ports the top has.
        ordered: Packets of one source to the same receivers must arrive in the order in which they were sent.
        seed: For pauses, and for undefined signals.
        phases
        result: File for the `AxiResult`, as JSON.
        lanes: Bytes of a word, of which the last one may have fewer; 0 if there is no ``tkeep``.
        clocks (tuple of (str, int)): Per node the port of its clock and the period in picoseconds; empty if all have
            the network's clock.
        sets: Packets may name destination sets; otherwise there is no ``tuser``.
        injection_channels: Inputs of each node. A node's packets go over them in turn, by their numbers.
    """

    nodes: int
    flit_bits: int
    leading_words: int
    sources: tuple[int, ...]
    sinks: tuple[int, ...]
    ordered: bool
    seed: int
    phases: tuple[Phase, ...]
    result: str = ""
    lanes: int = 0
    clocks: tuple[tuple[str, int], ...] = ()
    sets: bool = True
    injection_channels: int = 1

    @property
    def tdest_bits(self) -> int:
        """Width of ``tdest``."""
        return bits_of(self.nodes)

    def inputs_of(self, node: int) -> list[str]:
        """Return the prefixes of the ports of a node's inputs."""
        return input_prefixes(node, self.injection_channels)


@dataclass
class AxiResult:
    """Results of one run.

    Members:
        report: The first fault.
        deliveries: Packets that arrived, each destination counted.
        swallowed: Pulses of ``error``.
        cycles: Cycles of each phase.
        overtaken: Packets that arrived after a later one of the same source, for any other receivers.
    """

    report: str | None = None
    deliveries: int = 0
    swallowed: int = 0
    cycles: list[int] = field(default_factory=list)
    overtaken: int = 0


@dataclass(frozen=True)
class Load:
    """Distribution of random packets.

    Members:
        nodes: Processors of the network.
        flit_bits
        sources
        packets: Packets per source and phase.
        longest: Words of the longest body.
        bodiless: Whether there are packets with only the words of their set.
        lanes, sets: See `AxiJob`. Without sets a ``tdest`` may be up to two past the last node.
    """

    nodes: int
    flit_bits: int
    sources: Sequence[int]
    packets: int
    longest: int
    bodiless: bool
    lanes: int = 0
    sets: bool = True

    def random_packets(self, numbers: random.Random) -> tuple[Packet, ...]:
        """Return unicasts, multicasts, broadcasts, and unroutable packets.

        Raises:
            ValueError: If there are more packets than a word has values: a packet's first word is its number.
        """
        count = self.packets * len(self.sources)
        if count > 1 << self.flit_bits:
            raise ValueError(f"A phase must have at most {1 << self.flit_bits} packets, not {count}")
        return tuple(
            self._random_packet(numbers, number, self.sources[number % len(self.sources)]) for number in range(count)
        )

    def _random_packet(self, numbers: random.Random, number: int, source: int) -> Packet:
        more = numbers.choice((0, 0, 1, 2, 5, self.longest - 1))
        body = (number, *(numbers.getrandbits(self.flit_bits) for _ in range(more)))
        tdests = self.nodes if self.sets else min(self.nodes + 2, 1 << bits_of(self.nodes))
        kind, tdest = numbers.randrange(10), numbers.randrange(tdests)
        # a packet's number needs two bytes
        last_bytes = numbers.randrange(1 if more else 2, self.lanes + 1) % self.lanes if self.lanes else 0
        if last_bytes:
            body = (*body[:-1], body[-1] & (1 << 8 * last_bytes) - 1)
        if kind < 5 or not self.sets:
            return Packet(source, None, tdest, body, last_bytes)  # tdest may be the source itself
        sizes = {5: 1, 6: 2, 7: 3, 8: self.nodes // 2, 9: self.nodes}
        destinations = numbers.sample(range(self.nodes), min(self.nodes, max(1, sizes[kind])))
        is_bodiless = self.bodiless and number % 16 == 7
        set_of = tuple(sorted(destinations))
        return Packet(source, set_of, tdest) if is_bodiless else Packet(source, set_of, tdest, body, last_bytes)

    def every_mixture(self, numbers: random.Random) -> tuple[Phase, ...]:
        """Return one phase for every mixture of idle sources and back-pressure."""
        return tuple(
            Phase(idle, backpressure, self.random_packets(numbers))
            for idle in PROBABILITIES
            for backpressure in PROBABILITIES
        )


def input_prefixes(node: int, injection_channels: int) -> list[str]:
    """Return the prefixes of the ports of a node's inputs."""
    prefix = f"s_axis_n{node}"
    return [prefix] if injection_channels == 1 else [f"{prefix}_c{k}" for k in range(injection_channels)]


def bits_of(nodes: int) -> int:
    """Return the width of a node's number."""
    return max(1, (nodes - 1).bit_length())
