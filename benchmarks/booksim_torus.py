"""The torus beside BookSim2, one after the other in one run: latency, throughput and speed of both (docs/torus.md).

``python -m benchmarks.booksim_torus --booksim PROGRAM``
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.booksim import THROUGHPUT, BookSim, BookSimError
from benchmarks.torus_load import PACKET_FLITS, PATTERNS, Window, mean_links, measure, zero_load_latency
from sim_model.torus.model import TorusModel
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import DALLY_SEITZ, LANE_RULES, TorusRouting

SHARES = (0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Loads, as shares of the lower saturation of both."""
OVERLOAD = 1.0  # flits per sending node and cycle
CARRIED = 0.95  # share of a load that has to be accepted, or else it is beyond saturation
FINEST = 0.005  # step of loads in the search for it
LIGHTEST = 0.002
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
        """The highest load that is carried, by bisection."""
        low, high = 0.0, OVERLOAD
        while high - low > FINEST:
            load = (low + high) / 2
            carried = self.throughput(pattern, load).accepted >= CARRIED * load
            low, high = (load, high) if carried else (low, load)
        return low


def our_side(model: TorusModel, window: Window) -> Side:
    """The golden model."""

    def run(pattern: str, load: float):
        return measure(model, pattern, load, window)

    return Side("golden model", run, run, lambda pattern: zero_load_latency(model, pattern))


def their_side(booksim: BookSim, window: Window) -> Side:
    """BookSim. Its latency without contention is that of the fastest packets over 2 links, and over as many as there
    are in its pattern "tornado", and of the straight line between the two.
    """
    grid = Grid(booksim.side, booksim.side)
    far = 2 * ((booksim.side + 1) // 2 - 1)
    near_latency, far_latency = (booksim.fastest(pattern, LIGHTEST, window) for pattern in ("neighbor", "tornado"))
    per_hop = (far_latency - near_latency) / (far - 2)
    print(f"BookSim takes {per_hop:g} cycles for a hop and {near_latency - 2 * per_hop:g} for all else of a packet")
    return Side(
        "BookSim",
        lambda pattern, load: booksim.run(pattern, load, window),
        lambda pattern, load: booksim.run(pattern, load, window, kind=THROUGHPUT),
        lambda pattern: near_latency + per_hop * (mean_links(grid, pattern) - 2),
    )


def compare(pattern: str, ours: Side, theirs: Side) -> None:
    """Measure under one pattern, and print."""
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
    for title, load in (("half of the lower saturation", min(knees) / 2), ("overload", OVERLOAD)):
        runs = [side.throughput(pattern, load) for side in sides]
        speeds = [run.flit_hops / run.cpu_seconds / 1e6 for run in runs]
        print(
            f"  {title}: accepted {runs[0].accepted:.4f} and {runs[1].accepted:.4f}; {speeds[0]:.2f} and "
            f"{speeds[1]:.2f} million flit-hops per CPU s, ratio {speeds[0] / speeds[1]:.1f}",
            flush=True,
        )


def _shown(value: float, form: str) -> str:
    """A dash for what could not be measured: the load is beyond saturation."""
    return "-" if value != value else format(value, form)


def main(arguments: list[str] | None = None) -> None:
    """Run both and print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.booksim_torus", description="The torus beside BookSim2."
    )
    parser.add_argument("--booksim", metavar="PROGRAM", type=Path, required=True, help="executable of BookSim2")
    parser.add_argument("--side", type=int, default=8, help="nodes in each dimension (default 8)")
    parser.add_argument("--lanes", type=int, default=2, help="virtual channels of both (default 2)")
    parser.add_argument("--buffer", type=int, default=4, help="flits of a lane's buffer of both (default 4)")
    parser.add_argument("--lane-rule", choices=LANE_RULES, default=DALLY_SEITZ, help="of ours")
    parser.add_argument("--routing-cycles", type=int, default=1, help="of ours (default 1)")
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help="a setting of BookSim")
    parser.add_argument("--pattern", choices=PATTERNS, action="append", help="only this one")
    parser.add_argument("--quick", action="store_true", help="shorter runs")
    chosen = parser.parse_args(arguments)
    window = QUICK if chosen.quick else FULL
    settings = dict(setting.partition("=")[::2] for setting in chosen.set)
    try:
        booksim = BookSim(chosen.booksim, chosen.side, chosen.lanes, chosen.buffer, settings)
        network = TorusNetwork(Grid(chosen.side, chosen.side), chosen.lanes)
        routing = TorusRouting(network, 32, chosen.lane_rule)
        model = TorusModel(routing, buffer_flits=chosen.buffer, routing_cycles=chosen.routing_cycles)
        print(f"{chosen.side} x {chosen.side} torus, {chosen.lanes} lanes of {chosen.buffer} flits")
        print(f"ours: {chosen.lane_rule}, {chosen.routing_cycles + 1} cycles for a hop")
        print("BookSim: its defaults" + "".join(f", {key} = {value}" for key, value in settings.items()))
        print(f"packets of {PACKET_FLITS} flits")
        print("loads and throughput in flits per sending node and cycle, latency in cycles")
        ours, theirs = our_side(model, window), their_side(booksim, window)
        for pattern in chosen.pattern or PATTERNS:
            compare(pattern, ours, theirs)
    except (BookSimError, ValueError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
