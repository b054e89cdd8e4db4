"""The golden model beside BookSim2 and CNSim, built and run by this one command: flit-hops per CPU second of each.

``python -m benchmarks.peers --peers DIR`` (docs/understand/peers.md). DIR holds the tarballs of their sources, which
are not part of the project. All run in turn, repeatedly, so that other load on the machine affects all of them.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from benchmarks.booksim import BookSim
from benchmarks.cnsim import CnSim
from benchmarks.end_to_end import FLITS, measure_once, mesh
from benchmarks.peer_builds import BOOKSIM2, CNSIM, Peer, built, tarball_of
from benchmarks.peer_processes import SETTINGS, OurProcesses, missed_processes, print_processes
from benchmarks.peer_program import PeerError, PeerRun, Setting
from benchmarks.peer_table import OURS, RUN_ALONE, PeerRow, print_row, print_titles, write_csv
from benchmarks.sandbox import BenchmarkError
from hydranoc.reports.progress import progress_bars

SIDES = (8, 16, 32)
LOADS = (0.1, 0.2, 0.3)
"""Flits per node and cycle on 8 x 8 nodes; on more they are less in proportion, as is the capacity of a mesh."""
VCS, BUFFER_FLITS = 2, 4
"""Parameters of BookSim; ours are in ``mesh.yaml``."""
SAMPLES = 4  # parts of BookSim's runs; the first is its warm-up
BARS = {5: {CNSIM.name: 1.0}, 16: {CNSIM.name: 1.5, BOOKSIM2.name: 40.0}, 64: {CNSIM.name: 2.0}}
"""Required speed relative to each peer, end to end, by the flits of a packet; elsewhere ``BAR`` times BookSim2."""
BAR = 15.0


Runner = Callable[[Setting], dict[str, PeerRun]]
"""Runs a setting once; returns the results by name."""


def run_ours(setting: Setting) -> dict[str, PeerRun]:
    """Run the golden model; return the results end to end, and of the cycles alone."""
    cost = measure_once(mesh(setting.flits, setting.load, setting.cycles, setting.side))
    accepted = cost.summary["deliveries"] * setting.flits / setting.side**2 / cost.summary["cycles"]
    latency = cost.summary["latency_cycles"]["unicast"]["mean"]
    return {
        name: PeerRun(latency, accepted, cost.flit_hops, seconds)
        for name, seconds in ((OURS, cost.seconds), (RUN_ALONE, cost.run_seconds))
    }


def run_booksim(program: Path, settings: dict[str, str], setting: Setting) -> dict[str, PeerRun]:
    """Run BookSim2; return the results of the process from its start to its end."""
    keys = {"topology": "mesh", "k": str(setting.side), "n": "2", "routing_function": "dim_order"}
    booksim = BookSim(program, setting.side**2, keys, VCS, BUFFER_FLITS, setting.flits, settings)
    sample = setting.cycles // SAMPLES
    return {BOOKSIM2.name: booksim.run(setting.load, sample, setting.cycles - sample)}


def run_cnsim(program: Path, setting: Setting) -> dict[str, PeerRun]:
    """Run CNSim; return the results of the process from its start to its end."""
    return {CNSIM.name: CnSim(program, setting.side, VCS, setting.flits).run(setting.load, setting.cycles)}


def measured(runners: list[Runner], settings: list[Setting], repeats: int) -> Iterator[PeerRow]:
    """Yield a row for each setting; in each repeat all run in turn."""
    for setting in settings:
        runs: dict[str, list[PeerRun]] = {}
        for _ in range(repeats):
            for runner in runners:
                for name, run in runner(setting).items():
                    runs.setdefault(name, []).append(run)
        yield PeerRow(setting.side, setting.flits, setting.load, setting.cycles, runs)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=(__doc__ or "").splitlines()[0])
    tarballs = f"{BOOKSIM2.tarball} and {CNSIM.tarball}"
    parser.add_argument("--peers", metavar="DIR", type=Path, required=True, help=f"folder with {tarballs}")
    parser.add_argument("--without-cnsim", action="store_true", help="BookSim2 alone (CNSim needs cmake and Boost)")
    parser.add_argument("--without-processes", action="store_true", help="no whole processes of the golden model")
    parser.add_argument("--side", type=int, choices=SIDES, default=SIDES[0], help="nodes in each dimension (default 8)")
    parser.add_argument("--flits", type=int, action="append", help="of a packet (default 5, 16 and 64)")
    parser.add_argument("--load", type=float, action="append", help="flits per node and cycle (default 0.1, 0.2, 0.3)")
    parser.add_argument("--cycles", type=int, default=30_000, help="of each run (default 30000)")
    parser.add_argument("--repeats", type=int, default=5, help="default 5")
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help="a setting of BookSim2")
    parser.add_argument("-o", dest="table", metavar="FILE", type=Path, default=Path("results/peers.csv"))
    return parser


def _runners(chosen: argparse.Namespace) -> list[Runner]:
    """Return our runner, and the peers', built."""
    peers: list[Peer] = [BOOKSIM2] if chosen.without_cnsim else [BOOKSIM2, CNSIM]
    tarballs = [tarball_of(peer, chosen.peers) for peer in peers]
    programs: dict[str, Path] = {}
    with progress_bars() as progress:
        for peer, tarball in zip(peers, tarballs, strict=True):
            progress(f"building {peer.name}", 0, 0)
            programs[peer.name] = built(peer, tarball)
    keys = dict(setting.partition("=")[::2] for setting in chosen.set)
    runners: list[Runner] = [run_ours, partial(run_booksim, programs[BOOKSIM2.name], keys)]
    return runners if chosen.without_cnsim else [*runners, partial(run_cnsim, programs[CNSIM.name])]


