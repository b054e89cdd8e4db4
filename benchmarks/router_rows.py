"""All routers whose cost is tabulated, family by family."""

import importlib
from typing import Protocol

from hydranoc.families.registry import FAMILIES
from rtl.generator.plan import NetworkPlan


class Row(Protocol):
    """One router: the name of its row, and where it is found."""

    @property
    def name(self) -> str: ...

    @property
    def multicast(self) -> bool: ...

    @property
    def plan(self) -> NetworkPlan: ...

    @property
    def switch(self) -> int: ...


def rows() -> list[Row]:
    """Return all rows of the table, from ``benchmarks/NAME_rows.py`` of every family."""
    return [row for family in FAMILIES for row in importlib.import_module(f"benchmarks.{family}_rows").rows()]
