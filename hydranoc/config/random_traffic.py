"""Messages of ``kind: random``: injection processes, patterns, sets and lengths, with errors that name the line."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hydranoc.config import schema
from hydranoc.config.extensions import PATTERNS, ExtensionError, find_function
from hydranoc.config.load import TRAFFIC, Config
from hydranoc.config.sending import broadcast_operation, check_broadcasts, complete_messages
from hydranoc.config.source import KeyPath
from sim_model.messages.columns import MessageColumns
from sim_model.messages.messages import MessageError, Messages
from sim_model.traffic import MAX_SHARES, RandomTraffic
from sim_model.traffic.counts import Count, FixedLength, LengthMix, Lengths, Shares, destination_count
from sim_model.traffic.destination_sets import (
    DestinationSets,
    EveryOther,
    RandomSets,
    WholeSets,
    line,
    near,
    same_group,
)
from sim_model.traffic.injection import (
    BatchInjection,
    BernoulliInjection,
    BurstInjection,
    Injection,
    PeriodicInjection,
    PoissonInjection,
)
from sim_model.traffic.patterns import (
    CandidatePattern,
    FixedPattern,
    FunctionPattern,
    HotSpotPattern,
    Pattern,
    UniformPattern,
    permutation_pattern,
)
from sim_model.traffic.requests import Replies
from topology.common.channels import ChannelNetwork
from topology.common.errors import FieldError

MAX_MESSAGES = 20_000_000
MULTICASTS, BROADCASTS = SHARES = ("multicast_fraction", "broadcast_fraction")
UNIFORM = "uniform"
PROCESSES: dict[str, Callable[[float], Injection]] = {
    "poisson": PoissonInjection,
    "bernoulli": BernoulliInjection,
    "periodic": PeriodicInjection,
}
LINES = {"row": 0, "column": 1}
"""Dimension of the line of a multicast's destinations."""


def random_messages(config: Config, traffic: schema.RandomTraffic, routing: Any) -> Messages:
    """Return the messages of random traffic.

    Raises:
        ConfigError: For traffic that this network cannot carry.
    """
    parts = checked_parts(config, traffic, routing.network)
    operation = broadcast_operation(config, traffic)
    records = _draw(config, traffic, parts)
    try:
        return complete_messages(records.with_operation(operation), config, routing)
    except MessageError as error:
        share = next((key for key in SHARES if getattr(traffic, key)), MULTICASTS)
        key = {"flits": "flits", "destinations": share}.get(error.field, "algorithm")
        key_path = (*TRAFFIC, key) if key in traffic.model_fields_set else TRAFFIC
        raise config.source.error(key_path, f"traffic.{key}: {error.problem}") from None


def checked_parts(config: Config, traffic: schema.RandomTraffic, network: ChannelNetwork) -> RandomTraffic:
    """Return the parts of random traffic before any message is drawn.

    Raises:
        ConfigError: For traffic that this network cannot carry, as far as no drawn message shows it.
    """
    _check_shares(config, traffic)
    _check_size(config, traffic, len(network.processors))
    return TrafficParts(config, traffic, network).random_traffic()


def _draw(config: Config, traffic: schema.RandomTraffic, parts: RandomTraffic) -> MessageColumns:
    try:
        messages = parts.draw(traffic.cycles, traffic.seed)
    except ValueError as error:  # only an external pattern can fail here
        raise config.source.error((*TRAFFIC, "pattern"), f"traffic.pattern: {error}") from error
    if len(messages) == 0:
        text = f"traffic.cycles is {traffic.cycles}; it must be so long that a message starts"
        raise config.source.error((*TRAFFIC, "cycles"), text)
    return messages


def _check_shares(config: Config, traffic: schema.RandomTraffic) -> None:
    multicasts, broadcasts = traffic.multicast_fraction, traffic.broadcast_fraction
    if multicasts + broadcasts > MAX_SHARES:
        right = f"it must be at most {1 - multicasts:g}, what {MULTICASTS} {multicasts:g} leaves"
        raise config.source.error((*TRAFFIC, BROADCASTS), f"traffic.{BROADCASTS} is {broadcasts:g}; {right}")
    if broadcasts:
        check_broadcasts(config, traffic, (*TRAFFIC, BROADCASTS))


