"""Assembly of messages: start, number of destinations, destinations, and length.

Each of these has a random stream of its own, so that a change of one leaves the others unchanged.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from sim_model.messages.columns import MessageColumns
from sim_model.traffic.counts import FixedLength, Lengths, Shares, destination_count
from sim_model.traffic.destination_sets import Broadcasts, DestinationSets, EveryOther, RandomSets, entries_of_rows
from sim_model.traffic.injection import Injection, PoissonInjection
from sim_model.traffic.patterns import Pattern, UniformPattern
from sim_model.traffic.requests import Replies


@dataclass(frozen=True)
class RandomTraffic:
    """Random messages of all nodes of a network.

    Parameters:
        nodes: Processors of the network, at least 2.
        injection: Injection process.
        pattern: Destinations of unicasts.
        lengths
        shares: Shares of multicasts and broadcasts; by default 0.
        sets: Destinations of multicasts.
        replies: Replies to unicasts, if all messages are unicasts.

    Raises:
        ValueError: "X is Z; it must be Y".
    """

    nodes: int
    injection: Injection
    pattern: Pattern
    lengths: Lengths
    shares: Shares = field(default_factory=Shares)
    sets: DestinationSets | None = None
    replies: Replies | None = None

    def __post_init__(self):
        check_nodes(self.nodes)
        if self.shares.multicast and self.sets is None:
            raise ValueError("Multicasts must have destination sets, not None")
        if self.replies is not None and (self.shares.multicast or self.shares.broadcast):
            raise ValueError("Messages with replies must be unicasts, not multicasts or broadcasts")

    def draw(self, cycles: int, seed: int) -> MessageColumns:
        """Return messages that start in cycles ``0 .. cycles - 1``, in order of start (then source).

        Same seed, same messages, on any machine.

        Parameters:
            cycles: Length of the traffic, at least 1.
            seed: At least 0.

        Returns:
            Not checked against a network yet.

        Raises:
            ValueError: If there is no cycle.
        """
        if cycles < 1:
            raise ValueError(f"Traffic must last at least 1 cycle, not {cycles!r}")
        streams = _Streams(*(np.random.Generator(np.random.PCG64(s)) for s in np.random.SeedSequence(seed).spawn(6)))
        start, source = self.injection.starts(streams.starts, cycles, self.nodes)
        flits = self.lengths.draw(streams.lengths, len(source))
        multicast, broadcast = self.shares.draw(streams.shares, len(source))
        if len(multicast) + len(broadcast) == 0:
            destinations, counts = self._unicasts(streams, source)
        else:
            destinations, counts = self._mixed(streams, source, multicast, broadcast)
        if counts is not None and not counts.all():
            sent = counts > 0
            start, source, flits, counts = start[sent], source[sent], flits[sent], counts[sent]
        drawn = MessageColumns.of(
            source=source, destinations=destinations, flits=flits, start_cycle=start, counts=counts
        )
        return drawn if self.replies is None else self.replies.answered(drawn, streams.replies)

    def _unicasts(self, streams: "_Streams", source: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """Return the destinations, and the number per message; None if all have one."""
        drawn = self.pattern.draw(streams.unicasts, source)
        sent = drawn != source
        return (drawn, None) if sent.all() else (drawn[sent], sent.astype(np.int64))

    def _mixed(
        self, streams: "_Streams", source: np.ndarray, multicast: np.ndarray, broadcast: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the destinations, and the number per message."""
        is_unicast = np.ones(len(source), dtype=bool)
        is_unicast[multicast] = is_unicast[broadcast] = False
        unicast = np.flatnonzero(is_unicast)
        to_one, ones = self._unicasts(streams, source[unicast])
        parts = [(unicast, to_one, np.ones(len(unicast), dtype=np.int64) if ones is None else ones)]
        if self.sets is not None:
            parts.append((multicast, *self.sets.draw(streams.multicasts, source[multicast])))
        parts.append((broadcast, *Broadcasts(self.nodes).draw(streams.multicasts, source[broadcast])))
        counts = np.empty(len(source), dtype=np.int64)
        for numbers, _, how_many in parts:
            counts[numbers] = how_many
        offsets = np.concatenate(([0], np.cumsum(counts)))
        destinations = np.empty(int(offsets[-1]), dtype=np.int64)
        for numbers, drawn, _ in parts:
            destinations[entries_of_rows(offsets, numbers)[0]] = drawn
        return destinations, counts


def check_nodes(nodes: int) -> None:
    """Refuse networks in which a node has no other node to send to.

    Raises:
        ValueError: "X is Z; it must be Y".
    """
    if nodes < 2:
        raise ValueError(f"Random traffic needs at least 2 processors, not {nodes!r}")


class _Streams(NamedTuple):
    starts: np.random.Generator
    lengths: np.random.Generator
    shares: np.random.Generator
    unicasts: np.random.Generator
    multicasts: np.random.Generator
    replies: np.random.Generator


def random_traffic(
    *,
    processors: int,
    cycles: int,
    seed: int,
    messages_per_node_per_cycle: float,
    multicast_fraction: float,
    destinations: int | tuple[float, float],
    flits: int,
    broadcast_fraction: float = 0.0,
) -> MessageColumns:
    """Return Poisson traffic with uniform destinations, in order of start (then source).

    Parameters:
        processors: Processors of the network, at least 2.
        cycles: Messages start in cycles ``0 .. cycles - 1``.
        seed: Same seed, same messages, on any machine.
        messages_per_node_per_cycle: Mean rate of each node's Poisson process.
        multicast_fraction: Share of multicasts, 0 to 1.
        destinations (int or (float, float)): Destinations of a multicast, or mean and standard deviation of a Gaussian
            clipped to 1 .. processors - 1.
        flits: Length of every message, header included.
        broadcast_fraction: Share of messages to all other processors, at most what multicasts leave. The rest has one
            destination.

    Raises:
        ValueError: "X is Z; it must be Y".
    """
    check_nodes(processors)
    traffic = RandomTraffic(
        processors,
        PoissonInjection(messages_per_node_per_cycle),
        UniformPattern(processors),
        FixedLength(flits),
        Shares(multicast_fraction, broadcast_fraction),
        RandomSets(EveryOther(processors), destination_count(destinations, processors - 1)),
    )
    return traffic.draw(cycles, seed)
