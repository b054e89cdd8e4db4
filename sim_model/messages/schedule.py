"""Multicasts as dependent unicasts: from senders and receivers to messages with parents and groups."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sim_model.messages.columns import MessageColumns
from sim_model.messages.messages import Message, MessageError, checked_destinations
from sim_model.messages.recursive_doubling import Tree, Unicast
from sim_model.messages.software_columns import tree_unicasts


def software_schedule(records: Iterable[Message], nodes: int, tree: Tree) -> Sequence[Message]:
    """Return messages with every multicast replaced by unicasts; each record becomes one group.

    A record with one destination is sent there straight. A wait for a record at one of its destinations becomes one for
    the unicast that goes there, and a wait at its source becomes one for all that the source sends.

    Parameters:
        records: ``tree`` sees them in this order. Columns in order become columns.
        nodes: Processors of the network.
        tree (callable): Tree of unicasts.

    Raises:
        MessageError: If nodes or parents of a record are not there.
    """
    if isinstance(records, MessageColumns) and records.in_order(nodes):
        return tree_unicasts(records, tree)
    sends = Sends()
    for number, record in enumerate(records):
        try:
            destinations = checked_destinations(record, nodes)
        except ValueError as error:
            raise MessageError.of(number, error) from None
        sends.add(record, () if len(destinations) == 1 else tree(record.source, destinations))
    return sends.messages


class Sends:
    """Records, added one by one, as the messages that are sent in their place.

    Members:
        messages (list of Message): Each in the group of its record.
    """

    def __init__(self):
        self.messages: list[Message] = []
        self._at: list[dict[int, list[int]]] = []  # of each record: its replacements at its source and destinations

    def add(self, record: Message, unicasts: Iterable[Unicast]) -> None:
        """Add the next record, sent as these unicasts, or unchanged if there are none.

        Raises:
            MessageError: If it waits for what is no earlier record that its source gets or sends.
        """
        number, first = len(self._at), len(self.messages)
        grouped = replace(self._waiting_for_sends(record), group=number)
        sent = dependent_unicasts(grouped, unicasts, first) or [grouped]
        self.messages += sent
        events: dict[int, list[int]] = {}
        for position, message in enumerate(sent, start=first):
            for node in message.destinations:
                events[node] = [position]
        events[record.source] = [first + k for k, message in enumerate(sent) if message.source == record.source]
        self._at.append(events)

    def _waiting_for_sends(self, record: Message) -> Message:
        parents, delays = [], []
        for parent, delay in zip(record.parents, record.delays, strict=True):
            if not 0 <= parent < len(self._at):
                raise MessageError(len(self._at), f"Parent is {parent!r}; it must be an earlier message", "parents")
            if record.source not in self._at[parent]:
                text = f"Parent is {parent!r}; it must be a message that processor {record.source} gets or sends"
                raise MessageError(len(self._at), text, "parents")
            sends = self._at[parent][record.source]
            parents += sends
            delays += [delay] * len(sends)
        return replace(record, parents=tuple(parents), delay_cycles=tuple(delays)) if parents else record


def dependent_unicasts(record: Message, unicasts: Iterable[Unicast], first_number: int) -> list[Message]:
    """Return the unicasts of one multicast: those of its source start when it does, others after their receipt.

    Parameters:
        record: The multicast, with its group.
        unicasts: Parents first.
        first_number: Number that the first of these messages will have in its set; the others follow.
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
                parents=(brought[unicast.sender],) if relayed else record.parents,
                delay_cycles=0 if relayed else record.delay_cycles,
            )
        )
        brought[unicast.receiver] = number
    return messages
