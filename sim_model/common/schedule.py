"""Multicasts as unicasts that depend on each other: from who sends to whom to messages with parents and groups."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from sim_model.common.messages import Message, MessageError, checked_destinations


class Unicast(NamedTuple):
    """One message of a multicast by software.

    Members
    -------
    sender, receiver : int
    operation : int
        See ``Message``.
    injection : int or None
        See ``Message``.
    """

    sender: int
    receiver: int
    operation: int = 0
    injection: int | None = None


Tree = Callable[[int, Sequence[int]], Iterable[Unicast]]
"""From source and sorted destinations to unicasts: parents first, those of a sender in the order in which it sends."""


def software_schedule(records: Iterable[Message], nodes: int, tree: Tree) -> list[Message]:
    """Messages with every multicast replaced by unicasts; each record becomes one group.

    A record with one destination is sent there straight. Records may not depend on each other.

    Parameters
    ----------
    records : iterable of Message
        ``tree`` sees them in this order.
    nodes : int
        Processors of the network.
    tree : callable
        Who sends to whom.

    Raises
    ------
    MessageError
        If a record has a parent, or its nodes are not there.
    """
    messages: list[Message] = []
    for group, record in enumerate(records):
        check_independent(group, record)
        try:
            destinations = checked_destinations(record, nodes)
        except ValueError as error:
            raise MessageError(group, str(error)) from None
        grouped = replace(record, group=group)
        if len(destinations) == 1:
            messages.append(grouped)
        else:
            messages += dependent_unicasts(grouped, tree(record.source, destinations), len(messages))
    return messages


def check_independent(number: int, record: Message) -> None:
    """Refuse a record that depends on another one.

    Raises
    ------
    MessageError
        "Message 3: Parent must be None in a software multicast, not 1".
    """
    if record.parent is not None:
        raise MessageError(number, f"Parent must be None in a software multicast, not {record.parent!r}")


def dependent_unicasts(record: Message, unicasts: Iterable[Unicast], first_number: int) -> list[Message]:
    """The unicasts of one multicast: those of its source start when it does, those of others when they have got it.

    Parameters
    ----------
    record : Message
        The multicast, with its group.
    unicasts : iterable of Unicast
        Parents first.
    first_number : int
        Number that the first of these messages will have in its set; the others follow.
    """
    brought: dict[int, int] = {}
    messages = []
    for number, unicast in enumerate(unicasts, start=first_number):
        relayed = unicast.sender != record.source
        messages.append(
            replace(
                record,
                source=unicast.sender,
                destinations=(unicast.receiver,),
                operation=unicast.operation,
                injection=unicast.injection,
                start_cycle=0 if relayed else record.start_cycle,
                parent=brought[unicast.sender] if relayed else None,
            )
        )
        brought[unicast.receiver] = number
    return messages
