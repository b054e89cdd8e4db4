"""Summaries for people: plain text in columns."""

from collections.abc import Iterable, Mapping
from typing import Any

_HEADS = ("count", "mean", "p50", "p99", "max")


def table(rows: Iterable[tuple[str, object]]) -> str:
    """Names and values in two columns."""
    texts = [(name, _text(value)) for name, value in rows]
    width = max((len(name) for name, _ in texts), default=0)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in texts)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.1f}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {part}" for name, part in value.items())
    return str(value)


def summary_text(summary: Mapping[str, Any]) -> str:
    """The summary for people."""
    rows = [(name.replace("_", " "), value) for name, value in summary.items() if name != "latency_cycles"]
    lines = [table(rows), "", f"{'latency, cycles':<16}" + "".join(f"{head:>11}" for head in _HEADS)]
    for name, figures in summary["latency_cycles"].items():
        cells = ["-" if figures[head] is None else _text(figures[head]) for head in _HEADS]
        lines.append(f"  {name:<14}" + "".join(f"{cell:>11}" for cell in cells))
    return "\n".join(lines)
