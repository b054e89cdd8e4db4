"""Summaries for display: plain text in columns."""

from collections.abc import Iterable, Mapping
from typing import Any

_HEADS = ("count", "mean", "p50", "p99", "p99.9", "max")
_TABLES = ("latency_cycles", "latency_histogram", "load", "utilisation")
"""Figures with lines of their own."""
BEYOND_SATURATION = "beyond saturation: latencies grow with the length of the run"
_SHADES = " .:-=+*#%@"


def table(rows: Iterable[tuple[str, object]]) -> str:
    """Return names and values in two columns."""
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
    """Return the host back-pressure in words."""
    parts = [f"pause {hosts['pause']:.2f}, stall {hosts['stall']:.2f}, seed {hosts['seed']}"]
    for blocked in hosts["blocked"]:
        parts.append(
            f"blocked p{blocked['processor']} for {blocked['cycles']:,} cycles from cycle {blocked['start_cycle']:,} on"
        )
    return "; ".join(parts)


def summary_text(summary: Mapping[str, Any]) -> str:
    """Return the summary for display."""
    plain = {**summary, "hosts": _hosts(summary["hosts"])} if "hosts" in summary else summary
    rows = [(name.replace("_", " "), value) for name, value in plain.items() if name not in _TABLES]
    lines = [table(rows), "", f"{'latency, cycles':<16}" + "".join(f"{head:>11}" for head in _HEADS)]
    for name, figures in summary["latency_cycles"].items():
        cells = ["-" if figures[head] is None else _text(figures[head]) for head in _HEADS]
        lines.append(f"  {name.replace('_', ' '):<14}" + "".join(f"{cell:>11}" for cell in cells))
    lines += [_shaded(name, figures) for name, figures in summary.get("latency_histogram", {}).items()]
    if "load" in summary:
        lines += ["", *load_lines(summary["load"])]
    if "utilisation" in summary:
        lines += ["", _used(summary["utilisation"])]
    return "\n".join(lines)


def load_lines(load: Mapping[str, Any]) -> list[str]:
    """Return the lines of offered and accepted load.

    Parameters
    ----------
    load : mapping
        See ``hydranoc.measurement.single_run.load_figures``.

    Returns
    -------
    list of str
        One line, and a second one for a run beyond saturation.
    """
    rates = [load[f"{name}_messages_per_node_per_cycle"] for name in ("offered", "accepted")]
    cycles = f"cycles {load['first_cycle']:,} to {load['last_cycle']:,}"
    line = f"load, {cycles}: offered {rates[0]:.4g}, accepted {rates[1]:.4g} messages per node and cycle"
    return [line, BEYOND_SATURATION] if load["beyond_saturation"] else [line]


def _shaded(kind: str, histogram: Mapping[str, Any]) -> str:
    """Return a histogram in a line, a character for each class, darker for more messages."""
    counts, first, width = histogram["messages"], histogram["first_cycles"], histogram["width_cycles"]
    most = max((*counts, 1))
    shades = "".join(_SHADES[-(-count * (len(_SHADES) - 1) // most)] for count in counts)
    last = first + width * len(counts) - 1
    beyond = f", {histogram['beyond']:,} beyond" if histogram["beyond"] else ""
    return f"  {kind:<10}[{shades}] {first:,} to {last:,} cycles, {width:,} a letter{beyond}"


def _used(use: Mapping[str, Any]) -> str:
    cycles = f"cycles {use['first_cycle']:,} to {use['last_cycle']:,}"
    return f"channels, {cycles}: {use['mean']:.4f} flits per cycle, at most {use['max']:.4f} ({use['busiest']})"
