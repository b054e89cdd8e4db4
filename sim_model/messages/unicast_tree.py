"""Trees of unicasts that carry a multicast."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple


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
