"""Results of a run: the JSON summary, its text for display, and ``messages.csv``."""

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hydranoc.reports.collectives import collective_lines, plane_line
from hydranoc.reports.table import cell, table
from sim_model.engines.results import Results
from sim_model.statistics.latency import Summary, observed_percentiles
from sim_model.traffic.requests import round_trip_cycles
from topology.common.channels import ChannelNetwork
from topology.common.counter_bus import COUNTED, ChannelCounts

if TYPE_CHECKING:
    from hydranoc.replay.use import Use

CHANNEL_COLUMNS = ("channel", "name", *COUNTED, "utilisation")
USE_COLUMNS = ("measured_utilisation", "measured_stalled_share")
COPY_COLUMNS = ("copy_hops", "copy_stages", "in_direction", "stored_cycle", "spoilt")
COPY_FIELDS = ("hops", "stage", "direction", "stored_cycle", "spoilt")
COLUMNS = ("message", "source", "destination", "flits", "start_cycle", "arrival_cycle")


def summary_of(results: Results, *, warmup_cycles: int) -> dict[str, Any]:
    """Return the summary of a run as plain values for JSON.

    Latencies are in cycles, from the start of a message (start-up included) to the last flit at its last
    destination; a software multicast counts as one. They exclude messages that start before
    ``warmup_cycles``.
    """
    return {
        "cycles": results.cycles,
        "messages": len(results.messages),
        "deliveries": results.deliveries,
        "lost": results.lost,
        "duplicated": results.duplicated,
        "disordered": results.disordered,
        "deadlocked": results.deadlocked,
        "flit_hops": results.flit_hops,
        **results.reception,
        "latency_cycles": {
            name: latency_figures(results.complete_latencies(multicast=several, warmup_cycles=warmup_cycles))
            for name, several in (("unicast", False), ("multicast", True))
        },
    }


def round_trip_figures(results: Results, warmup_cycles: int) -> dict[str, Any]:
    """Return times from the start of requests to the arrival of replies, like the latencies of ``summary_of``."""
    return latency_figures(round_trip_cycles(results, warmup_cycles))


def latency_figures(latencies: np.ndarray) -> dict[str, int | float | None]:
    """Return count, mean, percentiles and maximum of latencies in cycles; all but the count may be None."""
    figures = Summary.of(latencies).as_dict()
    rare = observed_percentiles(latencies, (999,))[0] if len(latencies) else None
    longest = figures.pop("max")
    return {**figures, "p99.9": rare, "max": longest}


def use_figures(use: "Use", network: ChannelNetwork) -> dict[str, Any]:
    """Return the utilisation of the channels, in flits per cycle, in the counted cycles."""
    busiest = int(use.flits_per_cycle.argmax())
    return {
        "first_cycle": use.first,
        "last_cycle": use.last - 1,
        "mean": float(use.flits_per_cycle.mean()),
        "max": float(use.flits_per_cycle[busiest]),
        "busiest": network.channels[busiest].name,
    }


def is_right(summary: Mapping[str, Any]) -> bool:
    """Return True if all messages arrived exactly once, in order, and all results of the plane are right."""
    wrong = (summary[key] for key in ("lost", "duplicated", "disordered", "deadlocked"))
    on_plane = summary.get("plane", {}).get("wrong"), summary.get("plane_comparison", {}).get("mismatches")
    return not any(wrong) and not summary.get("mismatches") and not any(on_plane)


def write_messages(results: Results, path: Path) -> None:
    """Write ``messages.csv``: one row per message and destination, or per copy; missing cycles are empty."""
    several = results.copy_log is not None
    with path.open("w", newline="", encoding="ascii") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS + (COPY_COLUMNS if several else ()))
        writer.writerows(_copy_rows(results) if several else _rows(results))


def _message_columns(results: Results) -> list[list[Any]]:
    """Return message, source, destination, flits and start of each pair of message and destination, as lists."""
    messages = results.messages
    message = messages.message_of_destination
    start = [_cycle(cycle) for cycle in results.start_cycle[message].tolist()]
    columns = (message, messages.source[message], messages.destinations, messages.flits[message])
    return [*(column.tolist() for column in columns), start]


