"""Latency-load curves of a study: length of runs, experiment and plan at every load, series and table rows."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hydranoc.measurement.curve import Curve, SaturationLoad, load_curve
from hydranoc.measurement.digits import six_digits
from hydranoc.measurement.kept_points import measure_curves
from hydranoc.measurement.load_point import LoadPoint, columns, row
from hydranoc.measurement.observations import Experiment
from hydranoc.measurement.point import Plan, measure_point
from hydranoc.studies.common.check import Comparable
from hydranoc.studies.common.figure import Series


@dataclass(frozen=True)
class RunLength:
    """Initial length of runs, by the minimum numbers of messages and multicasts."""

    messages: int
    multicasts: int

    def cycles(self, nodes: int, rate: float, multicast_fraction: float) -> int:
        """Return the cycles at a rate of messages per node and cycle."""
        return round(max(self.messages, self.multicasts / multicast_fraction) / (rate * nodes))


MAX_BISECTIONS = 5
UNBOUNDED = float("inf")


@dataclass(frozen=True)
class LoadTask:
    """Measurement of one point.

    Members:
        curve
        load
        experiment: A dataclass: its text names it among kept points.
        plan
    """

    curve: str
    load: float
    experiment: Experiment
    plan: Plan


@dataclass(frozen=True)
class CurveSetting:
    """Settings of one curve.

    Members:
        name
        experiment_at: Load -> experiment.
        plan_at: Load -> plan.
    """

    name: str
    experiment_at: Callable[[float], Experiment]
    plan_at: Callable[[float], Plan]

    def task(self, load: float, means: bool) -> LoadTask:
        """Return the task of a load; without ``means`` only for the verdict."""
        plan = self.plan_at(load)
        plan = plan if means else replace(plan, relative_half_width=UNBOUNDED)
        return LoadTask(self.name, load, self.experiment_at(load), plan)


def measure_load(task: LoadTask) -> LoadPoint:
    """Measure one point."""
    return LoadPoint.of(task.curve, task.load, measure_point(task.experiment, task.plan))


def measure_load_curves(
    settings: Sequence[CurveSetting], loads: Sequence[float], *, saturation_width: float = 0.05, **effort: Any
) -> dict[str, Curve]:
    """Return all curves, each up to the first diverging load, and their saturation.

    Parameters:
        saturation_width: Relative width of the intervals of saturation.
        effort: ``processes``, ``progress`` and ``kept``, see ``measure_curves``.
    """
    curves = measure_curves(
        measure_load,
        [load_curve(setting.task, loads, relative_width=saturation_width) for setting in settings],
        point_type=LoadPoint,
        most_tasks=len(settings) * (len(loads) + MAX_BISECTIONS),
        **effort,
    )
    return {curve.name: curve for curve in curves}


def load_series(name: str, curve: Curve, kind: str, unit_cycles: float, **style: Any) -> Series:
    """Return the mean latencies of a kind of message, with intervals; diverging loads have no point.

    Parameters:
        unit_cycles: Units of latency in a cycle.
        style: Members of ``Series``.
    """
    latencies = [point.latency_cycles(kind) for point in curve.stable]
    found = curve.saturation
    return Series(
        name,
        [point.load for point in curve.stable],
        [latency.mean * unit_cycles for latency in latencies],
        [latency.half_width * unit_cycles for latency in latencies],
        saturation=(found.carried, found.diverging) if math.isfinite(found.diverging) else None,
        **style,
    )


def load_table(
    curves: Iterable[Curve], kinds: tuple[str, ...], unit: str, unit_cycles: float
) -> tuple[tuple[str, ...], tuple[tuple[object, ...], ...]]:
    """Return header and rows of a CSV file: every measured load, and the saturation of its curve."""
    header = (*columns(kinds, unit), "saturation_low", "saturation_high")
    rows = tuple((*row(point, unit_cycles), *_ends(curve.saturation)) for curve in curves for point in curve.points)
    return header, rows


def load_comparison(kinds: tuple[str, ...], unit: str) -> Comparable:
    """Return the columns of a ``load_table`` to compare with those of another run."""
    return Comparable(("curve", "load"), tuple((f"{kind}_mean_{unit}", f"{kind}_half_width_{unit}") for kind in kinds))


def _ends(found: SaturationLoad) -> tuple[object, ...]:
    """Return the cells of the ends of saturation; without an upper end its cell is empty."""
    high = six_digits(found.diverging) if math.isfinite(found.diverging) else ""
    return six_digits(found.carried), high


def saturation_text(found: SaturationLoad) -> str:
    """Return the interval of saturation as text."""
    if math.isinf(found.diverging):
        return f"over {found.carried:g}"
    return f"{found.carried:.3g} to {found.diverging:.3g}" if found.carried else f"below {found.diverging:.3g}"


def carried_by_both(first: Curve, second: Curve) -> list[tuple[LoadPoint, LoadPoint]]:
    """Return pairs of points of two curves at equal loads, where both have means."""
    pairs = ((point, second.at(point.load)) for point in first.stable)
    return [(point, other) for point, other in pairs if other is not None]
