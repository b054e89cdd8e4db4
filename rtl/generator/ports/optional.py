# (specimens of parts only provide their ports)
"""Options of any top: channel counters, status parts, loadable tables; and of exported tops: ``moved``."""

from typing import Any

from amaranth.lib.wiring import Out

from rtl.generator.fabric import Fabric
from rtl.generator.plan import NetworkPlan
from rtl.generator.ports.counters import connect_counters, counter_members
from rtl.generator.ports.status import connect_status, status_members
from rtl.generator.ports.tables import connect_tables, table_members
from rtl.generator.structure import Structure


def optional_members(plan: NetworkPlan) -> dict[str, Any]:
    """Return the members of a top for all options of the plan."""
    return {**counter_members(plan), **status_members(plan), **table_members(plan)}


def connect_optional(structure: Structure, fabric: Fabric, plan: NetworkPlan) -> None:
    """Add all options of the plan to a top."""
    connect_counters(structure, fabric, plan)
    connect_status(structure, fabric, plan)
    connect_tables(structure, fabric, plan)


def exported_members(plan: NetworkPlan) -> dict[str, Any]:
    """Return the members of an exported top: those of any top, and ``moved`` if the plan has it."""
    moved = {"moved": Out(plan.links.moved_bits)} if plan.moved else {}
    return {**moved, **optional_members(plan)}


def connect_exported(structure: Structure, fabric: Fabric, plan: NetworkPlan) -> None:
    """Add all options of the plan to an exported top, ``moved`` included."""
    if plan.moved:
        structure.outputs["moved"] = fabric.moved
    connect_optional(structure, fabric, plan)
