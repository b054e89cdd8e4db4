"""Messages that ``traffic`` describes, with errors that name the line."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hydranoc.config import schema
from hydranoc.config.load import TRAFFIC, Config
from hydranoc.config.random_traffic import random_messages
from hydranoc.config.sending import (
    broadcast_operation,
    check_broadcasts,
    check_software,
    complete_messages,
    operation_number,
    wrong_destination,
)
from hydranoc.config.source import KeyPath, unreadable
from hydranoc.errors import ConfigError, shown
from sim_model.messages.messages import Message, MessageError, Messages
from sim_model.messages.multinode import multinode_columns
from sim_model.messages.trace import TraceError, bounded_lines, read_trace
from topology.common.errors import FieldError

if TYPE_CHECKING:
    from hydranoc.config.collectives import CollectivePlan
    from hydranoc.config.plane import PlaneShape

BITS_PER_BYTE = 8
_KEYS = {
    "source": "source",
    "destinations": "destinations",
    "flits": "flits",
    "start_cycle": "start_cycle",
    "injection": "injection_channel",
}
"""Key of a listed message by the member of ``Message``."""


def build_messages(config: Config, routing: Any) -> Messages:
    """Return the messages of a configuration.

    Parameters:
        config: With a ``traffic`` section.
        routing: The family's tables, for the lengths of headers.

    Raises:
        ConfigError: For traffic that this network cannot carry.
    """
    traffic = config.traffic
    if traffic is None:
        raise config.source.error((), "key 'traffic' is missing; there is nothing to send")
    if isinstance(traffic, schema.Axi4Traffic):
        text = "traffic.kind is axi4; it must be of messages here: AXI4 transactions run in 'model' and 'compare'"
        raise config.source.error((*TRAFFIC, "kind"), text)
    check_software(config, traffic, routing.network)
    messages = _messages(config, traffic, routing)
    check_warmup(config, traffic, messages.start_cycle, "message")
    return messages


def build_plan(config: Config, routing: Any, plane: "PlaneShape | None") -> "CollectivePlan | None":
    """Return the collective operations of a configuration, with all its messages; None for traffic that names none.

    Parameters:
        config
        routing: The family's tables.
        plane: Collective plane of the network; None if it has none.

    Raises:
        ConfigError: For traffic that this network cannot carry.
    """
    traffic = config.traffic
    if isinstance(traffic, schema.CollectiveTraffic):
        from hydranoc.config.collectives import collective_plan

        return collective_plan(config, traffic, routing, plane)
    if isinstance(traffic, schema.NamedTraffic) and traffic.algorithms:
        from hydranoc.config.programs import program_plan

        check_software(config, traffic, routing.network)
        plan = program_plan(config, traffic, routing, plane)
        if not plan.starts:
            check_warmup(config, traffic, plan.messages.start_cycle, "message")
        return plan
    return None


def check_warmup(config: Config, traffic: schema.Traffic, start_cycle: np.ndarray, what: str) -> None:
    """Refuse a warm-up that leaves nothing for the statistics.

    Parameters:
        start_cycle (int[N]): Of all messages, or of what the traffic has in their place.
        what: Such as "message".

    Raises:
        ConfigError: If the last one starts before its end.
    """
    last = int(start_cycle.max(initial=0))
    if traffic.warmup_cycles > last:
        right = f"it must be at most {last}, the start of the last {what}: nothing would be left to be measured"
        text = f"traffic.warmup_cycles is {traffic.warmup_cycles}; {right}"
        raise config.source.error((*TRAFFIC, "warmup_cycles"), text)


def _messages(config: Config, traffic: schema.Traffic, routing: Any) -> Messages:
    if isinstance(traffic, schema.RandomTraffic):
        return random_messages(config, traffic, routing)
    if isinstance(traffic, schema.ListTraffic):
        return _listed(config, traffic, routing)
    if isinstance(traffic, schema.TraceTraffic):
        return _traced(config, traffic, routing)
    if isinstance(traffic, schema.BroadcastTraffic):
        return _broadcast(config, traffic, routing)
    if isinstance(traffic, schema.ProgramTraffic):
        from hydranoc.config.programs import program_messages  # readers of four formats

        return program_messages(config, traffic, routing)
    if isinstance(traffic, schema.CollectiveTraffic):
        from hydranoc.config.collectives import collective_plan

        return collective_plan(config, traffic, routing).messages
    assert isinstance(traffic, schema.MultinodeTraffic)
    return _multinode(config, traffic, routing)


def _broadcast(config: Config, traffic: schema.BroadcastTraffic, routing: Any) -> Messages:
    if (traffic.bytes is None) == (traffic.flits is None):
        raise config.source.error(TRAFFIC, "traffic must have either bytes or flits")
    operation = broadcast_operation(config, traffic)
    check_broadcasts(config, traffic, (*TRAFFIC, "kind"))
    others = [processor for processor in range(len(routing.network.processors)) if processor != traffic.source]
    record = Message(
        traffic.source,
        [] if operation else others,
        _broadcast_flits(config, traffic, routing.header_flits(others if traffic.software is None else others[:1])),
        start_cycle=traffic.start_cycle,
        operation=operation,
    )
    try:
        return complete_messages([record], config, routing)
    except MessageError as error:
        lengths = "flits" if traffic.bytes is None else "bytes"
        key = {"source": "source", "flits": lengths}.get(error.field, "kind")
        raise config.source.error((*TRAFFIC, key), f"traffic.{key}: {error.problem}") from None


def _broadcast_flits(config: Config, traffic: schema.BroadcastTraffic, header_flits: int) -> int:
    """Return the length of each message."""
    if traffic.bytes is None:
        return traffic.flits or 0
    return header_flits + -(-traffic.bytes * BITS_PER_BYTE // config.network_section.flit_bits)


def _multinode(config: Config, traffic: schema.MultinodeTraffic, routing: Any) -> Messages:
    try:
        records = multinode_columns(
            len(config.network.processors),
            sources=traffic.sources,
            destinations=traffic.destinations,
            hot_spot=traffic.hot_spot,
            flits=traffic.flits,
            seed=traffic.seed,
        )
    except FieldError as error:
        raise config.source.error((*TRAFFIC, error.field), f"traffic.{error.field}: {error}") from None
    try:
        return complete_messages(records, config, routing)
    except MessageError as error:
        key = "flits" if error.field == "flits" else "destinations"
        raise config.source.error((*TRAFFIC, key), f"traffic.{key}: {error.problem}") from None


def _listed(config: Config, traffic: schema.ListTraffic, routing: Any) -> Messages:
    records = [_listed_record(config, number, message) for number, message in enumerate(traffic.messages)]
    _check_processors(config, records)
    try:
        return complete_messages(records, config, routing)
    except MessageError as error:
        key = _KEYS.get(error.field)
        key_path = (*TRAFFIC, "messages", error.number)
        raise config.source.error(
            key_path if key is None else (*key_path, key), f"traffic.messages[{error.number}]: {error.problem}"
        ) from None


def _listed_record(config: Config, number: int, message: schema.ListedMessage) -> Message:
    key_path: KeyPath = (*TRAFFIC, "messages", number)
    if (message.destinations is None) == (message.algorithm is None):
        choices = "destinations or algorithm" if config.family.operations(config.network_section) else "destinations"
        raise config.source.error(key_path, f"traffic.messages[{number}] must have {choices}")
    operation = (
        0 if message.algorithm is None else operation_number(config, (*key_path, "algorithm"), message.algorithm)
    )
    return Message(
        message.source,
        message.destinations or (),
        message.flits,
        start_cycle=message.start_cycle,
        operation=operation,
        injection=message.injection_channel,
    )


def _check_processors(config: Config, records: list[Message]) -> None:
    last = len(config.network.processors) - 1
    for number, record in enumerate(records):
        key_path = (*TRAFFIC, "messages", number)
        named = [((*key_path, "source"), record.source)]
        named += [((*key_path, "destinations", i), processor) for i, processor in enumerate(record.destinations)]
        for where, processor in named:
            if not 0 <= processor <= last:
                key = "source" if where[-1] == "source" else "destination"
                text = f"traffic.messages[{number}]: {key} is {processor}; it must be a processor, 0 to {last}"
                raise config.source.error(where, text)
        wrong = wrong_destination(record)
        if wrong is not None:
            where = (*key_path, "destinations", wrong[0])
            raise config.source.error(where, f"traffic.messages[{number}]: {wrong[1]}")


def _traced(config: Config, traffic: schema.TraceTraffic, routing: Any) -> Messages:
    path = config.source.files.path(traffic.file)
    records = _read(config, traffic, path)
    if not records:
        raise ConfigError("the trace has no messages", file=path, line=1)
    for line, record in records:
        if record.start_cycle > schema.MAX_CYCLES:
            text = f"Start cycle is {record.start_cycle}; it must be at most {schema.MAX_CYCLES}"
            raise ConfigError(text, file=path, line=line)
        wrong = wrong_destination(record)
        if wrong is not None:
            raise ConfigError(wrong[1], file=path, line=line)
    try:
        return complete_messages([record for _, record in records], config, routing)
    except MessageError as error:
        raise ConfigError(error.problem, file=path, line=records[error.number][0]) from None


def _read(config: Config, traffic: schema.TraceTraffic, path: Path) -> list[tuple[int, Message]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:  # spreadsheets write a byte-order mark
            return read_trace(bounded_lines(lines), config.family.operations(config.network_section))
    except TraceError as error:
        raise ConfigError(error.problem, file=path, line=error.line) from None
    except UnicodeDecodeError:
        raise ConfigError("A trace must be UTF-8 text", file=path, line=1) from None
    except (OSError, ValueError) as error:
        raise unreadable(config.source, (*TRAFFIC, "file"), f"trace {shown(traffic.file)}", error) from None
