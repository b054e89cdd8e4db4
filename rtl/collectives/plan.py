"""Plan of a collective plane: tree, groups, and the shape of every switch."""

from dataclasses import dataclass
from functools import cached_property

from rtl.collectives.barriers import BarrierSwitch
from rtl.collectives.parameters import PlaneParameters, SwitchShape, switch_shape
from rtl.collectives.switch import PlaneSwitch
from rtl.parts.part import Part
from topology.collectives.tables import PlaneTables
from topology.collectives.tree import Branch, PlaneTree


@dataclass(frozen=True)
class PlanePlan:
    """A plane to be generated.

    Members:
        tables: Groups over a tree.
        parameters

    Raises:
        ValueError: If the groups are not as many as the parameters have.
    """

    tables: PlaneTables
    parameters: PlaneParameters

    def __post_init__(self):
        if len(self.tables.groups) != self.parameters.groups:
            raise ValueError(f"groups is {self.parameters.groups}; the tables have {len(self.tables.groups)}")

    @property
    def tree(self) -> PlaneTree:
        """The tree."""
        return self.tables.tree

    @cached_property
    def shapes(self) -> dict[int, SwitchShape]:
        """Shape of each switch, by number, ascending."""
        found = {}
        for switch in self.tree.switches:
            kinds = [branch.is_processor for branch in self.tree.branches_of(switch)]
            has_parent = self.tree.parent[switch] is not None
            found[switch] = switch_shape(self.parameters, kinds.count(False), kinds.count(True), has_parent=has_parent)
        return found

    @property
    def processor_branches(self) -> dict[int, Branch]:
        """Branch of each processor, by number, ascending."""
        return {branch.number: branch for branch in sorted(self.tree.branches, key=_number) if branch.is_processor}

    @property
    def child_branches(self) -> dict[int, Branch]:
        """Branch of each switch that has a parent, by number, ascending."""
        return {branch.number: branch for branch in sorted(self.tree.branches, key=_number) if not branch.is_processor}

    def constants(self, switch: int) -> dict[str, int]:
        """Return the constant inputs of a switch."""
        row, n = self.tree.position[switch], self.shapes[switch].branches
        groups = range(self.parameters.groups)
        return {
            "taking_part": sum(int(self.tables.taking_part[row, g]) << g * n for g in groups),
            "top": sum(int(self.tables.top[row, g]) << g for g in groups),
        }


def _number(branch: Branch) -> int:
    return branch.number


def make_switch(shape: SwitchShape) -> Part:
    """Return a switch of a shape."""
    return BarrierSwitch(shape) if shape.plane.barriers_only else PlaneSwitch(shape)
