"""What the slots of a family return besides tables and models: results of checks, classes of links."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

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
    """

    sizes: dict[str, int]
    unreached: tuple[tuple[int, int], ...]
    pairs: int
    deadlock: "DeadlockVerdict"

    @property
    def right(self) -> bool:
        """Whether everyone is reached and nothing can deadlock."""
        return not self.unreached and self.deadlock.free


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
