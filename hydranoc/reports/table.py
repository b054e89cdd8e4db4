"""Tables for display; every command loads this file, so it imports nothing of the project."""

from collections.abc import Iterable, Sequence


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


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table, the first two columns aligned to the left and the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if position < 2 else cell.rjust(width)
            for position, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