def _settings(chosen: argparse.Namespace) -> list[Setting]:
    if chosen.cycles < SAMPLES or chosen.repeats < 1:
        raise ValueError(f"--cycles and --repeats must be at least {SAMPLES} and 1")
    loads = chosen.load or [load * SIDES[0] / chosen.side for load in LOADS]
    return [Setting(chosen.side, flits, load, chosen.cycles) for flits in chosen.flits or FLITS for load in loads]


def main(arguments: list[str] | None = None) -> None:
    """Build, measure, print and write; exit code 1 if a bar is missed."""
    chosen = _parser().parse_args(arguments)
    try:
        settings, runners = _settings(chosen), _runners(chosen)
        run_ours(settings[0])  # compiles, or loads compiled loops
        rows = []
        print_titles(chosen.side, chosen.cycles, chosen.repeats)
        for row in measured(runners, settings, chosen.repeats):
            print_row(row)
            rows.append(row)
        missed = [line for row in rows for line in missed_bars(row)]
        if not chosen.without_processes:
            processes = _measured_processes(runners, chosen.repeats)
            print_processes(processes)
            missed += missed_processes(processes)
            rows += processes
        write_csv(rows, chosen.table)
    except (PeerError, BenchmarkError, ValueError, OSError) as error:
        sys.exit(f"error: {error}")
    print(f"\n{chosen.table}")
    print("\n".join(missed) if missed else "every bar is reached")
    sys.exit(int(bool(missed)))


def _measured_processes(runners: list[Runner], repeats: int) -> list[PeerRow]:
    """Return the results of whole processes of ours in turn with all the others."""
    with tempfile.TemporaryDirectory(prefix="hydranoc-peers-") as folder, progress_bars() as progress:
        progress("whole processes", 0, 0)
        return list(measured([OurProcesses(Path(folder)), *runners], list(SETTINGS), repeats))


def missed_bars(row: PeerRow) -> list[str]:
    """Return a line for each peer whose bar is missed."""
    bars = {BOOKSIM2.name: BAR} | (BARS.get(row.flits, {}) if row.side == SIDES[0] else {})
    return [
        f"{row.side} x {row.side} nodes, {row.flits} flits, load {row.load:g}: "
        f"{row.times(name):.2f} times as fast as {name}, and {bar:g} is the bar"
        for name, bar in bars.items()
        if name in row.runs and row.times(name) < bar
    ]


if __name__ == "__main__":
    main()
