"""Summary of a run of AXI4 transactions, its text for display, and ``transactions.csv``."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hydranoc.reports.summary import latency_figures
from hydranoc.reports.table import cell, table
from sim_model.axi4.results import Axi4Results

COLUMNS = (
    *("transaction", "manager", "kind", "address", "beats", "id", "receivers"),
    *("start_cycle", "offered_cycle", "done_cycle", "response"),
)
RESPONSES = ("OKAY", "EXOKAY", "SLVERR", "DECERR")
HEADS = ("count", "mean", "min", "p50", "p99", "max")
_KINDS = ("read", "write", "multicast_write", "unmapped")


def axi4_figures(results: Axi4Results, *, warmup_cycles: int) -> dict[str, Any]:
    """Return the summary of a run as plain values for JSON.

    Latencies are in cycles, from the first cycle on AW or AR to that of B or of the last beat of R. They exclude
    transactions that start before ``warmup_cycles``.
    """
    given = results.transactions
    is_measured = (results.done_cycle >= 0) & (given.start_cycle >= warmup_cycles)
    is_multicast, is_unmapped = results.receivers > 1, results.receivers == 0
    kinds = (
        ~given.is_write & ~is_unmapped,
        given.is_write & ~is_multicast & ~is_unmapped,
        is_multicast,
        is_unmapped,
    )
    cycles = max(1, results.cycles)
    return {
        "cycles": results.cycles,
        "transactions": len(given),
        "unfinished": int((results.done_cycle < 0).sum()),
        "deadlocked": results.deadlocked,
        "write_beats_per_cycle": results.write_beats / cycles,
        "read_beats_per_cycle": results.read_beats / cycles,
        "latency_cycles": {
            name: _latencies(results.latency[is_measured & own]) for name, own in zip(_KINDS, kinds, strict=True)
        },
        "stall_cycles": results.stalls,
    }


def _latencies(latencies: np.ndarray) -> dict[str, int | float | None]:
    return {**latency_figures(latencies), "min": int(latencies.min()) if len(latencies) else None}


def axi4_text(figures: Mapping[str, Any]) -> str:
    """Return the summary for display."""
    plain = {name: value for name, value in figures.items() if name not in ("latency_cycles", "stall_cycles")}
    rows = [
        (name.replace("_", " "), f"{value:.3f}" if name.endswith("beats_per_cycle") else value)
        for name, value in plain.items()
    ]
    lines = [table(rows), "", f"{'latency, cycles':<18}" + "".join(f"{head:>11}" for head in HEADS)]
    for name, own in figures["latency_cycles"].items():
        cells = ["-" if own[head] is None else cell(own[head]) for head in HEADS]
        lines.append(f"  {name.replace('_', ' '):<16}" + "".join(f"{text:>11}" for text in cells))
    stalls = ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in figures["stall_cycles"].items())
    return "\n".join([*lines, "", f"stalls, cycles: {stalls}"])


def write_transactions(results: Axi4Results, path: Path) -> None:
    """Write ``transactions.csv``: one row per transaction; missing cycles and responses are empty."""
    given = results.transactions
    with path.open("w", newline="", encoding="ascii") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for number in range(len(given)):
            offered, done = int(results.offered_cycle[number]), int(results.done_cycle[number])
            writer.writerow(
                (
                    number,
                    int(given.manager[number]),
                    "write" if given.is_write[number] else "read",
                    f"{int(given.address[number]):#x}",
                    int(given.beats[number]),
                    int(given.id[number]),
                    int(results.receivers[number]),
                    int(given.start_cycle[number]),
                    "" if offered < 0 else offered,
                    "" if done < 0 else done,
                    "" if done < 0 else RESPONSES[int(results.response[number])],
                )
            )
