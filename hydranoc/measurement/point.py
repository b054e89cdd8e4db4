"""A measured point: replications until the verdict is clear and the means are as precise as requested."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from hydranoc.measurement.fairness import jain_index
from hydranoc.measurement.observations import (
    COUNTED_PARTS,
    NOT_DELIVERED,
    Experiment,
    Observations,
    channel_flow,
    utilisation,
)
from hydranoc.measurement.stability import MANY_RUNS, StabilityVerdict, judge
from hydranoc.measurement.threads import replications
from hydranoc.measurement.warmup import warmup_parts
from sim_model.statistics.latency import Interval, confidence_interval, observed_percentiles

PER_MILLE = (500, 990, 999)
"""Percentiles of latencies, in thousandths."""
HISTOGRAM_BINS = 40
SURE_PIECES = 125
"""Minimum independent pieces of each run for means from the runs of the verdict."""
STABLE, DIVERGES, UNDECIDED = VERDICTS = ("stable", "diverges", "undecided")
"""Verdicts: means exist; no means exist; runs were too short to decide, so there are no means."""


@dataclass(frozen=True)
class Plan:
    """The plan of a measured point, chosen before the measurement.

    Parameters:
        cycles: Length of the first runs.
        relative_half_width: Replications continue until the 95 % interval of every kind's mean latency is no wider to
            either side, as a fraction of the mean.
        replications, most_replications (int): Bounds of their number; at least 5.
        most_doublings: Maximum repetitions at twice the length of runs without a clear verdict.
        channel_half_width: As ``relative_half_width``, for the mean flow on channels; default no limit.

    Raises:
        ValueError: "X is Z; it must be Y".
    """

    cycles: int
    relative_half_width: float = 0.05
    replications: int = 10
    most_replications: int = 100
    most_doublings: int = 4
    channel_half_width: float = math.inf

    @property
    def wants_means(self) -> bool:
        """False if only the verdict is needed."""
        return math.isfinite(self.relative_half_width) or math.isfinite(self.channel_half_width)

    def __post_init__(self):
        if self.cycles < COUNTED_PARTS:
            raise ValueError(f"A run is {self.cycles!r}; it must be at least {COUNTED_PARTS} cycles long")
        if self.replications < MANY_RUNS:
            raise ValueError(f"Replications are {self.replications!r}; they must be at least {MANY_RUNS}")
        if self.most_replications < self.replications:
            raise ValueError(
                f"The most replications are {self.most_replications}; they must be at least {self.replications}"
            )


@dataclass(frozen=True)
class KindResult:
    """Results of one kind of message after the warm-up.

    Members:
        name
        latency_cycles: Mean over replications; without a mean where the point diverges.
        percentiles: Those of ``PER_MILLE``, of the pooled latencies of all replications; NaN without any.
        histogram (tuple of (tuple of float, tuple of int)): Edges, the last one included, evenly spaced in the
            logarithm, and pooled counts of all replications.
        offered, accepted (Interval): Messages started, and delivered, per cycle.
        accepted_flits: Flits of delivered messages per cycle, counted at every destination.
        messages: Number of delivered messages in the latencies.
    """

    name: str
    latency_cycles: Interval
    percentiles: tuple[float, ...]
    histogram: tuple[tuple[float, ...], tuple[int, ...]] = field(repr=False)
    offered: Interval
    accepted: Interval
    accepted_flits: Interval
    messages: int


@dataclass(frozen=True)
class MeasuredPoint:
    """A measured point of a curve, with the lengths of its runs.

    Members:
        stable: True if means exist.
        precise: True if the interval of every kind is as narrow as requested.
        cycles, warmup_cycles, replications (int): Length of each run, its warm-up, and the number of runs.
        kinds
        verdicts: By kind.
        utilisation (float[channels] or None): Flits per cycle on each channel, in the counted cycles.
        channel_flow: Mean of ``utilisation`` over all channels.
        jain: Jain's index of the sources' throughputs, see ``hydranoc.measurement.fairness``; None if not known.
    """

    stable: bool
    precise: bool
    cycles: int
    warmup_cycles: int
    replications: int
    kinds: tuple[KindResult, ...]
    verdicts: tuple[StabilityVerdict, ...]
    utilisation: np.ndarray | None = None
    channel_flow: Interval | None = None
    jain: Interval | None = None

    @property
    def verdict(self) -> str:
        """One of ``VERDICTS``."""
        if self.stable:
            return STABLE
        return DIVERGES if any(one.diverges for one in self.verdicts) else UNDECIDED

    @property
    def carried(self) -> bool:
        """True if an overload of 1 % is excluded."""
        return all(one.carried for one in self.verdicts)

    @property
    def needed_cycles(self) -> float:
        """Estimated minimum length of runs, for an undecided point; NaN for any other."""
        if self.verdict != UNDECIDED:
            return math.nan
        return max(self.cycles, *(one.needed_cycles for one in self.verdicts if not one.stable))


def measure_point(experiment: Experiment, plan: Plan) -> MeasuredPoint:
    """Measure a point by the rules of ``stability`` and of the plan.

    Parameters:
        experiment
        plan: Chosen before the measurement.

    Returns:
        With replications until all means are as precise as asked for, if the point is stable. Where runs are barely
            long enough for a verdict, the means come from runs of their own, of the same length.
    """
    runs, warmup, verdicts = _judged_runs(experiment, plan, plan.wants_means)
    stable = all(verdict.stable for verdict in verdicts)
    if stable:
        first = 0
        if plan.wants_means and min(verdict.pieces for verdict in verdicts) < SURE_PIECES:
            first = len(runs)  # runs that were stopped as just long enough would give a mean that is too low
            runs = replications(partial(_run, experiment, runs[0].cycles), range(first, 2 * first))
        _replicate(experiment, plan, runs, warmup, first)
    kinds = tuple(_result(name, number, runs, warmup) for number, name in enumerate(experiment.kinds))
    return MeasuredPoint(
        stable,
        stable and _precise(runs, warmup, len(experiment.kinds), plan),
        runs[0].cycles,
        runs[0].cycle_of(warmup),
        len(runs),
        kinds,
        verdicts,
        utilisation(runs, warmup),
        channel_flow(runs, warmup),
        jain_index(runs, warmup),
    )


def is_stable(experiment: Experiment, plan: Plan) -> bool:
    """Return the verdict alone, without replications for precise means.

    Parameters:
        experiment
        plan: Its widths are ignored.

    Returns:
        True if every kind of message has a mean.
    """
    return all(verdict.stable for verdict in _judged_runs(experiment, plan, True)[2])


def carries_load(experiment: Experiment, plan: Plan) -> bool:
    """Return True if an overload of 1 % is excluded, for searches of saturation; that takes shorter runs than means.

    Parameters:
        experiment
        plan: Its widths are ignored.

    Returns:
        Also False if the longest runs are too short to exclude it.
    """
    return all(verdict.carried for verdict in _judged_runs(experiment, plan, False)[2])


def _judged_runs(
    experiment: Experiment, plan: Plan, means: bool
) -> tuple[list[Observations], int, tuple[StabilityVerdict, ...]]:
    """Return runs long enough for a verdict, or for an exclusion of overload, or of the maximum length."""
    cycles, most = plan.cycles, plan.cycles << plan.most_doublings
    while True:
        runs = replications(partial(_run, experiment, cycles), range(plan.replications))
        warmup = warmup_parts(runs, len(experiment.kinds))
        verdicts = judge(runs, experiment.kinds, warmup, plan.most_doublings + 1)
        enough = all(verdict.stable if means else verdict.carried for verdict in verdicts)
        if enough or cycles >= most or any(verdict.hopeless for verdict in verdicts):
            return runs, warmup, verdicts
        cycles = min(_longer(cycles, max(verdict.needed_cycles for verdict in verdicts)) if means else 2 * cycles, most)


def _longer(cycles: int, needed: float) -> int:
    """Return the smallest doubling that reaches the needed cycles; one doubling if these are unknown."""
    return cycles << max(math.ceil(math.log2(needed / cycles)), 1) if math.isfinite(needed) else 2 * cycles


def _run(experiment: Experiment, cycles: int, number: int) -> Observations:
    return experiment.run(number, cycles)


def _replicate(experiment: Experiment, plan: Plan, runs: list[Observations], warmup: int, first: int) -> None:
    """Add runs until the means are precise enough; ``first`` is the number of the first one.

    The scatter so far determines the number of runs at a time: a check after each single run would stop too often at
    means that look precise by chance.
    """
    while len(runs) < plan.most_replications and not _precise(runs, warmup, len(experiment.kinds), plan):
        ratio = min(_width(runs, warmup, len(experiment.kinds), plan), plan.most_replications)
        wanted = min(max(math.ceil(len(runs) * ratio**2), len(runs) + 1), plan.most_replications)
        runs += replications(partial(_run, experiment, runs[0].cycles), range(first + len(runs), first + wanted))


def _precise(runs: Sequence[Observations], warmup: int, kinds: int, plan: Plan) -> bool:
    return _width(runs, warmup, kinds, plan) <= 1


def _width(runs: Sequence[Observations], warmup: int, kinds: int, plan: Plan) -> float:
    """Return the width of the widest interval, as a fraction of its limit."""
    widths = [(_mean_latency(runs, warmup, kind).relative, plan.relative_half_width) for kind in range(kinds)]
    flow = channel_flow(runs, warmup)
    widths.append((math.inf if flow is None else flow.relative, plan.channel_half_width))
    return max(0.0 if math.isinf(allowed) else width / allowed for width, allowed in widths)


def _counted(run: Observations, warmup: int, kind: int) -> np.ndarray:
    """Return a mask of the counted delivered messages, bool[M]."""
    part = run.part
    return (run.kind == kind) & (part >= warmup) & (part < COUNTED_PARTS) & (run.end_cycle != NOT_DELIVERED)


def _mean_latency(runs: Sequence[Observations], warmup: int, kind: int) -> Interval:
    samples = [run.latency_cycles[_counted(run, warmup, kind)] for run in runs]
    means = [float(sample.mean()) for sample in samples if len(sample)]
    return confidence_interval(means) if means else Interval(float("nan"), float("inf"), 0)


def _result(name: str, kind: int, runs: Sequence[Observations], warmup: int) -> KindResult:
    sample = np.concatenate([run.latency_cycles[_counted(run, warmup, kind)] for run in runs])
    ones = [np.ones(len(run.kind)) for run in runs]
    flits = [run.flits for run in runs]
    return KindResult(
        name=name,
        latency_cycles=_mean_latency(runs, warmup, kind),
        percentiles=_percentiles(sample),
        histogram=_histogram(sample),
        offered=_rate([run.start_cycle for run in runs], ones, runs, kind, warmup),
        accepted=_rate([run.end_cycle for run in runs], ones, runs, kind, warmup),
        accepted_flits=_rate([run.end_cycle for run in runs], flits, runs, kind, warmup),
        messages=len(sample),
    )


def _percentiles(sample: np.ndarray) -> tuple[float, ...]:
    """Return percentiles that are observed values."""
    if len(sample) == 0:
        return (float("nan"),) * len(PER_MILLE)
    return observed_percentiles(sample, PER_MILLE)


def _rate(
    cycles: Sequence[np.ndarray], weights: Sequence[np.ndarray], runs: Sequence[Observations], kind: int, warmup: int
) -> Interval:
    """Return the weight per cycle of events in the counted parts."""
    rates = []
    for when, weight, run in zip(cycles, weights, runs, strict=True):
        first, last = run.cycle_of(warmup), run.cycle_of(COUNTED_PARTS)
        wanted = (run.kind == kind) & (when >= first) & (when < last)
        rates.append(float(weight[wanted].sum()) / (last - first))
    return confidence_interval(rates)


def _histogram(sample: np.ndarray) -> tuple[tuple[float, ...], tuple[int, ...]]:
    if len(sample) == 0:
        return (), ()
    low, high = max(float(sample.min()), 1.0), max(float(sample.max()), 1.0) + 1
    edges = np.geomspace(low, high, HISTOGRAM_BINS + 1)
    counts, _ = np.histogram(np.maximum(sample, 1.0), edges)
    return tuple(edges.tolist()), tuple(counts.tolist())
