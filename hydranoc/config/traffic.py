"""Builds the messages that ``traffic`` describes, with errors that name the line."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from hydranoc.config import schema
from hydranoc.config.load import TRAFFIC, Config
from hydranoc.config.source import KeyPath
from hydranoc.config.validation import nearest
from hydranoc.errors import ConfigError, reason, shown
from sim_model.common.messages import Message, MessageError, Messages
from sim_model.common.multinode import multinode_workload
from sim_model.common.spread import spread_unicasts
from sim_model.common.trace import TraceError, read_trace
from sim_model.common.traffic import random_traffic
from topology.common.channels import ChannelNetwork

MOST_MESSAGES = 20_000_000
BITS_PER_BYTE = 8
_KEYS = {"Source": "source", "Destination": "destinations", "Length": "flits", "Start": "start_cycle"}
"""Key of a listed message by the first word of what is wrong with it."""


def build_messages(config: Config, routing: Any) -> Messages:
    """The messages of a configuration.

    Parameters
    ----------
    config : Config
        With a ``traffic`` section.
    routing
        The family's tables, for the lengths of headers.

    Raises
    ------
    ConfigError
        For traffic that this network cannot carry.
    """
    traffic = config.traffic
    if traffic is not None:
        _check_software(config, traffic, routing.network)
    if isinstance(traffic, schema.RandomTraffic):
        return _random(config, traffic, routing)
    if isinstance(traffic, schema.ListTraffic):
        return _listed(config, traffic, routing)
    if isinstance(traffic, schema.TraceTraffic):
        return _traced(config, traffic, routing)
    if isinstance(traffic, schema.BroadcastTraffic):
        return _broadcast(config, traffic, routing)
    if isinstance(traffic, schema.MultinodeTraffic):
        return _multinode(config, traffic, routing)
    raise config.source.error((), "key 'traffic' is missing; there is nothing to send")


def _software_key(traffic: schema.Traffic) -> str:
    """The key that names the software: ``scheme`` is what multi-node multicasts call it."""
    return "scheme" if getattr(traffic, "scheme", None) is not None else "software"


def _check_software(config: Config, traffic: schema.Traffic, network: ChannelNetwork) -> None:
    names = config.family.software_names(network)
    key = _software_key(traffic)
    if key == "scheme" and traffic.software is not None:
        raise config.source.error((*TRAFFIC, "software"), "traffic must have either scheme or software")
    software = getattr(traffic, key)
    if software is not None and software not in names:
        *others, last = map(repr, names)
        choices = f"{', '.join(others)} or {last}" if others else last
        text = f"traffic.{key} must be {choices} in this network, not {shown(software)}{nearest(software, names)}"
        raise config.source.error((*TRAFFIC, key), text)


def _build(records: list[Message], config: Config, routing: Any) -> Messages:
    """Messages in columns, each multicast as unicasts if software sends it.

    Raises
    ------
    MessageError
        With the number of the record.
    """
    sent, seed, network = records, getattr(config.traffic, "seed", 0), routing.network
    channels = network.injection_channels_per_processor
    software = None if config.traffic is None else getattr(config.traffic, _software_key(config.traffic))
    if software is not None:
        sent = config.family.software_sends(network, records, software, seed)
    sent = spread_unicasts(sent, channels, seed)
    completed = []
    try:
        for number, record in enumerate(sent):
            try:
                completed.append(config.family.complete(config.network_section, routing, record))
            except ValueError as error:
                raise MessageError(number, str(error)) from None
        return Messages.build(
            completed,
            processors=len(network.processors),
            header_flits=routing.header_flits,
            injection_channels=channels,
        )
    except MessageError as error:
        group = sent[error.number].group
        raise MessageError(error.number if group is None else group, error.problem) from None


def _operation(config: Config, key_path: KeyPath, algorithm: str) -> int:
    """Number of a broadcast procedure."""
    names = config.family.operations(config.network_section)
    if not names:
        text = f"algorithm must be left out in family {config.family.name!r}, which has no broadcast procedures"
        raise config.source.error(key_path, f"{text}, not {algorithm!r}")
    if algorithm not in names:
        text = f"{key_path[-1]} must be {', '.join(names)}"
        raise config.source.error(key_path, f"{text}, not {shown(algorithm)}{nearest(algorithm, names)}")
    return names[algorithm]


def _broadcast(config: Config, traffic: schema.BroadcastTraffic, routing: Any) -> Messages:
    operation = _operation(config, (*TRAFFIC, "algorithm"), traffic.algorithm)
    if (traffic.bytes is None) == (traffic.flits is None):
        raise config.source.error(TRAFFIC, "traffic must have either bytes or flits")
    flit_bits = config.network_section.flit_bits
    key = "flits" if traffic.bytes is None else "bytes"
    body_flits = -(-(traffic.bytes or 0) * BITS_PER_BYTE // flit_bits)
    flits = traffic.flits or routing.header_flits([]) + body_flits
    record = Message(traffic.source, [], flits, start_cycle=traffic.start_cycle, operation=operation)
    try:
        return _build([record], config, routing)
    except MessageError as error:
        key_path = "source" if error.problem.startswith("Source") else key
        raise config.source.error((*TRAFFIC, key_path), f"traffic.{key_path}: {error.problem}") from None


def _multinode(config: Config, traffic: schema.MultinodeTraffic, routing: Any) -> Messages:
    try:
        records = multinode_workload(
            len(config.network.processors),
            sources=traffic.sources,
            destinations=traffic.destinations,
            hot_spot=traffic.hot_spot,
            flits=traffic.flits,
            seed=traffic.seed,
        )
    except ValueError as error:
        key = str(error).split()[0].lower()
        raise config.source.error((*TRAFFIC, key), f"traffic.{key}: {error}") from None
    try:
        return _build(records, config, routing)
    except MessageError as error:
        key = "flits" if error.problem.startswith("Length") else "destinations"
        raise config.source.error((*TRAFFIC, key), f"traffic.{key}: {error.problem}") from None


def _random(config: Config, traffic: schema.RandomTraffic, routing: Any) -> Messages:
    processors = len(config.network.processors)
    _check_random(config, traffic, processors)
    destinations = traffic.destinations
    if traffic.multicast_fraction == 0:
        destinations = 1  # the default could be more than there are
    records = random_traffic(
        processors=processors,
        cycles=traffic.cycles,
        seed=traffic.seed,
        messages_per_node_per_cycle=traffic.messages_per_node_per_cycle,
        multicast_fraction=traffic.multicast_fraction,
        destinations=destinations if isinstance(destinations, int) else (destinations.mean, destinations.stddev),
        flits=traffic.flits,
    )
    if traffic.algorithm is not None:
        operation = _operation(config, (*TRAFFIC, "algorithm"), traffic.algorithm)
        records = [replace(r, operation=operation) if len(r.destinations) > 1 else r for r in records]
    if not records:
        raise config.source.error(
            (*TRAFFIC, "cycles"), f"traffic.cycles must be so long that a message starts, not {traffic.cycles}"
        )
    try:
        return _build(records, config, routing)
    except MessageError as error:
        words = {"Length": "flits", "Destination": "multicast_fraction"}
        key = next((key for word, key in words.items() if error.problem.startswith(word)), "algorithm")
        key_path = (*TRAFFIC, key) if key in traffic.model_fields_set else TRAFFIC
        raise config.source.error(key_path, f"traffic.{key}: {error.problem}") from None


def _check_random(config: Config, traffic: schema.RandomTraffic, processors: int) -> None:
    """What only the size of the network shows to be wrong."""
    if processors < 2:
        raise config.source.error(TRAFFIC, f"random traffic needs at least 2 processors; this network has {processors}")
    key_path: KeyPath = (*TRAFFIC, "destinations")
    count = traffic.destinations
    if isinstance(count, schema.Gaussian):
        key_path, count = (*key_path, "mean"), count.mean
    if count >= processors and (traffic.multicast_fraction > 0 or "destinations" in traffic.model_fields_set):
        raise config.source.error(
            key_path,
            f"{'.'.join(map(str, key_path))} must be at most {processors - 1}, the other processors, not {count}",
        )
    expected = traffic.cycles * traffic.messages_per_node_per_cycle * processors
    if expected > MOST_MESSAGES:
        raise config.source.error(
            (*TRAFFIC, "cycles"),
            f"traffic.cycles {traffic.cycles} would be about {expected:.2g} messages; at most {MOST_MESSAGES:.0e} fit",
        )


def _listed(config: Config, traffic: schema.ListTraffic, routing: Any) -> Messages:
    records = [_listed_record(config, number, message) for number, message in enumerate(traffic.messages)]
    _check_processors(config, records)
    try:
        return _build(records, config, routing)
    except MessageError as error:
        key = next((key for word, key in _KEYS.items() if error.problem.startswith(word)), None)
        key_path = (*TRAFFIC, "messages", error.number)
        raise config.source.error(
            key_path if key is None else (*key_path, key), f"traffic.messages[{error.number}]: {error.problem}"
        ) from None


def _listed_record(config: Config, number: int, message: schema.ListedMessage) -> Message:
    key_path: KeyPath = (*TRAFFIC, "messages", number)
    if (message.destinations is None) == (message.algorithm is None):
        choices = "destinations or algorithm" if config.family.operations(config.network_section) else "destinations"
        raise config.source.error(key_path, f"traffic.messages[{number}] must have {choices}")
    operation = 0 if message.algorithm is None else _operation(config, (*key_path, "algorithm"), message.algorithm)
    return Message(
        message.source, message.destinations or (), message.flits, start_cycle=message.start_cycle, operation=operation
    )


def _check_processors(config: Config, records: list[Message]) -> None:
    last = len(config.network.processors) - 1
    for number, record in enumerate(records):
        key_path = (*TRAFFIC, "messages", number)
        named = [((*key_path, "source"), record.source)]
        named += [((*key_path, "destinations", i), processor) for i, processor in enumerate(record.destinations)]
        for where, processor in named:
            if not 0 <= processor <= last:
                kind = "source must be a processor" if where[-1] == "source" else "destinations must be processors"
                raise config.source.error(where, f"traffic.messages[{number}]: {kind}, 0 to {last}, not {processor}")


def _traced(config: Config, traffic: schema.TraceTraffic, routing: Any) -> Messages:
    path = config.path.parent / traffic.file
    records = _read(config, traffic, path)
    if not records:
        raise ConfigError("the trace has no messages", file=path, line=1)
    for line, record in records:
        if record.start_cycle > schema.MAX_CYCLES:
            text = f"Start cycle must be at most {schema.MAX_CYCLES}, not {record.start_cycle}"
            raise ConfigError(text, file=path, line=line)
    try:
        return _build([record for _, record in records], config, routing)
    except MessageError as error:
        raise ConfigError(error.problem, file=path, line=records[error.number][0]) from None


def _read(config: Config, traffic: schema.TraceTraffic, path: Path) -> list[tuple[int, Message]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:  # spreadsheets write a byte-order mark
            return read_trace(lines, config.family.operations(config.network_section))
    except TraceError as error:
        raise ConfigError(error.problem, file=path, line=error.line) from None
    except UnicodeDecodeError:
        raise ConfigError("A trace must be UTF-8 text", file=path, line=1) from None
    except (OSError, ValueError) as error:
        text = f"cannot read trace {shown(traffic.file)}: {reason(error)}"
        raise config.source.error((*TRAFFIC, "file"), text) from None
