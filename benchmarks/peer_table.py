"""The table of ``peers``: medians of repeated runs, printed and as CSV."""

import csv
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.peer_builds import BOOKSIM2, CNSIM
from benchmarks.peer_program import PeerRun

OURS, RUN_ALONE = "HydraNoC", "HydraNoC, the run alone"
NAMES = (OURS, RUN_ALONE, BOOKSIM2.name, CNSIM.name)
COLUMNS = (
    *("nodes", "flits", "load", "cycles", "simulator", "repeats", "accepted_flits_per_node_per_cycle"),
    *("mean_latency_cycles", "flit_hops", "cpu_seconds", "million_flit_hops_per_cpu_second"),
    *("least_million_flit_hops_per_cpu_second", "most_million_flit_hops_per_cpu_second", "times_slower_than_ours"),
)
PRINTED = "  {:>5} {:>6}  {:>10} {:>9} {:>9} {:>9}  {:>8} {:>6}  {:>8} {:>8} {:>8}"


@dataclass(frozen=True)
class PeerRow:
    """Results for one setting.

    Parameters:
        side, flits (int): Nodes in each dimension, and flits of a packet.
        load: Flits per node and cycle.
        runs (dict of str to list of PeerRun): By the simulator's name, equally many of each.
    """

    side: int
    flits: int
    load: float
    cycles: int
    runs: dict[str, list[PeerRun]]

    def speeds(self, name: str) -> list[float]:
        """Return the million flit-hops per CPU second of each run."""
        return [run.flit_hops / run.cpu_seconds / 1e6 for run in self.runs[name]]

    def times(self, name: str, ours: str = OURS) -> float:
        """Return our speed relative to a peer: the median over repeats of two successive runs.

        Parameters:
            name: The other simulator.
            ours: Name of our run; by default end to end within a process.
        """
        return median(mine / theirs for mine, theirs in zip(self.speeds(ours), self.speeds(name), strict=True))

    def accepted(self, name: str) -> float:
        """Return the flits that arrived per node and cycle."""
        return median(run.accepted for run in self.runs[name])


def print_titles(side: int, cycles: int, repeats: int) -> None:
    """Print the titles above the rows."""
    print(f"mesh of {side} x {side} nodes, uniform unicasts, {cycles:,} cycles, medians of {repeats} repeats")
    print("million flit-hops per CPU second; how many times as fast ours is end to end; flits accepted of the load")
    peers = (BOOKSIM2.name, CNSIM.name)
    print(PRINTED.format("flits", "load", "end to end", "run alone", *peers, "times", "", "accepted", "", ""))
    print(PRINTED.format("", "", "", "", "", "", *peers, "ours", *peers))


def print_row(row: PeerRow) -> None:
    """Print a row; a dash marks a peer that has not run."""

    def shown(values: dict[str, float], names: tuple[str, ...], form: str) -> list[str]:
        return [format(values[name], form) if name in values else "-" for name in names]

    speeds = shown({name: median(row.speeds(name)) for name in row.runs}, NAMES, ".2f")
    times = shown({name: row.times(name) for name in row.runs}, NAMES[2:], ".1f")
    accepted = shown({name: row.accepted(name) for name in row.runs}, (OURS, *NAMES[2:]), ".4f")
    print(PRINTED.format(row.flits, f"{row.load:g}", *speeds, *times, *accepted), flush=True)


def write_csv(rows: list[PeerRow], path: Path) -> None:
    """Write a line for each row and simulator."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="ascii") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(_line(row, name) for row in rows for name in row.runs)


def _line(row: PeerRow, name: str) -> tuple[object, ...]:
    runs, speeds = row.runs[name], row.speeds(name)
    latency = median(run.latency for run in runs)
    return (
        *(row.side**2, row.flits, f"{row.load:g}", row.cycles, name, len(runs), f"{row.accepted(name):.5f}"),
        "" if latency != latency else f"{latency:.2f}",
        round(median(run.flit_hops for run in runs)),
        f"{median(run.cpu_seconds for run in runs):.4f}",
        *(f"{speed:.4f}" for speed in (median(speeds), min(speeds), max(speeds))),
        f"{row.times(name):.3f}",
    )
