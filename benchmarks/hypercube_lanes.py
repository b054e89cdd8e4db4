"""What it costs to give a lane again only when it is empty: ``python -m benchmarks.hypercube_lanes [--quick]``.

Flits per cycle on a link of a cube of ideal routers whose sources offer more than it carries, with the lanes of the two
rules (``lane_reuse``): "empty", when the buffer behind is known to be empty, and "tail", as soon as the tail has left.
The hardware has "empty": with "tail" short messages can deadlock. Those here are long enough not to, of more than
(n - 1) D flits.
"""

import argparse
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.hypercube_pipeline import PIPELINE
from sim_model.common.statistics import Interval, confidence_interval
from sim_model.hypercube.analytical_traffic import HypercubeLoad, link_load
from sim_model.hypercube.ideal.cube import IdealCube
from sim_model.hypercube.ideal.run import IdealRun
from sim_model.hypercube.ideal.traffic import PoissonSources
from topology.common.lanes import REUSE_EMPTY, REUSE_TAIL

LOAD = HypercubeLoad(6, 2, 32, 0.01)
LANES = (2, 3, 4, 6, 8)
ROUTERS: dict[str, dict[str, Any]] = {
    "ideal, 2 flits": {"buffer_flits": 2},
    "ideal, 4 flits": {"buffer_flits": 4},
    "with the hardware's delays, 4 flits": PIPELINE,
}
OFFERED = 1.5
"""Flits per cycle and link."""


@dataclass(frozen=True)
class Effort:
    """Seeds, and cycles of each run: before what is measured, and measured."""

    seeds: int
    warmup_cycles: int
    cycles: int


FULL, QUICK = Effort(5, 10_000, 20_000), Effort(3, 3_000, 4_000)


def carried(lanes: int, options: dict[str, Any], lane_reuse: str, effort: Effort) -> Interval:
    """Flits per cycle on a link in overload."""
    cube = IdealCube(LOAD.dimensions, lanes, LOAD.flits, **options, lane_reuse=lane_reuse)
    return confidence_interval([_carried(cube, effort, seed) for seed in range(effort.seeds)])


def _carried(cube: IdealCube, effort: Effort, seed: int) -> float:
    rate = OFFERED / link_load(LOAD.at(1.0), "fixed")
    generator = np.random.default_rng(seed)
    end = effort.warmup_cycles + effort.cycles
    run = IdealRun(cube, seed=int(generator.integers(1, 1 << 32)))
    run.add(PoissonSources(cube, rate, LOAD.broadcast_fraction, generator).draw(int(1.1 * rate * cube.nodes * end)))
    run.advance(effort.warmup_cycles)
    before = run.state.links.flits.copy()
    run.advance(end)
    return float((run.state.links.flits - before).mean() / effort.cycles)


HEAD = "| routers | V | empty | tail | gain of tail |\n|---|---|---|---|---|"


def line(name: str, lanes: int, empty: Interval, tail: Interval) -> str:
    """A line of the table."""
    gain = tail.mean / empty.mean - 1
    return f"| {name} | {lanes} | {shown(empty)} | {shown(tail)} | {100 * gain:+.1f} % |"


def shown(interval: Interval) -> str:
    """A mean with its 95 % confidence interval."""
    return f"{interval.mean:.3f} ± {interval.half_width:.3f}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.hypercube_lanes", description="Throughput of a hypercube by its rule for lanes."
    )
    parser.add_argument("--quick", action="store_true", help="three seeds, shorter runs")
    effort = QUICK if parser.parse_args().quick else FULL
    print(HEAD, flush=True)
    for name, options in ROUTERS.items():
        for lanes in LANES:
            found = [carried(lanes, options, reuse, effort) for reuse in (REUSE_EMPTY, REUSE_TAIL)]
            print(line(name, lanes, *found), flush=True)


if __name__ == "__main__":
    main()
