"""All routers whose cost is tabulated, family by family."""

from typing import Protocol

from benchmarks import harts_rows, min_rows, spam_rows
from rtl.common.plan import NetworkPlan


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
    """All rows of the table."""
    return [*spam_rows.rows(), *min_rows.rows(), *harts_rows.rows()]
