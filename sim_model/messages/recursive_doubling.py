"""Trees of unicasts that carry a multicast, and recursive doubling: in each step all nodes with a message send it."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple


class Unicast(NamedTuple):
    """One message of a multicast by software.

    Members:
        sender, receiver (int)
        operation: See ``Message``.
        injection: See ``Message``.
    """

    sender: int
    receiver: int
    operation: int = 0
    injection: int | None = None


Tree = Callable[[int, Sequence[int]], Iterable[Unicast]]
"""From source and sorted destinations to unicasts: parents first, those of a sender in the order in which it sends."""


def halvings(members: int) -> list[tuple[int, int]]:
    """Return senders and receivers in a chain whose first member has the message: ceil(log2(members)) steps.

    The owner of the section lo..hi, which is at lo, sends to c = lo + ceil((hi - lo) / 2), which then owns c..hi; and
    so on until each owns itself.

    Parameters:
        members: Of the chain, the first one included; at least 1.

    Returns:
        list of (int, int): Positions of sender and receiver, in order of steps, so that a node comes as receiver before
            it comes as sender.
    """
    sends: list[tuple[int, int]] = []
    sections = [(0, members - 1)]
    while sections:
        following = []
        for low, high in sections:
            if low < high:
                middle = low + -(-(high - low) // 2)
                sends.append((low, middle))
                following += [(low, middle - 1), (middle, high)]
        sections = following
    return sends


class RotatingBase:
    """Trees whose base goes round from one multicast of a source to its next one, from 0 on.

    Other sources have no influence. It is a ``Tree`` for ``software_schedule``.

    Parameters:
        bases: Number of bases; with 1 all multicasts have base 0.
        sends: From source, destinations and base to unicasts.
    """

    def __init__(self, bases: int, sends: Callable[[int, Sequence[int], int], list[Unicast]]):
        self.bases = bases
        self.sends = sends
        self._multicasts_of: Counter[int] = Counter()

    def __call__(self, source: int, destinations: Sequence[int]) -> list[Unicast]:
        base = self._multicasts_of[source] % self.bases
        self._multicasts_of[source] += 1
        return self.sends(source, destinations, base)
