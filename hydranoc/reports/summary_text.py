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
    return str(value)


def _hosts(hosts: Mapping[str, Any]) -> str:
    """When hosts hold back, in words."""
    parts = [f"pause {hosts['pause']:.2f}, stall {hosts['stall']:.2f}, seed {hosts['seed']}"]
    for blocked in hosts["blocked"]:
        parts.append(
            f"blocked p{blocked['processor']} for {blocked['cycles']:,} cycles from cycle {blocked['start_cycle']:,} on"
        )
    return "; ".join(parts)


def summary_text(summary: Mapping[str, Any]) -> str:
    """The summary for people."""
    plain = {**summary, "hosts": _hosts(summary["hosts"])} if "hosts" in summary else summary
    rows = [(name.replace("_", " "), value) for name, value in plain.items() if name != "latency_cycles"]
    lines = [table(rows), "", f"{'latency, cycles':<16}" + "".join(f"{head:>11}" for head in _HEADS)]
    for name, figures in summary["latency_cycles"].items():
        cells = ["-" if figures[head] is None else _text(figures[head]) for head in _HEADS]
        lines.append(f"  {name.replace('_', ' '):<14}" + "".join(f"{cell:>11}" for cell in cells))
    return "\n".join(lines)
