"""Hypercubes of ideal routers under the paper's traffic (Sec. 2 and 4): latencies of broadcasts, and loads of links.

Buffers have two flits, and VC reallocation is atomic. Rates are shares of the rate at which the
analytical model's fixed variant saturates. Runs have at least the 20,000 messages that the paper leaves out as its
warm-up; the warm-up is computed from each run.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hydranoc.measurement.kept_points import KeptPoints, Progress, measure_points
from hydranoc.measurement.observations import PARTS, Observations
from hydranoc.measurement.point import STABLE, Plan, measure_point
from hydranoc.studies.common.figure import Series
from hydranoc.studies.common.loads import RunLength
from hydranoc.studies.hypercube.analytical import saturation_rate
from hydranoc.studies.hypercube.analytical_traffic import HypercubeLoad, Variant
from hydranoc.studies.hypercube.ideal.cube import IdealCube
from hydranoc.studies.hypercube.ideal.run import simulate
from sim_model.statistics.latency import Interval

DIMENSIONS = (6, 7, 8)
FLITS = (32, 64, 128)
VCS = (2, 4)
FRACTIONS = (0.005, 0.01, 0.02)
QUICK_DIMENSIONS, QUICK_FLITS = DIMENSIONS[:2], FLITS[:1]


def paper_loads(flits: Sequence[int] = FLITS, dimensions: Sequence[int] = DIMENSIONS) -> list[HypercubeLoad]:
    """Return every cube with every fraction of broadcasts: by n, V, M and then β. Rates are 0."""
    return [
        HypercubeLoad(n, vcs, length, fraction)
        for n in dimensions
        for vcs in VCS
        for length in flits
        for fraction in FRACTIONS
    ]


def named(fraction: float) -> str:
    """Return the name of a fraction of broadcasts, for legends."""
    return f"β = {fraction:g}"


def equation_series(
    variant: Variant, load: HypercubeLoad, x: Sequence[float], y: Sequence[float], *, panel: int, joined: bool = True
) -> Series:
    """Return the results of a variant of the equations: a line, dashed for the fixed one; or marks, open for that."""
    fraction = load.broadcast_fraction
    return Series(
        f"{variant}, {named(fraction)}",
        x,
        y,
        panel=panel,
        colour=FRACTIONS.index(fraction),
        dashed=variant == "fixed",
        joined=joined,
        marked=not joined,
    )


def simulated_series(points: Sequence["CubePoint"], load: HypercubeLoad, observed: str, *, panel: int) -> Series:
    """Return the simulated points of a load: marks with intervals.

    Parameters:
        points: Points of other loads are left out, and those without means.
        load: Its own rate is ignored.
        observed: Member of a point.
    """
    own = [point for point in points if point.stable and point.load.at(load.rate) == load]
    own.sort(key=lambda point: point.rate)
    return Series(
        f"simulated, {named(load.broadcast_fraction)}",
        [point.rate for point in own],
        [getattr(point, observed) for point in own],
        [getattr(point, f"{observed}_half_width") for point in own],
        panel=panel,
        colour=FRACTIONS.index(load.broadcast_fraction),
        joined=False,
    )


KINDS = UNICAST, BROADCAST = ("unicast", "broadcast")
UNBOUNDED = math.inf
DRAFT = Plan(PARTS)
"""Plan without its length."""


@dataclass(frozen=True)
class Sampling:
    """Settings of a point's measurement.

    Members:
        length: Of the first runs.
        plan: All but the length.
    """

    length: RunLength
    plan: Plan

    def plan_at(self, load: HypercubeLoad) -> Plan:
        """Return the plan for a load."""
        nodes = 1 << load.dimensions
        return replace(self.plan, cycles=self.length.cycles(nodes, load.rate, load.broadcast_fraction))


LATENCY_SAMPLING = Sampling(RunLength(20_000, 300), replace(DRAFT, relative_half_width=0.02, replications=6))
QUICK_LATENCY_SAMPLING = Sampling(
    RunLength(5_000, 150), replace(DRAFT, relative_half_width=0.05, replications=5, most_replications=10)
)
LOAD_SAMPLING = Sampling(
    RunLength(20_000, 600), replace(DRAFT, relative_half_width=UNBOUNDED, replications=6, channel_half_width=0.006)
)
QUICK_LOAD_SAMPLING = Sampling(
    RunLength(10_000, 300), replace(LOAD_SAMPLING.plan, replications=5, most_replications=30, channel_half_width=0.01)
)


@dataclass(frozen=True)
class CubeLoad:
    """A cube under a load, as an experiment.

    Members:
        load
        seed: Loads have different messages.
    """

    load: HypercubeLoad
    seed: int = 1

    @property
    def kinds(self) -> tuple[str, ...]:
        """Broadcasts, which end when the last node has received the tail."""
        return KINDS

    def run(self, replication: int, cycles: int) -> Observations:
        """Run one replication, see ``Experiment``."""
        load, cube = self.load, IdealCube.of(self.load)
        numbers = (
            load.dimensions,
            load.vcs,
            load.flits,
            round(1e6 * load.broadcast_fraction),
            round(1e12 * load.rate),
        )
        (seed,) = np.random.SeedSequence([self.seed, *numbers, replication]).generate_state(1)
        found = simulate(cube, load.rate, load.broadcast_fraction, int(seed), cycles, PARTS)
        receivers = np.where(found.is_broadcast, cube.nodes - 1, 1)
        return Observations(
            cycles,
            found.start_cycle,
            found.end_cycle,
            found.is_broadcast.astype(np.int64),
            receivers * load.flits,
            found.link_flits.reshape(PARTS + 1, -1),
        )


@dataclass(frozen=True)
class CubePoint:
    """One rate in one cube.

    Members:
        dimensions, flits, vcs (int): n, M and V.
        broadcast_fraction: β.
        share: The rate over that of saturation, fixed variant.
        rate: λ_g, messages that a node generates per cycle.
        verdict: One of ``VERDICTS``, the existence of means.
        precise: True if they have the requested precision.
        latency, latency_half_width (float): Mean latency of a broadcast in cycles, with the half width of its 95 %
            confidence interval.
        link_load, link_load_half_width (float): Flits per cycle on a link, likewise.
        cycles, warmup_cycles, replications (int): Length, warm-up and number of the runs.
    """

    dimensions: int
    flits: int
    vcs: int
    broadcast_fraction: float
    share: float
    rate: float
    verdict: str
    precise: bool
    latency: float
    latency_half_width: float
    link_load: float
    link_load_half_width: float
    cycles: int
    warmup_cycles: int
    replications: int

    @property
    def load(self) -> HypercubeLoad:
        """The point for the analytical model."""
        return HypercubeLoad(self.dimensions, self.vcs, self.flits, self.broadcast_fraction, self.rate)

    @property
    def stable(self) -> bool:
        """True if means exist."""
        return self.verdict == STABLE

    @property
    def mean_latency(self) -> Interval:
        """Mean latency in cycles, of a stable point."""
        return Interval(self.latency, self.latency_half_width, self.replications)

    @property
    def mean_link_load(self) -> Interval:
        """Mean load of links in flits per cycle, of a stable point."""
        return Interval(self.link_load, self.link_load_half_width, self.replications)


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
    """Return the points of every load at every fraction of its saturation.

    Parameters:
        loads: Their own rates are ignored.
        processes, progress, kept: See ``measure_points``.
    """
    shares = tuple(shares)
    tasks = [_Task(load, share, sampling) for load in loads for share in shares]
    tasks.sort(key=_cost, reverse=True)  # the longest first, for an even finish
    return measure_points(_measure, tasks, processes=processes, progress=progress, kept=kept, point_type=CubePoint)


def _cost(task: _Task) -> float:
    """Return the approximate flit-hops of a run."""
    load, length = task.load, task.sampling.length
    messages = max(length.messages, length.multicasts / load.broadcast_fraction)
    return messages * load.flits * (load.dimensions / 2 + load.broadcast_fraction * (1 << load.dimensions))


def _measure(task: _Task) -> CubePoint:
    load = task.load.at(task.share * saturation_rate(task.load, "fixed"))
    point = measure_point(CubeLoad(load), task.sampling.plan_at(load))
    latency, link_load = point.kinds[KINDS.index(BROADCAST)].latency_cycles, point.channel_flow
    assert link_load is not None
    return CubePoint(
        dimensions=load.dimensions,
        flits=load.flits,
        vcs=load.vcs,
        broadcast_fraction=load.broadcast_fraction,
        share=task.share,
        rate=load.rate,
        verdict=point.verdict,
        precise=point.precise,
        latency=latency.mean,
        latency_half_width=latency.half_width,
        link_load=link_load.mean,
        link_load_half_width=link_load.half_width,
        cycles=point.cycles,
        warmup_cycles=point.warmup_cycles,
        replications=point.replications,
    )