def _check_size(config: Config, traffic: schema.RandomTraffic, processors: int) -> None:
    """Refuse values that the size of the network rules out."""
    if processors < 2:
        raise config.source.error(TRAFFIC, f"random traffic needs at least 2 processors; this network has {processors}")
    key_path: KeyPath = (*TRAFFIC, "destinations")
    count = traffic.destinations
    if isinstance(count, schema.Gaussian):
        key_path, count = (*key_path, "mean"), count.mean
    counted = traffic.multicast_fraction > 0 and not _whole_sets(traffic)
    if count >= processors and (counted or "destinations" in traffic.model_fields_set):
        raise config.source.error(
            key_path,
            f"{'.'.join(map(str, key_path))} is {count}; it must be at most {processors - 1}, the other processors",
        )
    expected = traffic.cycles * traffic.messages_per_node_per_cycle * processors
    if traffic.reply is not None:
        expected *= 2
    if traffic.software is not None:
        most = processors - 1 if _whole_sets(traffic) else count
        others = traffic.multicast_fraction * (most - 1) + traffic.broadcast_fraction * (processors - 2)
        expected *= 1 + others
    if expected > MAX_MESSAGES:
        raise config.source.error(
            (*TRAFFIC, "cycles"),
            f"traffic.cycles {traffic.cycles} would be about {expected:.2g} messages; at most {MAX_MESSAGES:.0e} fit",
        )


def _whole_sets(traffic: schema.RandomTraffic) -> bool:
    """Return True if the pattern of multicasts determines their number of destinations."""
    pattern = traffic.multicast_pattern
    return pattern in LINES if isinstance(pattern, str) else isinstance(pattern, schema.Groups)


