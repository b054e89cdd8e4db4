"""Tables for display; every command loads this file, so it imports nothing of the project."""

from collections.abc import Iterable


def table(rows: Iterable[tuple[str, object]]) -> str:
    """Return names and values in two columns."""
    texts = [(name, cell(value)) for name, value in rows]
    width = max((len(name) for name, _ in texts), default=0)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in texts)


def cell(value: object) -> str:
    """Return a value as a cell: yes or no, thousands apart, one decimal."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.1f}"
    return str(value)
