"""Groups of the plane and the tables of its switches: branches that take part, and the top of each group."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from topology.collectives.tree import PlaneTree
from topology.collectives.words import check_groups
from topology.common.errors import TopologyError


@dataclass(frozen=True)
class Group:
    """Processors that call operations together.

    Parameters:
        number: Of 0 to the number of groups - 1.
        members: Processors, at least 1, each of them once.

    Raises:
        TopologyError: If there is no member, or one twice.
    """

    number: int
    members: tuple[int, ...]

    def __post_init__(self):
        if not self.members:
            raise TopologyError(f"Group {self.number} has 0 members; it must have at least 1", item=str(self.number))
        if len(set(self.members)) < len(self.members):
            twice = next(member for member in self.members if self.members.count(member) > 1)
            raise TopologyError(f"Member {twice} of group {self.number} is there twice", item=str(twice))


def groups_of(members: Iterable[Sequence[int]]) -> tuple[Group, ...]:
    """Return groups 0, 1, ... from the members of each.

    Raises:
        TopologyError: If a group has no member, or one twice.
    """
    return tuple(Group(number, tuple(own)) for number, own in enumerate(members))


@dataclass(frozen=True)
class PlaneTables:
    """Tables of all switches and groups.

    The top of a group is the lowest common ancestor of its members; of one member, its switch. A group does not take
    part above its top. Rows of arrays are the switches of the tree, in its order.

    Parameters:
        tree
        groups: Groups 0, 1, ..., 1 to 8 of them.

    Members:
        taking_part (int64 array, shape (switches, groups)): Mask of the branches with members behind them; 0 above the
            top.
        top (bool array, shape (switches, groups)): True at the top of a group.

    Raises:
        TopologyError: If a member is no processor, or groups are not numbered from 0.
        ValueError: If there are too many groups.
    """

    tree: PlaneTree
    groups: tuple[Group, ...]

    def __post_init__(self):
        check_groups(len(self.groups))
        for position, group in enumerate(self.groups):
            if group.number != position:
                raise TopologyError(f"Group {group.number} is at position {position}; groups must be numbered from 0")
            for member in group.members:
                if not 0 <= member < len(self.tree.processors):
                    raise TopologyError(
                        f"Member {member!r} of group {group.number} is no processor; "
                        f"they are 0 to {len(self.tree.processors) - 1}",
                        item=str(member),
                    )

    @cached_property
    def top_switch(self) -> tuple[int, ...]:
        """Number of the top of each group."""
        return tuple(self._top_of(group) for group in self.groups)

    def _top_of(self, group: Group) -> int:
        paths = [self.tree.path_up(self.tree.processors[member])[::-1] for member in group.members]
        common = self.tree.root
        for level in zip(*paths, strict=False):
            if len(set(level)) > 1:
                break
            common = level[0]
        return common

    @cached_property
    def top(self) -> np.ndarray:
        found = np.zeros((len(self.tree.switches), len(self.groups)), dtype=bool)
        for group, switch in enumerate(self.top_switch):
            found[self.tree.position[switch], group] = True
        return found

    @cached_property
    def taking_part(self) -> np.ndarray:
        found = np.zeros((len(self.tree.switches), len(self.groups)), dtype=np.int64)
        port = {(branch.is_processor, branch.number): branch.port for branch in self.tree.branches}
        for group in self.groups:
            top = self.top_switch[group.number]
            for member in group.members:
                switch = self.tree.processors[member]
                found[self.tree.position[switch], group.number] |= 1 << port[True, member]
                while switch != top:
                    above = self.tree.parent[switch]
                    assert above is not None
                    found[self.tree.position[above], group.number] |= 1 << port[False, switch]
                    switch = above
        return found

    def depth_of(self, group: int) -> int:
        """Return the largest number of links between switches from a member up to the top of a group.

        Parameters:
            group: Number of the group.
        """
        depth = self.tree.depth
        members = self.groups[group].members
        return max(depth[self.tree.processors[member]] for member in members) - depth[self.top_switch[group]]
