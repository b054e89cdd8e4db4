"""Checked messages from the records of a traffic section, sent by hardware or software."""

from collections.abc import Sequence
from typing import Any

from hydranoc.config import schema
from hydranoc.config.load import TRAFFIC, Config
from hydranoc.config.source import KeyPath
from hydranoc.errors import nearest, shown
from sim_model.messages.columns import MessageColumns, checked_messages
from sim_model.messages.messages import Message, MessageError, Messages
from sim_model.messages.software import COMMON_SOFTWARE, software_multicasts
from sim_model.messages.spread import spread_unicasts
from topology.common.channels import ChannelNetwork


def _software_key(traffic: schema.Traffic) -> str:
    """Return the key that names the software: ``scheme`` in multi-node multicasts."""
    return "scheme" if getattr(traffic, "scheme", None) is not None else "software"


def check_software(config: Config, traffic: schema.Traffic, network: ChannelNetwork) -> None:
    """Refuse software that is neither common to all families nor this family's own in this network.

    Raises:
        ConfigError: With the line of the key.
    """
    key = _software_key(traffic)
    if key == "scheme" and traffic.software is not None:
        raise config.source.error((*TRAFFIC, "software"), "traffic must have either scheme or software")
    software = getattr(traffic, key)
    if software is None:
        return
    names = (*COMMON_SOFTWARE, *config.family.software_names(network))
    if software not in names:
        *others, last = map(repr, names)
        choices = f"{', '.join(others)} or {last}" if others else last
        text = f"traffic.{key} is {shown(software)}; it must be {choices} in this network{nearest(software, names)}"
        raise config.source.error((*TRAFFIC, key), text)


def operation_number(config: Config, key_path: KeyPath, algorithm: str) -> int:
    """Return the number of a broadcast procedure.

    Raises:
        ConfigError: If the family has no such procedure.
    """
    names = config.family.operations(config.network_section)
    if not names:
        right = f"it must be left out in family {config.family.name!r}, which has no broadcast procedures"
        raise config.source.error(key_path, f"{key_path[-1]} is {algorithm!r}; {right}")
    if algorithm not in names:
        text = f"{key_path[-1]} is {shown(algorithm)}; it must be {', '.join(names)}{nearest(algorithm, names)}"
        raise config.source.error(key_path, text)
    return names[algorithm]


def broadcast_operation(
    config: Config, traffic: schema.RandomTraffic | schema.BroadcastTraffic | schema.ProgramTraffic
) -> int:
    """Return the operation of broadcasts by the algorithm of the traffic; 0 if it names none.

    Raises:
        ConfigError: If the family has no such algorithm, or software is to send them too.
    """
    if traffic.algorithm is None:
        return 0
    if traffic.software is not None:
        raise config.source.error((*TRAFFIC, "software"), "traffic must have either algorithm or software")
    return operation_number(config, (*TRAFFIC, "algorithm"), traffic.algorithm)


def check_broadcasts(
    config: Config, traffic: schema.RandomTraffic | schema.BroadcastTraffic, key_path: KeyPath
) -> None:
    """Refuse broadcasts without a procedure in families with broadcast procedures.

    Raises:
        ConfigError: With the line of ``key_path``.
    """
    names = config.family.operations(config.network_section)
    if names and traffic.algorithm is None and traffic.software is None:
        text = f"key 'algorithm' is missing in traffic: a broadcast in family {config.family.name!r} must have"
        raise config.source.error(key_path, f"{text} {', '.join(names)}, or software")


def wrong_destination(record: Message) -> tuple[int, str] | None:
    """Return position and error of a message's first wrong destination; None if all are right.

    The network would drop both silently: a message is not sent to its source, nor twice to one destination.
    """
    seen = set()
    for position, processor in enumerate(record.destinations):
        if processor == record.source:
            return position, f"destination is {processor}; it must be another processor than the source"
        if processor in seen:
            return position, f"destinations must be different processors, not {processor} twice"
        seen.add(processor)
    return None


def complete_messages(records: Sequence[Message], config: Config, routing: Any) -> Messages:
    """Return checked messages, each multicast as unicasts if software sends it.

    Raises:
        MessageError: With the number of the record.
    """
    sent, seed, network = records, getattr(config.traffic, "seed", 0), routing.network
    channels = network.injection_channels_per_processor
    software = None if config.traffic is None else getattr(config.traffic, _software_key(config.traffic))
    if software in COMMON_SOFTWARE:
        sent = software_multicasts(records, software)
    elif software is not None:
        sent = config.family.software_sends(network, records, software, seed)
    sent = spread_unicasts(sent, channels, seed)
    try:
        return checked_messages(
            _completed(sent, config, routing),
            processors=len(network.processors),
            header_flits=routing.header_flits,
            injection_channels=channels,
        )
    except MessageError as error:
        group = sent[error.number].group
        raise MessageError(error.number if group is None else group, error.problem, error.field) from None


def _completed(sent: Sequence[Message], config: Config, routing: Any) -> Sequence[Message]:
    """Return the messages in the form that the network accepts."""
    section, family = config.network_section, config.family
    columns = family.validate_messages(section, routing, sent) if isinstance(sent, MessageColumns) else None
    if columns is not None:
        return columns
    completed = []
    for number, record in enumerate(sent):
        try:
            completed.append(family.validate_message(section, routing, record))
        except ValueError as error:
            raise MessageError.of(number, error) from None
    return completed
