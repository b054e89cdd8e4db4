"""Messages of ``kind: random``, with errors that name the line."""

from typing import Any

from hydranoc.config import schema
from hydranoc.config.load import TRAFFIC, Config
from hydranoc.config.sending import broadcast_operation, check_broadcasts, complete_messages
from hydranoc.config.source import KeyPath
from hydranoc.config.traffic_parts import LINES, TrafficParts
from sim_model.messages.columns import MessageColumns
from sim_model.messages.messages import MessageError, Messages
from sim_model.traffic import MAX_SHARES, RandomTraffic
from sim_model.traffic.counts import Shares
from sim_model.traffic.injection import BurstInjection

MAX_MESSAGES = 20_000_000
MULTICASTS, BROADCASTS = SHARES = ("multicast_fraction", "broadcast_fraction")


def random_messages(config: Config, traffic: schema.RandomTraffic, routing: Any) -> Messages:
    """Return the messages of random traffic.

    Raises
    ------
    ConfigError
        For traffic that this network cannot carry.
    """
    processors = len(routing.network.processors)
    _check_shares(config, traffic)
    _check_size(config, traffic, processors)
    operation = broadcast_operation(config, traffic)
    records = _draw(config, traffic, routing)
    try:
        return complete_messages(records.with_operation(operation), config, routing)
    except MessageError as error:
        share = next((key for key in SHARES if getattr(traffic, key)), MULTICASTS)
        key = {"flits": "flits", "destinations": share}.get(error.field, "algorithm")
        key_path = (*TRAFFIC, key) if key in traffic.model_fields_set else TRAFFIC
        raise config.source.error(key_path, f"traffic.{key}: {error.problem}") from None


def _draw(config: Config, traffic: schema.RandomTraffic, routing: Any) -> MessageColumns:
    parts = TrafficParts(config, traffic, routing.network)
    injection = parts.injection()
    if isinstance(injection, BurstInjection):
        _check_bursts(config, traffic, injection, parts.nodes)
    random_traffic = RandomTraffic(
        parts.nodes,
        injection,
        parts.pattern(),
        parts.lengths(),
        Shares(traffic.multicast_fraction, traffic.broadcast_fraction),
        parts.sets(),
        parts.replies(),
    )
    try:
        messages = random_traffic.draw(traffic.cycles, traffic.seed)
    except ValueError as error:  # only an external pattern can fail here
        raise config.source.error((*TRAFFIC, "pattern"), f"traffic.pattern: {error}") from error
    if len(messages) == 0:
        text = f"traffic.cycles must be so long that a message starts, not {traffic.cycles}"
        raise config.source.error((*TRAFFIC, "cycles"), text)
    return messages


def _check_shares(config: Config, traffic: schema.RandomTraffic) -> None:
    multicasts, broadcasts = traffic.multicast_fraction, traffic.broadcast_fraction
    if multicasts + broadcasts > MAX_SHARES:
        text = f"traffic.{BROADCASTS} must be at most {1 - multicasts:g}, what {MULTICASTS} {multicasts:g} leaves"
        raise config.source.error((*TRAFFIC, BROADCASTS), f"{text}, not {broadcasts:g}")
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
            f"{'.'.join(map(str, key_path))} must be at most {processors - 1}, the other processors, not {count}",
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


def _check_bursts(config: Config, traffic: schema.RandomTraffic, injection: BurstInjection, processors: int) -> None:
    """Refuse a number of bursts beyond the limit of messages: memory holds each burst, even an empty one."""
    expected = traffic.cycles * processors / (injection.mean_burst_cycles + injection.mean_pause_cycles)
    if expected > MAX_MESSAGES:
        text = f"traffic.cycles {traffic.cycles} would be about {expected:.2g} bursts; at most {MAX_MESSAGES:.0e} fit"
        raise config.source.error((*TRAFFIC, "cycles"), text)
