"""Verdicts against the truth: ``python -m benchmarks.verdicts {queue,level} [...]`` (docs/understand/verdicts.md).

``queue``: an M/D/1 queue, whose mean latency is known, at loads below and above its capacity. A line gives the verdicts
of many points, and the share of intervals that cover the theory among the points that claim to be stable.
``level``: a configuration under its random traffic with many seeds; no point of a level load may diverge.
"""

import argparse
from collections import Counter
from collections.abc import Iterable
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import yaml

from hydranoc.config.source import YamlSource
from hydranoc.measurement.point import MeasuredPoint, Plan, measure_point
from hydranoc.sweeps.axes import Axis, changed
from hydranoc.sweeps.measure import DesignExperiment, Task
from tests.hydranoc.measurement.synthetic import FixedServiceQueue

LOADS = (0.5, 0.8, 0.9, 0.95, 0.98, 1.02)
KINDS = ("unicast", "multicast")


def queue_line(load: float, plan: Plan, points: int) -> str:
    """Return verdicts and coverage of ``points`` points of a queue."""
    queues = [FixedServiceQueue(load, seed) for seed in range(points)]
    measured = [measure_point(queue, plan) for queue in queues]
    stable = [point.kinds[0].latency_cycles for point in measured if point.stable]
    text = f"load {load:<5g} {_verdicts(measured)}"
    if not stable or load >= 1:
        return text
    theory = queues[0].mean_latency_cycles
    covered = sum(abs(latency.mean - theory) <= latency.half_width for latency in stable)
    bias = sum(latency.mean for latency in stable) / len(stable) / theory - 1
    return f"{text}, intervals cover in {covered / len(stable):.1%}, mean off by {bias:+.1%}"


def level_line(config: Path, changes: dict[str, Any], plan: Plan, seeds: Iterable[int], jobs: int) -> str:
    """Return verdicts of a configuration with some values changed, a point for each seed."""
    with Pool(jobs) as pool:
        measured = pool.map(partial(_level_point, config, changes, plan), seeds)
    return ", ".join([*(f"{key}={value}" for key, value in changes.items()), f"{plan.cycles:,} cycles: "]) + _verdicts(
        measured
    )


def _level_point(config: Path, changes: dict[str, Any], plan: Plan, seed: int) -> MeasuredPoint:
    values = {**changes, "traffic.seed": seed}
    axes = [Axis(key, (value,)) for key, value in values.items()]
    design = Task(changed(YamlSource(config).data, axes, values), str(config.parent.absolute())).design()
    return measure_point(DesignExperiment(design, KINDS), plan)


def _verdicts(measured: list[MeasuredPoint]) -> str:
    counts = Counter(point.verdict for point in measured)
    needed = sorted(point.needed_cycles for point in measured if point.verdict == "undecided")
    text = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
    return text + (f" (need {needed[len(needed) // 2]:,.0f} cycles)" if needed else "")


def main() -> None:
    """Print a line for each load, or for each length."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("queue", "level"))
    parser.add_argument("--config", type=Path, help="of a level load, with unicasts and multicasts")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="change it")
    parser.add_argument("--cycles", type=int, nargs="+", default=[200_000])
    parser.add_argument("--points", type=int, default=200)
    parser.add_argument("--replications", type=int, default=5)
    parser.add_argument("--most-replications", type=int, default=5)
    parser.add_argument("--doublings", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    for cycles in given.cycles:
        plan = Plan(cycles, 0.05, given.replications, given.most_replications, given.doublings)
        if given.what == "queue":
            for load in LOADS:
                print(queue_line(load, plan, given.points), flush=True)
        else:
            changes = {key: yaml.safe_load(value) for key, _, value in (text.partition("=") for text in given.set)}
            print(level_line(given.config, changes, plan, range(given.points), given.jobs), flush=True)


if __name__ == "__main__":
    main()
