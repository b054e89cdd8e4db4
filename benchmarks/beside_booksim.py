"""A network beside BookSim2, one after the other in one run: latency, throughput and speed of both."""

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.booksim import THROUGHPUT, BookSim, ProbedNetwork
from benchmarks.load import PACKET_FLITS, PATTERNS, LoadedModel, Window, mean_links, patterns_of
from benchmarks.peer_program import PeerError

SHARES = (0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Loads, as shares of the lower saturation of both."""
SPEED_SHARES = (0.5, 0.95)
"""Such shares for the comparison of speeds."""
OVERLOAD = 1.0  # flits per sending node and cycle
CARRIED = 0.95  # share of a load that must be accepted below saturation
FINEST = 0.005  # step of loads in the search for it
NAMES = ("ours", "BookSim")
ROW = "  {:>5}  {:>8} {:>8}  {:>8} {:>8} {:>11}  {:>8} {:>8}"
FULL, QUICK = Window(5_000, 15_000), Window(2_000, 6_000)


@dataclass(frozen=True)
class Side:
    """One of the two: what it measures at a pattern and a load, and its latency without contention."""

    name: str
    measure: Callable[[str, float], Any]
    throughput: Callable[[str, float], Any]
    zero_load: Callable[[str], float]

    def saturation(self, pattern: str) -> float:
        """Return the highest load that is carried, by bisection."""
        low, high = 0.0, OVERLOAD
        while high - low > FINEST:
            load = (low + high) / 2
            carried = self.throughput(pattern, load).accepted >= CARRIED * load
            low, high = (load, high) if carried else (low, load)
        return low


def our_side(ours: LoadedModel, window: Window) -> Side:
    """Return the golden model's side."""

    def run(pattern: str, load: float):
        return ours.measure(pattern, load, window)

    return Side("golden model", run, run, ours.zero_load_latency)


def their_side(booksim: BookSim, network: ProbedNetwork, window: Window, links: Callable[[int, int], int]) -> Side:
    """Return BookSim's side; ``links`` returns the number of channels between the switches of two nodes."""
    per_link, all_else = booksim.zero_load(network.near, network.far, window)
    print(f"BookSim takes {per_link:g} cycles for a hop and {all_else:g} for all else of a packet")
    return Side(
        "BookSim",
        lambda pattern, load: booksim.run(pattern, load, window),
        lambda pattern, load: booksim.run(pattern, load, window, kind=THROUGHPUT),
        lambda pattern: all_else + per_link * mean_links(pattern, network.nodes, links),
    )


def compare(pattern: str, ours: Side, theirs: Side) -> None:
    """Measure one pattern, and print."""
    sides = (ours, theirs)
    zero = [side.zero_load(pattern) for side in sides]
    knees = [side.saturation(pattern) for side in sides]
    print(f"\n{pattern} traffic; latency without contention: {zero[0]:.1f} and {zero[1]:.1f} cycles")
    print(ROW.format("", "latency", "", "above", "that", "difference", "accepted", ""))
    print(ROW.format("load", *NAMES, *NAMES, "", *NAMES))
    for load in (share * min(knees) for share in SHARES):
        runs = [side.measure(pattern, load) for side in sides]
        above = [run.latency - base for run, base in zip(runs, zero, strict=True)]
        difference = _shown(above[0] / above[1] - 1, "+.0%")
        values = [*(run.latency for run in runs), *above]
        accepted = [f"{run.accepted:.4f}" for run in runs]
        print(ROW.format(f"{load:.3f}", *(_shown(value, ".1f") for value in values), difference, *accepted), flush=True)
    print(f"  saturation (the highest load of which {CARRIED:.0%} is accepted): {knees[0]:.3f} and {knees[1]:.3f}")
    loads = {f"{share} of the lower saturation": share * min(knees) for share in SPEED_SHARES} | {"overload": OVERLOAD}
    for title, load in loads.items():
        runs = [side.throughput(pattern, load) for side in sides]
        speeds = [run.flit_hops / run.cpu_seconds / 1e6 for run in runs]
        print(
            f"  {title}: accepted {runs[0].accepted:.4f} and {runs[1].accepted:.4f}; {speeds[0]:.2f} and "
            f"{speeds[1]:.2f} million flit-hops per CPU s, ratio {speeds[0] / speeds[1]:.1f}",
            flush=True,
        )


def _shown(value: float, form: str) -> str:
    """Return the value as text; a dash if it could not be measured, since the load is beyond saturation."""
    return "-" if value != value else format(value, form)


def parser_of(name: str, description: str, lanes: int) -> argparse.ArgumentParser:
    """Return a parser with the arguments common to all comparisons.

    Parameters
    ----------
    name : str
        Of the module in ``benchmarks``.
    description : str
    lanes : int
        Default.
    """
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=description)
    parser.add_argument("--booksim", metavar="PROGRAM", type=Path, required=True, help="executable of BookSim2")
    parser.add_argument("--lanes", type=int, default=lanes, help=f"virtual channels of both (default {lanes})")
    parser.add_argument("--buffer", type=int, default=4, help="flits of a lane's buffer of both (default 4)")
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help="a setting of BookSim")
    parser.add_argument("--pattern", choices=PATTERNS, action="append", help="only this one")
    parser.add_argument("--quick", action="store_true", help="shorter runs")
    return parser


def run_comparison(
    chosen: argparse.Namespace,
    title: str,
    ours: LoadedModel,
    theirs: ProbedNetwork,
    links: Callable[[int, int], int],
) -> None:
    """Run both and print.

    Parameters
    ----------
    chosen : Namespace
        Parsed arguments of ``parser_of``.
    title : str
        Name and setting of our network.
    ours : LoadedModel
    theirs : PeerNetwork
        The equal network in BookSim.
    links : function
        Channels between switches on the route from one node to another.
    """
    window = QUICK if chosen.quick else FULL
    settings = dict(setting.partition("=")[::2] for setting in chosen.set)
    booksim = BookSim(chosen.booksim, theirs, chosen.lanes, chosen.buffer, settings)
    print(title)
    shown = (f"{key} = {value}" for key, value in {**theirs.keys, **settings}.items())
    print(f"BookSim: {', '.join(shown)}; else its defaults")
    print(f"{chosen.lanes} lanes of {chosen.buffer} flits, packets of {PACKET_FLITS} flits")
    print("loads and throughput in flits per sending node and cycle, latency in cycles")
    sides = our_side(ours, window), their_side(booksim, theirs, window, links)
    for pattern in chosen.pattern or patterns_of(theirs.nodes):
        compare(pattern, *sides)


@contextmanager
def errors_in_one_line() -> Iterator[None]:
    """Report a wrong argument, or a program that fails, in one line."""
    try:
        yield
    except (PeerError, ValueError) as error:
        sys.exit(f"error: {error}")
