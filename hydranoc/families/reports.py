"""Results of a family's methods besides tables and models: check reports, classes of links, names in table files."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from topology.common.total_order import NO_ORDER, OrderVerdict

if TYPE_CHECKING:
    from topology.collectives.proof import PlaneVerdict
    from topology.common.deadlock import DeadlockVerdict


@dataclass(frozen=True)
class CheckReport:
    """Results of the static check of a network.

    Members:
        sizes: Counts by name, in the order in which they are shown.
        unreached (tuple of (int, int)): Pairs of source and destination processor without guaranteed delivery.
        pairs: Pairs examined.
        deadlock
        ordering: Verdict on the total order of messages; None in families without ordering.
        promised_ordering: Requested ordering, one of ``ORDERINGS``.
        plane: Verdict on the collective plane; None without one.
    """

    sizes: dict[str, int]
    unreached: tuple[tuple[int, int], ...]
    pairs: int
    deadlock: "DeadlockVerdict"
    ordering: OrderVerdict | None = None
    promised_ordering: str = NO_ORDER
    plane: "PlaneVerdict | None" = None

    @property
    def ordered(self) -> bool:
        """True if messages have the requested order."""
        promised = self.promised_ordering
        return promised == NO_ORDER or (self.ordering is not None and self.ordering.keeps(promised))

    @property
    def network_right(self) -> bool:
        """True if all pairs are reached, deadlock is impossible, and messages have the requested order."""
        return not self.unreached and self.deadlock.free and self.ordered

    @property
    def right(self) -> bool:
        """True if everything is proved, of the network and of its collective plane."""
        return self.network_right and (self.plane is None or self.plane.right)


@dataclass(frozen=True)
class LinkClasses:
    """Classes of links in a picture.

    Members:
        root: Switch to be marked.
        tree (frozenset of (int, int)): Links between switches that belong to the spanning tree, lower number first.
        level: Tree depth of each switch.
        names: Names of the links of the tree and of the others.
        around (frozenset of (int, int)): Wrap links round the picture, lower number first: they end in a stub at either
            end, with the name of the switch at the other end. Two switches may be linked in the tree as well.
        rule: Short rule for the links of ``around``, where there are too many of them for stubs: then none is drawn,
            and the legend has this rule.
    """

    root: int | None = None
    tree: frozenset[tuple[int, int]] = frozenset()
    level: tuple[int, ...] | None = None
    names: tuple[str, str] = ("tree link", "cross link")
    around: frozenset[tuple[int, int]] = frozenset()
    rule: str = ""


@dataclass(frozen=True)
class TableNames:
    """Names of a family's keys and classes of arrival channels in a table file.

    Members:
        keys: Name of each routing key: a header's target vertex, or the family's other keys.
        arrivals: Name of each class of arrival channel.
    """

    keys: tuple[str, ...]
    arrivals: tuple[str, ...]
