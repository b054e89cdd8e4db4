# (specimens of parts only provide their ports)
"""Layout of a switch's table store: the bits of each table."""

from dataclasses import dataclass

from rtl.generator.plan import NetworkPlan
from rtl.generator.structure import SharedModule
from topology.common.table_chain import chain_words

TABLES = ("routes", "reach")
"""Router ports that carry tables; all other constants depend on the switch's place."""


@dataclass(frozen=True)
class SwitchTables:
    """The tables of one switch, one after the other from bit 0 on.

    Members
    -------
    offsets : dict of str to (int, int)
        Lowest bit and width of each table.
    value : int
        Value to be loaded.
    """

    offsets: dict[str, tuple[int, int]]
    value: int

    @property
    def bits(self) -> int:
        """Width of all tables."""
        return sum(width for _, width in self.offsets.values())


def switch_tables(plan: NetworkPlan) -> list[SwitchTables]:
    """Return the tables of all switches."""
    modules = {shape: SharedModule(plan.shapes[shape]) for shape in {instance.shape for instance in plan.routers}}
    found = []
    for instance in plan.routers:
        offsets, value, low = {}, 0, 0
        for name in TABLES:
            if name in instance.constants:
                width = modules[instance.shape].inputs[name]
                offsets[name] = (low, width)
                value |= instance.constants[name] << low
                low += width
        found.append(SwitchTables(offsets, value))
    return found


def loaded_words(plan: NetworkPlan) -> list[int]:
    """Return the words for the chain of table stores, first to last."""
    return chain_words([(tables.value, tables.bits) for tables in switch_tables(plan)])