@dataclass(frozen=True)
class TrafficParts:
    """Builder of the parts of random traffic.

    Parameters:
        traffic (RandomTraffic)
        network: With 2 processors or more.
    """

    config: Config
    traffic: schema.RandomTraffic
    network: ChannelNetwork

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.network.processors)

    def random_traffic(self) -> RandomTraffic:
        """Return all parts together."""
        shares = Shares(self.traffic.multicast_fraction, self.traffic.broadcast_fraction)
        return RandomTraffic(
            self.nodes, self.injection(), self.pattern(), self.lengths(), shares, self.sets(), self.replies()
        )

    def injection(self) -> Injection:
        """Return the injection process."""
        rate, process = self.traffic.messages_per_node_per_cycle, self.traffic.injection
        if isinstance(process, str):
            return PROCESSES[process](rate)
        if isinstance(process, schema.Batches):
            return BatchInjection(rate, process.messages)
        try:
            bursts = BurstInjection(rate, process.rate_in_bursts, process.mean_burst_cycles)
        except FieldError as error:
            raise self._error(("injection", error.field), f": {error}") from None
        self._check_bursts(bursts)
        return bursts

    def _check_bursts(self, bursts: BurstInjection) -> None:
        """Refuse a number of bursts beyond the limit of messages: memory holds each burst, even an empty one."""
        cycles = self.traffic.cycles
        expected = cycles * self.nodes / (bursts.mean_burst_cycles + bursts.mean_pause_cycles)
        if expected > MAX_MESSAGES:
            text = f" {cycles} would be about {expected:.2g} bursts; at most {MAX_MESSAGES:.0e} fit"
            raise self._error("cycles", text)

    def lengths(self) -> Lengths:
        """Return the distribution of message lengths."""
        return self._lengths(self.traffic.flits, "flits")

    def _lengths(self, flits: int | dict[int, float], *key: str) -> Lengths:
        if isinstance(flits, int):
            return FixedLength(flits)
        with self._errors_of(key, ": "):
            return LengthMix(flits)

    def replies(self) -> Replies | None:
        """Return the replies to messages; None without replies."""
        traffic, reply = self.traffic, self.traffic.reply
        if reply is None:
            return None
        for key in ("multicast_fraction", "broadcast_fraction", "software", "algorithm"):
            if getattr(traffic, key):
                raise self._error(key, f" is {getattr(traffic, key)!r}; it must be left out with reply")
        return Replies(self._lengths(reply.flits, "reply", "flits"), reply.delay_cycles, reply.outstanding)

    def pattern(self) -> Pattern:
        """Return the pattern of unicasts."""
        pattern = self.traffic.pattern
        if isinstance(pattern, str):
            return self._named_pattern(pattern)
        if isinstance(pattern, schema.HotSpot):
            with self._errors_of(("pattern", "nodes"), ": "):
                return HotSpotPattern(self.nodes, pattern.nodes, pattern.share)
        if isinstance(pattern, schema.Permutation):
            with self._errors_of(("pattern", "destinations"), ": "):
                return self._sending(permutation_pattern(pattern.destinations, self.nodes))
        return CandidatePattern(self._near("pattern", pattern))

    def _named_pattern(self, name: str) -> Pattern:
        if name == UNIFORM:
            return UniformPattern(self.nodes)
        from sim_model.traffic.permutations import PERMUTATIONS  # here, so that uniform traffic does not load it

        if name in PERMUTATIONS:
            with self._errors_of("pattern", f" {name!r} "):
                return self._sending(FixedPattern(PERMUTATIONS[name](self.network)))
        try:
            files = self.config.source.files
            function = find_function("traffic.pattern", name, PATTERNS, files, (UNIFORM, *PERMUTATIONS))
        except ExtensionError as error:
            raise self.config.source.error((*TRAFFIC, "pattern"), str(error)) from error
        return FunctionPattern(name, function, self.network)

    def _sending(self, pattern: FixedPattern) -> FixedPattern:
        """Return a pattern in which some node sends.

        Raises:
            ValueError: If it assigns all nodes to themselves.
        """
        unicasts = self.traffic.multicast_fraction + self.traffic.broadcast_fraction < 1
        if unicasts and (pattern.destination_of == np.arange(self.nodes)).all():
            raise ValueError("assigns all processors to themselves; one that does so does not send")
        return pattern

    def sets(self) -> DestinationSets | None:
        """Return the destination sets of multicasts; None without multicasts."""
        pattern, key = self.traffic.multicast_pattern, "multicast_pattern"
        if self.traffic.multicast_fraction == 0:
            return None
        if pattern == UNIFORM:
            return RandomSets(EveryOther(self.nodes), self._count(self.nodes - 1))
        if self.traffic.algorithm is not None:
            raise self._error(key, f" must be left out with algorithm {self.traffic.algorithm!r}, which reaches all")
        if isinstance(pattern, schema.Local):
            candidates = self._near(key, pattern)
            return RandomSets(candidates, self._count(int(candidates.sum(axis=1).min())))
        return WholeSets(self._whole(pattern))

    def _whole(self, pattern: Any) -> np.ndarray:
        """Return the destination sets of multicasts to whole rows, columns or groups."""
        if "destinations" in self.traffic.model_fields_set:
            word = pattern if isinstance(pattern, str) else pattern.kind
            raise self._error("destinations", f" must be left out with multicast_pattern {word!r}, which says which")
        if isinstance(pattern, str):
            with self._errors_of("multicast_pattern", f" {pattern!r} "):
                return line(self.network, LINES[pattern])
        with self._errors_of(("multicast_pattern", "groups"), ": "):
            return same_group(pattern.groups, self.nodes)

    def _count(self, most: int) -> Count:
        """Return the distribution of the number of destinations, with at most ``most`` for every node."""
        wanted = self.traffic.destinations
        gaussian = isinstance(wanted, schema.Gaussian)
        key = ("destinations", "mean") if gaussian else "destinations"
        mean = wanted.mean if gaussian else wanted
        if mean > most:
            raise self._error(key, f" is {mean}; it must be at most {most}, which are near every processor")
        return destination_count((wanted.mean, wanted.stddev) if gaussian else wanted, most)

    def _near(self, key: str, pattern: schema.Local) -> np.ndarray:
        with self._errors_of((key, "distance"), ": "):
            return near(self.network, pattern.distance)

    @contextlib.contextmanager
    def _errors_of(self, key: str | tuple[str, ...], between: str) -> Iterator[None]:
        """Turn an error of a part into one about its key."""
        try:
            yield
        except ValueError as error:
            raise self._error(key, f"{between}{error}") from None

    def _error(self, key: str | tuple[str, ...], text: str) -> Exception:
        path = (*TRAFFIC, *((key,) if isinstance(key, str) else key))
        return self.config.source.error(path, f"{'.'.join(path)}{text}")
