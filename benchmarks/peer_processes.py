"""The golden model's command as a process, from its start to its end, beside the processes of other simulators."""

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import yaml

from benchmarks.end_to_end import mesh_configuration
from benchmarks.peer_builds import BOOKSIM2, CNSIM
from benchmarks.peer_program import PeerRun, Setting
from benchmarks.peer_table import RUN_ALONE, PeerRow
from benchmarks.sandbox import Sandbox

FIRST, AGAIN = "HydraNoC, the first process", "HydraNoC, the process again"
DAEMON = "HydraNoC, by the daemon"
SETTINGS = {Setting(8, 16, 0.1, 30_000): 5.0, Setting(8, 16, 0.01, 3_000): 1.0}
"""Settings of whole processes, and the required speed of the repeated process relative to BookSim2."""
PRINTED = "  {:>5} {:>5} {:>7}  {:>8} {:>8} {:>8} {:>10} {:>9} {:>9}  {:>8} {:>8}"


class OurProcesses:
    """Runs ``hydranoc model`` on the mesh: with empty caches, with filled caches, and by the daemon.

    Parameters:
        folder: An empty one, for caches and results.
    """

    def __init__(self, folder: Path):
        self._sandbox = Sandbox(folder)
        self._sandbox.import_modules()

    def __call__(self, setting: Setting) -> dict[str, PeerRun]:
        """Run a setting in each way.

        Raises:
            BenchmarkError: If a process fails.
        """
        config = self._sandbox.folder / "mesh.yaml"
        config.write_text(yaml.safe_dump(mesh_configuration(setting.flits, setting.load, setting.cycles, setting.side)))
        self._sandbox.empty_caches()
        ways = {FIRST: self._sandbox.seconds, AGAIN: self._sandbox.seconds, DAEMON: self._sandbox.daemon_seconds}
        return {name: self._run(way(("model", str(config))), setting) for name, way in ways.items()}

    def _run(self, seconds: float, setting: Setting) -> PeerRun:
        summary = json.loads((self._sandbox.folder / "results" / "summary.json").read_text())
        accepted = summary["deliveries"] * setting.flits / setting.side**2 / summary["cycles"]
        return PeerRun(summary["latency_cycles"]["unicast"]["mean"], accepted, summary["flit_hops"], seconds)


def print_processes(rows: Sequence[PeerRow]) -> None:
    """Print CPU seconds of whole processes, with those of the run alone beside them."""
    print("\nwhole processes, CPU seconds: Python, imports, configuration, messages, run, statistics, results")
    names = (FIRST, AGAIN, DAEMON, RUN_ALONE, BOOKSIM2.name, CNSIM.name)
    print(
        PRINTED.format(
            "flits", "load", "cycles", "first", "again", "daemon", "run alone", *names[4:], "times", "daemon"
        )
    )
    for row in rows:
        seconds = [_seconds(row, name) for name in names]
        times = [f"{row.times(BOOKSIM2.name, ours):.2f}" for ours in (AGAIN, DAEMON) if BOOKSIM2.name in row.runs]
        print(PRINTED.format(row.flits, f"{row.load:g}", row.cycles, *seconds, *(times or "--")), flush=True)


def _seconds(row: PeerRow, name: str) -> str:
    return f"{median(run.cpu_seconds for run in row.runs[name]):.3f}" if name in row.runs else "-"


def times_booksim(row: PeerRow) -> float:
    """Return the speed of our repeated process relative to BookSim2, for the same flit-hops."""
    return row.times(BOOKSIM2.name, AGAIN)


def missed_processes(rows: Sequence[PeerRow]) -> list[str]:
    """Return a line for each bar of whole processes that is missed."""
    bars = {(setting.load, setting.cycles): bar for setting, bar in SETTINGS.items()}
    return [
        f"whole process, {row.flits} flits, load {row.load:g}, {row.cycles:,} cycles: "
        f"{times_booksim(row):.2f} times as fast as {BOOKSIM2.name}, and {bars[row.load, row.cycles]:g} is the bar"
        for row in rows
        if times_booksim(row) < bars[row.load, row.cycles]
    ]
