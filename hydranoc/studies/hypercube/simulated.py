"""Hypercubes of ideal routers under the paper's traffic (Sec. 2 and 4): latencies of broadcasts, and loads of links.

Buffers hold two flits, and a lane is given again when its buffer is empty. Rates are shares of the rate at which the
analytical model's fixed variant saturates. A replication leaves out its first 20,000 messages, as the paper does, and
has a seed of its own; replications are added until the mean is known well enough.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from hydranoc.studies.common.points import KeptPoints, Progress, measure_points
from hydranoc.studies.common.replication import Precision, replicate
from sim_model.common.statistics import confidence_interval
from sim_model.hypercube.analytical import saturation_rate
from sim_model.hypercube.analytical_traffic import HypercubeLoad
from sim_model.hypercube.ideal.cube import IdealCube
from sim_model.hypercube.ideal.run import simulate

WARMUP_MESSAGES, QUICK_WARMUP_MESSAGES = 20_000, 4_000
LATENCY, LINK_LOAD = OBSERVED = ("latency", "link load")


@dataclass(frozen=True)
class Sampling:
    """How a point is measured.

    Members
    -------
    observed : str
        Of what the mean has to be known well: "latency" or "link load".
    broadcasts : int
        Per replication.
    warmup_messages : int
        Left out of each.
    precision : Precision
        When there are enough replications.
    """

    observed: str
    broadcasts: int
    warmup_messages: int
    precision: Precision


LATENCY_SAMPLING = Sampling(LATENCY, 200, WARMUP_MESSAGES, Precision(0.02, least=4, most=10))
QUICK_LATENCY_SAMPLING = Sampling(LATENCY, 60, QUICK_WARMUP_MESSAGES, Precision(0.05, least=3, most=4))
LOAD_SAMPLING = Sampling(LINK_LOAD, 500, WARMUP_MESSAGES, Precision(0.007, least=4, most=30))
QUICK_LOAD_SAMPLING = Sampling(LINK_LOAD, 400, QUICK_WARMUP_MESSAGES, Precision(0.01, least=3, most=12))


@dataclass(frozen=True)
class CubePoint:
    """One rate in one cube.

    Members
    -------
    dimensions, flits, lanes : int
        n, M and V.
    broadcast_fraction : float
        β.
    share : float
        The rate over that of saturation, fixed variant.
    rate : float
        λ_g, messages that a node generates per cycle.
    latency, latency_half_width : float
        Mean latency of a broadcast in cycles, with the half width of its 95 % confidence interval.
    link_load, link_load_half_width : float
        Flits per cycle on a link, likewise.
    replications : int
        Behind these means.
    """

    dimensions: int
    flits: int
    lanes: int
    broadcast_fraction: float
    share: float
    rate: float
    latency: float
    latency_half_width: float
    link_load: float
    link_load_half_width: float
    replications: int

    @property
    def load(self) -> HypercubeLoad:
        """The point for the analytical model."""
        return HypercubeLoad(self.dimensions, self.lanes, self.flits, self.broadcast_fraction, self.rate)


@dataclass(frozen=True)
class _Task:
    load: HypercubeLoad
    share: float
    sampling: Sampling


def simulated_cubes(
    loads: Iterable[HypercubeLoad],
    shares: Iterable[float],
    sampling: Sampling,
    *,
    processes: int = 1,
    progress: Progress | None = None,
    kept: KeptPoints | None = None,
) -> list[CubePoint]:
    """Every load at every share of its saturation.

    Parameters
    ----------
    loads : iterable of HypercubeLoad
        Their own rates do not matter.
    shares : iterable of float
    sampling : Sampling
    processes, progress, kept
        See ``measure_points``.
    """
    shares = tuple(shares)
    tasks = [_Task(load, share, sampling) for load in loads for share in shares]
    tasks.sort(key=_cost, reverse=True)  # so that none is left alone at the end
    return measure_points(_measure, tasks, processes=processes, progress=progress, kept=kept, point_type=CubePoint)


def _cost(task: _Task) -> float:
    """Flit-hops of a replication, more or less."""
    load, sampling = task.load, task.sampling
    messages = sampling.warmup_messages + sampling.broadcasts / load.broadcast_fraction
    return messages * load.flits * (load.dimensions / 2 + load.broadcast_fraction * (1 << load.dimensions))


def _measure(task: _Task) -> CubePoint:
    load, sampling = task.load, task.sampling
    cube, rate = IdealCube.of(load), task.share * saturation_rate(load, "fixed")
    first = OBSERVED.index(sampling.observed)

    def observe(seed: int) -> tuple[float, float]:
        run = simulate(cube, rate, load.broadcast_fraction, seed, sampling.broadcasts, sampling.warmup_messages)
        means = (run.latency.mean, run.link_load)
        return means[first], means[1 - first]

    rows = replicate(observe, sampling.precision)
    latency, link_load = (confidence_interval(rows[:, column]) for column in (first, 1 - first))
    return CubePoint(
        dimensions=load.dimensions,
        flits=load.flits,
        lanes=load.lanes,
        broadcast_fraction=load.broadcast_fraction,
        share=task.share,
        rate=rate,
        latency=latency.mean,
        latency_half_width=latency.half_width,
        link_load=link_load.mean,
        link_load_half_width=link_load.half_width,
        replications=len(rows),
    )
