"""What it costs to give a lane again only when it is empty: ``python -m benchmarks.hypercube_lanes [--quick]``.

Flits per cycle on a link of a cube whose sources offer more than it carries, by the rule for lanes (``lane_reuse``):
"empty", when the buffer behind is known to be empty; "tail", as soon as the tail has left; and "escape-tail", that for
escape lanes alone, which ideal routers do not know. With "tail" messages can deadlock that have fewer than (n - 1) D
flits: most of those here are long enough not to, and the others do without that rule.
"""

import argparse
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks.hypercube_pipeline import BUFFER_FLITS, PIPELINE, cube_of, golden_run
from sim_model.hypercube.analytical_traffic import HypercubeLoad, link_load
from sim_model.hypercube.ideal.cube import IdealCube
from sim_model.hypercube.ideal.run import IdealRun
from sim_model.hypercube.ideal.traffic import PoissonSources
from sim_model.statistics.latency import Interval, confidence_interval
from topology.common.lanes import REUSE_EMPTY, REUSE_TAIL
from topology.hypercube.lane_reuse import HYPERCUBE_REUSE

LOAD = HypercubeLoad(6, 2, 32, 0.01)
LANES = (2, 3, 4, 6, 8)
ROUTERS: dict[str, dict[str, Any]] = {
    "ideal, 2 flits": {"buffer_flits": 2},
    "ideal, 4 flits": {"buffer_flits": 4},
    "with the hardware's delays, 4 flits": PIPELINE,
}
OFFERED, GOLDEN_OFFERED = 1.5, 1.0
"""Flits per cycle and link."""
GOLDEN = {"golden model, 4 flits, messages of 32": 32, "golden model, 4 flits, messages of 8": 8}
"""Length of messages."""
GOLDEN_LANES = (2, 3, 4)
LONGEST_THAT_CAN_DEADLOCK = (LOAD.dimensions - 1) * BUFFER_FLITS - 1


@dataclass(frozen=True)
class Effort:
    """Seeds, and cycles of each run: before what is measured, and measured; and the cycles in the golden model."""

    seeds: int
    warmup_cycles: int
    cycles: int
    golden_warmup_cycles: int = 3_000
    golden_cycles: int = 4_000


FULL, QUICK = Effort(5, 10_000, 20_000), Effort(3, 3_000, 4_000, 1_500, 1_500)


def carried(lanes: int, options: dict[str, Any], lane_reuse: str, effort: Effort) -> Interval:
    """Return flits per cycle on a link in overload."""
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


def golden_carried(load: HypercubeLoad, lane_reuse: str, effort: Effort) -> Interval:
    """Flits per cycle on a link of the golden model in overload, with an injection channel for each dimension."""
    return confidence_interval([_golden_carried(load, lane_reuse, effort, seed) for seed in range(effort.seeds)])


def _golden_carried(load: HypercubeLoad, lane_reuse: str, effort: Effort, seed: int) -> float:
    rate = GOLDEN_OFFERED / link_load(load.at(1.0), "fixed")
    at, end = load.at(rate), effort.golden_warmup_cycles + effort.golden_cycles
    sources = PoissonSources(cube_of(at), rate, load.broadcast_fraction, np.random.default_rng(seed))
    messages = sources.draw(int(1.1 * rate * 2**load.dimensions * end))
    simulation = golden_run(at, messages, lane_reuse, count_channels=True)
    simulation.run(effort.golden_warmup_cycles)
    before = simulation.channel_counts().flits
    if simulation.run(end).deadlocked:
        raise RuntimeError(f"A network for measurements must not deadlock:\n{simulation.deadlock_report()}")
    flits = simulation.channel_counts().flits - before
    network = cube_of(load).network
    between = sum(int(flits[lane]) for lane, dimension in enumerate(network.dimension_of) if dimension is not None)
    return between / load.dimensions / 2**load.dimensions / effort.golden_cycles


HEAD = "| routers | V | empty | escape-tail | tail |\n|---|---|---|---|---|"


def line(name: str, lanes: int, empty: Interval, escape_tail: Interval | None, tail: Interval | None) -> str:
    """Return a line of the table."""
    cells = [shown(empty)]
    for found in (escape_tail, tail):
        gain = "-" if found is None else f"{shown(found)} ({100 * (found.mean / empty.mean - 1):+.1f} %)"
        cells.append(gain)
    return f"| {name} | {lanes} | {' | '.join(cells)} |"


def shown(interval: Interval) -> str:
    """Return a mean with its 95 % confidence interval."""
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
            empty, tail = (carried(lanes, options, reuse, effort) for reuse in (REUSE_EMPTY, REUSE_TAIL))
            print(line(name, lanes, empty, None, tail), flush=True)
    for name, flits in GOLDEN.items():
        for lanes in GOLDEN_LANES:
            load = replace(LOAD, lanes=lanes, flits=flits)
            rules = HYPERCUBE_REUSE if flits > LONGEST_THAT_CAN_DEADLOCK else HYPERCUBE_REUSE[:-1]
            found = [golden_carried(load, reuse, effort) for reuse in rules]
            print(line(name, lanes, *found, *[None] * (len(HYPERCUBE_REUSE) - len(found))), flush=True)


if __name__ == "__main__":
    main()