def _rows(results: Results) -> Iterator[tuple[Any, ...]]:
    arrival = map(_cycle, results.arrival_cycle.tolist())
    return zip(*_message_columns(results), arrival, strict=True)


def _copy_rows(results: Results) -> Iterator[tuple[int | str, ...]]:
    """Yield copies in the order of arrival; missing ones have empty columns."""
    found: dict[tuple[int, int], list[Any]] = {}
    for copy in results.copy_log if results.copy_log is not None else ():
        found.setdefault((int(copy["message"]), int(copy["node"])), []).append(copy)
    rows = zip(*_message_columns(results), strict=True)
    for columns, wanted in zip(rows, results.messages.copies.tolist(), strict=True):
        copies = found.get((columns[0], columns[2]), [])
        for copy in copies:
            yield (*columns, int(copy["cycle"]), *(int(copy[name]) for name in COPY_FIELDS))
        for _ in range(wanted - len(copies)):
            yield (*columns, *("" for _ in range(1 + len(COPY_FIELDS))))


def write_channels(
    counts: ChannelCounts, network: ChannelNetwork, cycles: int, path: Path, use: "Use | None" = None
) -> None:
    """Write ``channels.csv``: one row per channel; utilisation is the fraction of all cycles in which a flit moved.

    With ``use`` it also has the utilisation in the counted cycles.
    """
    counted = zip(*(count.tolist() for count in counts), strict=True)
    shares = [()] * len(network.channels)
    if use is not None:
        shares = zip(use.flits_per_cycle.tolist(), use.stalled_share.tolist(), strict=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(CHANNEL_COLUMNS + (() if use is None else USE_COLUMNS))
        writer.writerows(
            (channel.index, channel.name, *row, *[f"{value:.4f}" for value in (flits / max(1, cycles), *share)])
            for channel, row, flits, share in zip(network.channels, counted, counts.flits.tolist(), shares, strict=True)
        )


def _cycle(cycle: int) -> int | str:
    return "" if cycle < 0 else cycle


_HEADS = ("count", "mean", "p50", "p99", "p99.9", "max")
_TABLES = ("latency_cycles", "latency_histogram", "load", "utilisation", "collectives", "plane", "plane_comparison")
"""Figures with lines of their own."""
BEYOND_SATURATION = "beyond saturation: latencies grow with the length of the run"
_SHADES = " .:-=+*#%@"


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
        cells = ["-" if figures[head] is None else cell(figures[head]) for head in _HEADS]
        lines.append(f"  {name.replace('_', ' '):<14}" + "".join(f"{cell:>11}" for cell in cells))
    lines += [_shaded(name, figures) for name, figures in summary.get("latency_histogram", {}).items()]
    if "collectives" in summary:
        lines += ["", *collective_lines(summary["collectives"])]
    if "plane" in summary:
        lines += ["", plane_line(summary["plane"])]
    if "load" in summary:
        lines += ["", *load_lines(summary["load"])]
    if "utilisation" in summary:
        lines += ["", _used(summary["utilisation"])]
    return "\n".join(lines)


def load_lines(load: Mapping[str, Any]) -> list[str]:
    """Return the lines of offered and accepted load, and of fairness among sources.

    Parameters:
        load: See ``hydranoc.measurement.whole_runs.load_figures``.

    Returns:
        One line below saturation; beyond it one more and the fairness. A source that starves has a line in any case.
    """
    rates = [load[f"{name}_messages_per_node_per_cycle"] for name in ("offered", "accepted")]
    cycles = f"cycles {load['first_cycle']:,} to {load['last_cycle']:,}"
    line = f"load, {cycles}: offered {rates[0]:.4g}, accepted {rates[1]:.4g} messages per node and cycle"
    lines, fairness = [line], load.get("fairness")
    if load["beyond_saturation"]:
        lines.append(BEYOND_SATURATION)
        if fairness:
            least = f"p{fairness['least_processor']} has {fairness['least']:.3g} of the mean throughput"
            lines.append(f"fairness: Jain's index {fairness['jain']:.3g}, {least}")
    if fairness and fairness["starving"]:
        wait = fairness["longest_wait"]
        waited = f"a message of p{wait['processor']} waited {wait['cycles']:,} cycles for its injector"
        lines.append(f"starvation: {waited}, from cycle {wait['first_cycle']:,}")
    return lines


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
