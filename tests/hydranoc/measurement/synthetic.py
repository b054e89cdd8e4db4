"""Measured quantities whose answer is known: a queue with fixed service time, and latency curves."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hydranoc.measurement.curve import Curve, SaturationLoad
from hydranoc.measurement.load_point import VALUES, LoadPoint
from hydranoc.measurement.observations import Observations


@dataclass(frozen=True)
class FixedServiceQueue:
    """Poisson arrivals at one server that takes ``service_cycles`` for each."""

    load: float
    seed: int = 1
    service_cycles: int = 100
    kinds: tuple[str, ...] = ("customer",)

    @property
    def mean_latency_cycles(self) -> float:
        """By the formula of Pollaczek and Khinchine."""
        return self.service_cycles * (1 + self.load / (2 * (1 - self.load)))

    def run(self, replication: int, cycles: int) -> Observations:
        """Waiting times by Lindley's recursion, as a running maximum."""
        random = np.random.default_rng([self.seed, replication])
        gap = self.service_cycles / self.load
        starts = np.cumsum(random.exponential(gap, int(1.5 * cycles / gap) + 50))
        starts = starts[starts < cycles].astype(np.int64)
        served = self.service_cycles * np.arange(1, len(starts) + 1)
        ends = np.maximum.accumulate(starts - served + self.service_cycles) + served
        ones = np.ones(len(starts), dtype=np.int64)
        return Observations(cycles, starts, ends, 0 * ones, ones)


Latencies = Mapping[str, tuple[float, float]]


def curve(name: str, by_load: Mapping[float, Latencies], saturation: tuple[float, float]) -> Curve:
    """A curve with means and half widths by load and kind; at the upper end of ``saturation`` it diverges."""
    points = [_point(name, load, latencies) for load, latencies in by_load.items()]
    if saturation[1] < float("inf"):
        kinds = next(iter(by_load.values()))
        points.append(_point(name, saturation[1], dict.fromkeys(kinds, (9e9, 9e9)), stable=False))
    return Curve(tuple(points), SaturationLoad(*saturation))


def _point(name: str, load: float, latencies: Latencies, *, stable: bool = True) -> LoadPoint:
    kinds = {
        kind: {**dict.fromkeys(VALUES, 1.0), "mean": mean, "half_width": half}
        for kind, (mean, half) in latencies.items()
    }
    return LoadPoint(name, load, "stable" if stable else "diverges", stable, 1000, 100, 10, stable, math.nan, kinds)
