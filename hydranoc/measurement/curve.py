"""A latency-load curve: increasing loads until one is not carried, then a search for the saturation of the network."""

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from typing import TypeVar

from hydranoc.measurement.load_point import LoadPoint
from hydranoc.measurement.saturation import SaturationLoad

Task = TypeVar("Task")


@dataclass(frozen=True)
class Curve:
    """A measured latency-load curve.

    Members
    -------
    points : tuple of LoadPoint
        By load; the last one is not carried, unless the network carries all loads.
    saturation : SaturationLoad
    """

    points: tuple[LoadPoint, ...]
    saturation: SaturationLoad

    @property
    def name(self) -> str:
        """Name of the curve."""
        return self.points[0].curve

    @property
    def stable(self) -> list[LoadPoint]:
        """Points with means."""
        return [point for point in self.points if point.stable]

    def at(self, load: float) -> LoadPoint | None:
        """Return the point at a load if it has means, otherwise None.

        Parameters
        ----------
        load : float
            Exactly as it was measured.
        """
        return next((point for point in self.stable if point.load == load), None)


def load_curve(
    task_of: Callable[[float, bool], Task], loads: Iterable[float], *, relative_width: float
) -> Generator[Task, LoadPoint, Curve]:
    """Yield the tasks of a curve one after the other, receive the point of each, and return the curve.

    Parameters
    ----------
    task_of : callable
        Load, and True for means as well as the verdict -> task.
    loads : iterable of float
    relative_width : float
        Width of the interval of saturation, as a fraction of its upper end.
    """
    points: list[LoadPoint] = []
    for load in sorted(loads):
        points.append((yield task_of(load, True)))
        if not points[-1].carried:
            break
    carried = max((point.load for point in points if point.carried), default=0.0)
    if points[-1].carried or not carried:
        return Curve(tuple(points), SaturationLoad(carried, float("inf") if points[-1].carried else points[-1].load))
    found = SaturationLoad(carried, points[-1].load)
    while found.relative_width > relative_width:
        found = found.halved((yield task_of(found.middle, False)).carried)
    return Curve(tuple(points), found)
