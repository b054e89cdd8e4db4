"""Latency-load curves of a study: experiment and plan at every load."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hydranoc.measurement.curve import Curve, load_curve
from hydranoc.measurement.kept_points import measure_curves
from hydranoc.measurement.load_point import LoadPoint
from hydranoc.measurement.observations import Experiment
from hydranoc.measurement.point import Plan, measure_point

MAX_BISECTIONS = 5
UNBOUNDED = float("inf")


@dataclass(frozen=True)
class LoadTask:
    """Measurement of one point.

    Members
    -------
    curve : str
    load : float
    experiment : Experiment
        A dataclass: its text names it among kept points.
    plan : Plan
    """

    curve: str
    load: float
    experiment: Experiment
    plan: Plan


@dataclass(frozen=True)
class CurveSetting:
    """Settings of one curve.

    Members
    -------
    name : str
    experiment_at : callable
        Load -> experiment.
    plan_at : callable
        Load -> plan.
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

    Parameters
    ----------
    settings : sequence of CurveSetting
    loads : sequence of float
    saturation_width : float
        Relative width of the intervals of saturation.
    effort
        ``processes``, ``progress`` and ``kept``, see ``measure_curves``.
    """
    curves = measure_curves(
        measure_load,
        [load_curve(setting.task, loads, relative_width=saturation_width) for setting in settings],
        point_type=LoadPoint,
        most_tasks=len(settings) * (len(loads) + MAX_BISECTIONS),
        **effort,
    )
    return {curve.name: curve for curve in curves}
