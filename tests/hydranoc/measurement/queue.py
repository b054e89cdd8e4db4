"""A queue with one server and fixed service time, with a known closed form (M/D/1)."""

from dataclasses import dataclass

import numpy as np

from hydranoc.measurement.observations import Observations


@dataclass(frozen=True)
class FixedServiceQueue:
    """Poisson arrivals at one server that takes ``service_cycles`` for each.

    Parameters
    ----------
    load : float
        Of the server; there is a mean below 1.
    seed : int
    service_cycles : int
    """

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
