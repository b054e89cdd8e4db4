"""Schedules of collective operations: transfers between numbered members, round by round.

Every operation moves one vector of a member, which is its contribution or its result, whichever is longer. A schedule
cuts the vector into parts and numbers them. In an all-to-all each member has a vector of its own with a part for each
member, so part d of member s has the number s * members + d.

A transfer carries what its sender has of some parts by the transfers that it waits for, and nothing else: a member
keeps what arrives earlier than its program expects it in a buffer. In a round each member sends at most one transfer
and receives at most one, so the number of rounds counts steps of hosts with one port each way.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

ALL_TO_ALL, BARRIER = "all-to-all", "barrier"


class Transfer(NamedTuple):
    """One message of a collective operation.

    Members:
        sender: Member.
        receivers: Members; several for a multicast in hardware.
        parts: Numbers of the parts that it carries.
        combines: The receiver combines them with its own; else it stores them in place of its own.
        after: Earlier transfers to its sender that the sender must have received before.
        round: From 0 on.
    """

    sender: int
    receivers: tuple[int, ...]
    parts: Sequence[int]
    combines: bool = False
    after: tuple[int, ...] = ()
    round: int = 0


@dataclass(frozen=True)
class Schedule:
    """Transfers of one collective operation.

    Members:
        operation: Name, such as ``all-reduce``.
        members: Number of members.
        root: Member that sends or gets everything, where there is one.
        parts: Parts of a vector.
        transfers: Each behind those that it waits for.
    """

    operation: str
    members: int
    root: int
    parts: int
    transfers: tuple[Transfer, ...]

    @property
    def rounds(self) -> int:
        """Rounds with a transfer."""
        return len({transfer.round for transfer in self.transfers})

    def sizes(self, total: int) -> list[int]:
        """Return the sizes of all parts by number, for a vector of ``total`` units.

        Parts of a vector differ by one unit at most. A part without units is still sent, by itself as a message
        without a body, so that counts of messages and rounds do not depend on sizes.
        """
        vector = balanced(total, self.parts)
        return vector * self.members if self.operation == ALL_TO_ALL else vector


def balanced(total: int, parts: int) -> list[int]:
    """Return the sizes of nearly equal parts; the first ones are longer by one."""
    size, longer = divmod(total, parts)
    return [size + 1] * longer + [size] * (parts - longer)


class Send(NamedTuple):
    """A transfer that is added to a round; see ``Transfer``."""

    sender: int
    receivers: tuple[int, ...]
    parts: Sequence[int] = (0,)
    combines: bool = False


class Rounds:
    """Transfers under construction, round by round.

    A transfer waits for the earlier receipts of its sender that determine the parts that it carries.

    Parameters:
        members: Number of members.

    Members:
        transfers (list of Transfer)
    """

    def __init__(self, members: int):
        self.transfers: list[Transfer] = []
        self._round = 0
        self._receipts: list[dict[int, tuple[int, ...]]] = [{} for _ in range(members)]  # by member and part
        self._last: list[tuple[int, ...]] = [()] * members  # last receipt of each member

    def add(self, sends: Iterable[Send], *, paced: bool = False) -> None:
        """Add a round; one without transfers does not count.

        Parameters:
            sends
            paced: A member also waits for its last receipt of any part, as a program that exchanges messages in turn.
        """
        first = len(self.transfers)
        for send in sends:
            receipts = self._receipts[send.sender]
            after = {number for part in send.parts for number in receipts.get(part, ())}
            if paced:
                after.update(self._last[send.sender])
            self.transfers.append(Transfer(*send, tuple(sorted(after)), self._round))
        for number in range(first, len(self.transfers)):
            self._receive(number)
        self._round += len(self.transfers) > first

    def _receive(self, number: int) -> None:
        transfer = self.transfers[number]
        for receiver in transfer.receivers:
            self._last[receiver] = (number,)
            receipts = self._receipts[receiver]
            for part in transfer.parts:
                before = receipts.get(part, ()) if transfer.combines else ()
                receipts[part] = (*before, number)
