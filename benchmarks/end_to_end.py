"""Cost of a run from configuration to statistics, and the share of the network's cycles alone.

Uniform unicasts on a mesh of 8 x 8 nodes; CPU seconds of one core.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml

from hydranoc import load
from hydranoc.design import Design
from hydranoc.reports.summary import summary_of
from sim_model.engines.simulation import Simulation

REPEATS = 5
MESH = Path(__file__).parent / "mesh.yaml"
FLITS = (5, 16, 64)
LOADS = (0.1, 0.2)
"""Flits per node and cycle."""
ROW = "  {:>5} {:>5} {:>11} {:>10} {:>6} {:>9} {:>6} {:>10}"
MAX_RATIO = 1.25
"""Highest accepted total cost, as a multiple of the run alone."""


@dataclass(frozen=True)
class Cost:
    """CPU seconds of a run, and its results.

    Members:
        flit_hops
        messages_seconds: Messages drawn and checked.
        state_seconds: The network prepared for them.
        run_seconds: All cycles.
        statistics_seconds
        summary: Its statistics.
    """

    flit_hops: int
    messages_seconds: float
    state_seconds: float
    run_seconds: float
    statistics_seconds: float
    summary: dict[str, Any]

    @property
    def seconds(self) -> float:
        """CPU seconds of all stages."""
        return self.messages_seconds + self.state_seconds + self.run_seconds + self.statistics_seconds

    @property
    def ratio(self) -> float:
        """Total cost as a multiple of the run alone."""
        return self.seconds / self.run_seconds


def measure(make_design: Callable[[], Design], until_cycle: int | None = None) -> Cost:
    """Return the cost of a run: the repeat with the median ratio.

    Parameters:
        make_design: A design without messages.
        until_cycle: The run ends before this cycle; by default when all messages are delivered.
    """
    costs = sorted((measure_once(make_design(), until_cycle) for _ in range(REPEATS)), key=lambda cost: cost.ratio)
    return costs[REPEATS // 2]


def measure_once(design: Design, until_cycle: int | None = None) -> Cost:
    """Return the cost of one run of a design without messages; ``until_cycle`` as in ``measure``."""
    _ = design.model  # a network is built once, not for each run
    clock: list[float] = [time.process_time()]

    def timed(value: Any) -> Any:
        clock.append(time.process_time())
        return value

    messages = timed(design.messages)
    simulation = timed(Simulation(design.model, messages, design.startup_cycles))
    results = timed(simulation.run(until_cycle))
    summary = timed(summary_of(results, warmup_cycles=design.warmup_cycles))
    seconds = (after - before for before, after in pairwise(clock))
    return Cost(results.flit_hops, *seconds, summary=summary)


def mesh(flits: int, load_flits: float, cycles: int, side: int = 8) -> Design:
    """Return the mesh under a load, or one with another number of nodes in each dimension.

    Messages start in ``cycles`` cycles.
    """
    return load(mesh_configuration(flits, load_flits, cycles, side))


def mesh_configuration(flits: int, load_flits: float, cycles: int, side: int = 8) -> dict[str, Any]:
    """Return the configuration of ``mesh``."""
    config = yaml.safe_load(MESH.read_text())
    config["network"]["topology"] |= {"rows": side, "columns": side}
    config["traffic"] |= {"messages_per_node_per_cycle": load_flits / flits, "cycles": cycles, "flits": flits}
    return config


def main(*, quick: bool) -> None:
    """Measure and print."""
    cycles = 10_000 if quick else 50_000
    first = mesh(16, 0.1, 100)
    Simulation(first.model, first.messages).run()  # compiles, or loads compiled loops
    print("  million flit-hops per CPU s, times the run alone, and shares of the CPU time")
    print(ROW.format("flits", "load", "end to end", "run alone", "times", "messages", "state", "statistics"))
    for flits in FLITS:
        for load_flits in LOADS:
            cost = measure(lambda flits=flits, load_flits=load_flits: mesh(flits, load_flits, cycles))
            speeds = (f"{cost.flit_hops / seconds / 1e6:.1f}" for seconds in (cost.seconds, cost.run_seconds))
            parts = (cost.messages_seconds, cost.state_seconds, cost.statistics_seconds)
            shares = (f"{seconds / cost.seconds:.1%}" for seconds in parts)
            print(ROW.format(flits, load_flits, *speeds, f"{cost.ratio:.2f}", *shares), flush=True)
            if cost.ratio > MAX_RATIO:
                print(f"    more than {MAX_RATIO} times the run alone")
