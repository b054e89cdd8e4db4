# amaranth: UnusedElaboratable=no
# (specimens of parts only say what ports there are)
"""What a plan may add to any top: channel counters, status parts, loadable tables."""

from typing import Any

from rtl.common.counter_ports import connect_counters, counter_members
from rtl.common.fabric import Fabric
from rtl.common.plan import NetworkPlan
from rtl.common.status_ports import connect_status, status_members
from rtl.common.structure import Structure
from rtl.common.table_ports import connect_tables, table_members


def optional_members(plan: NetworkPlan) -> dict[str, Any]:
    """Members of a top for all that the plan wants."""
    return {**counter_members(plan), **status_members(plan), **table_members(plan)}


def connect_optional(structure: Structure, fabric: Fabric, plan: NetworkPlan) -> None:
    """Put all that the plan wants into a top."""
    connect_counters(structure, fabric, plan)
    connect_status(structure, fabric, plan)
    connect_tables(structure, fabric, plan)
