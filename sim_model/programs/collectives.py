"""Collective operations as transfers between their members, as their software commonly does them.

all-reduce        ring: n-1 steps that reduce parts of 1/n, and n-1 steps that hand them round
all-gather, reduce-scatter   ring: n-1 steps with parts of 1/n
all-to-all        each member sends 1/n to each other one, the next one first
broadcast         one message from the root to all others
scatter, gather   1/n from the root to each, or from each to the root
reduce            everything from each to the root
barrier           dissemination: ceil(log2(n)) rounds of empty messages, to members 1, 2, 4, ... farther on
"""

from collections.abc import Callable
from typing import NamedTuple


class Transfer(NamedTuple):
    """One message of a collective operation; members are numbered from 0.

    Members:
        sender
        receivers
        size_bytes
        after: Transfers of the same operation that the sender must have received before.
    """

    sender: int
    receivers: tuple[int, ...]
    size_bytes: int
    after: tuple[int, ...] = ()


class Collective(NamedTuple):
    """A collective operation of a group.

    Members:
        name: One of ``COLLECTIVES``.
        members
        size_bytes: Contribution or result of each member, all parts together.
        root: Member that sends or gets everything, where there is one.
    """

    name: str
    members: int
    size_bytes: int
    root: int = 0

    @property
    def part_bytes(self) -> int:
        """One member's share, rounded up."""
        return -(-self.size_bytes // self.members)

    @property
    def others(self) -> list[int]:
        """All members but the root."""
        return [member for member in range(self.members) if member != self.root]

    def transfers(self) -> list[Transfer]:
        """Return all messages, each after those that it waits for."""
        return [] if self.members == 1 else COLLECTIVES[self.name](self)


def _ring(collective: Collective, rounds: int) -> list[Transfer]:
    n = collective.members
    transfers = []
    for step in range(rounds * (n - 1)):
        for member in range(n):
            after = ((step - 1) * n + (member - 1) % n,) if step else ()
            transfers.append(Transfer(member, ((member + 1) % n,), collective.part_bytes, after))
    return transfers


def _all_to_all(collective: Collective) -> list[Transfer]:
    n = collective.members
    return [
        Transfer(member, ((member + distance) % n,), collective.part_bytes)
        for distance in range(1, n)
        for member in range(n)
    ]


def _barrier(collective: Collective) -> list[Transfer]:
    n, transfers = collective.members, []
    for number in range((n - 1).bit_length()):
        for member in range(n):
            after = tuple(before * n + (member - (1 << before)) % n for before in range(number))
            transfers.append(Transfer(member, ((member + (1 << number)) % n,), 0, after))
    return transfers


def _broadcast(collective: Collective) -> list[Transfer]:
    return [Transfer(collective.root, tuple(collective.others), collective.size_bytes)]


def _scatter(collective: Collective) -> list[Transfer]:
    return [Transfer(collective.root, (other,), collective.part_bytes) for other in collective.others]


def _to_root(collective: Collective, size_bytes: int) -> list[Transfer]:
    return [Transfer(other, (collective.root,), size_bytes) for other in collective.others]


COLLECTIVES: dict[str, Callable[[Collective], list[Transfer]]] = {
    "all-reduce": lambda collective: _ring(collective, 2),
    "reduce": lambda collective: _to_root(collective, collective.size_bytes),
    "all-gather": lambda collective: _ring(collective, 1),
    "gather": lambda collective: _to_root(collective, collective.part_bytes),
    "scatter": _scatter,
    "broadcast": _broadcast,
    "all-to-all": _all_to_all,
    "reduce-scatter": lambda collective: _ring(collective, 1),
    "reduce-scatter-block": lambda collective: _ring(collective, 1),
    "barrier": _barrier,
}
"""Transfers by name; the numbers of Chakra's types are their positions."""
