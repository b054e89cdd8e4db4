"""What the slots of a family return besides tables and models: results of checks, classes of links."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from topology.common.total_order import NO_ORDER, OrderVerdict

if TYPE_CHECKING:
    from topology.common.deadlock import DeadlockVerdict


@dataclass(frozen=True)
class CheckReport:
    """What can be said of a network without running it.

    Members
    -------
    sizes : dict of str to int
        Counts by name, in the order in which they are shown.
    unreached : tuple of (int, int)
        Pairs of source and destination processor for which a message may fail to arrive.
    pairs : int
        Pairs examined.
    deadlock : DeadlockVerdict
    ordering : OrderVerdict or None
        Whether the tables order all messages; None in families whose messages nothing orders.
    promised_ordering : str
        One of ``ORDERINGS``: what the configuration asks for.
    """

    sizes: dict[str, int]
    unreached: tuple[tuple[int, int], ...]
    pairs: int
    deadlock: "DeadlockVerdict"
    ordering: OrderVerdict | None = None
    promised_ordering: str = NO_ORDER

    @property
    def ordered(self) -> bool:
        """True if messages have the order that the configuration asks for."""
        return self.promised_ordering == NO_ORDER or (self.ordering is not None and self.ordering.total)

    @property
    def right(self) -> bool:
        """True if everyone is reached, nothing can deadlock, and messages have the order that is asked for."""
        return not self.unreached and self.deadlock.free and self.ordered


@dataclass(frozen=True)
class LinkClasses:
    """How a picture tells links apart.

    Members
    -------
    root : int or None
        Switch to be marked.
    tree : frozenset of (int, int)
        Links between switches that belong to the spanning tree, lower number first.
    level : tuple of int or None
        Tree depth of each switch.
    names : (str, str)
        What the links of the tree and the others are called.
    around : frozenset of (int, int)
        Links that lead round the picture, lower number first: they leave it at either end as a stub, with the name of
        the switch at the other end. Two switches may be linked in the tree as well.
    rule : str
        Which switches the links of ``around`` join, in a few words, where there are too many of them for stubs: then
        none is drawn, and the legend says this.
    """

    root: int | None = None
    tree: frozenset[tuple[int, int]] = frozenset()
    level: tuple[int, ...] | None = None
    names: tuple[str, str] = ("tree link", "cross link")
    around: frozenset[tuple[int, int]] = frozenset()
    rule: str = ""
