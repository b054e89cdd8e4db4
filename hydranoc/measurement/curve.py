"""A latency-load curve: increasing loads until one is not carried, then a search for the load that saturates."""

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

from hydranoc.measurement.load_point import LoadPoint


@dataclass(frozen=True)
class SaturationLoad:
    """Interval of the saturation load.

    Members:
        carried: Largest load found to be carried; 0 if none was.
        diverging: Smallest load above it that was not; infinite if none was. An overload of 1 % is not excluded there.
    """

    carried: float
    diverging: float

    @property
    def middle(self) -> float:
        """The middle of the interval; infinite without an upper end."""
        return (self.carried + self.diverging) / 2

    @property
    def relative_width(self) -> float:
        """Width of the interval, as a fraction of its upper end."""
        return 1 - self.carried / self.diverging

    def halved(self, carried: bool) -> "SaturationLoad":
        """Return the remaining half of the interval after the verdict on its middle.

        Parameters:
            carried: True if ``middle`` was found to be carried.
        """
        return replace(self, carried=self.middle) if carried else replace(self, diverging=self.middle)


def find_saturation(
    carried: Callable[[float], bool], low: float, high: float, *, relative_width: float = 0.02
) -> SaturationLoad:
    """Return the saturation load by bisection between two loads.

    Parameters:
        carried: Load -> bool, such as ``carries_load`` of an experiment at it.
        low, high (float): Ends of the search, both tried; greater than 0.
        relative_width: Width of the interval, as a fraction of its upper end, at which the search ends.

    Returns:
        ``carried`` is 0 if the lower end is not carried, ``diverging`` infinite if the upper one is.

    Raises:
        ValueError: If the loads are not ``0 < low < high``, or the width is not between 0 and 1.
    """
    if not 0 < low < high:
        raise ValueError(f"Loads of a search for saturation are {low!r} and {high!r}; they must be 0 < low < high")
    if not 0 < relative_width < 1:
        raise ValueError(f"Relative width is {relative_width!r}; it must be between 0 and 1")
    if not carried(low):
        return SaturationLoad(0.0, low)
    if carried(high):
        return SaturationLoad(high, float("inf"))
    found = SaturationLoad(low, high)
    while found.relative_width > relative_width:
        found = found.halved(carried(found.middle))
    return found


Task = TypeVar("Task")


@dataclass(frozen=True)
class Curve:
    """A measured latency-load curve.

    Members:
        points: By load; the last one is not carried, unless the network carries all loads.
        saturation
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

        Parameters:
            load: Exactly as it was measured.
        """
        return next((point for point in self.stable if point.load == load), None)


def load_curve(
    task_of: Callable[[float, bool], Task], loads: Iterable[float], *, relative_width: float
) -> Generator[Task, LoadPoint, Curve]:
    """Yield the tasks of a curve one after the other, receive the point of each, and return the curve.

    Parameters:
        task_of: Load, and True for means as well as the verdict -> task.
        loads
        relative_width: Width of the interval of saturation, as a fraction of its upper end.
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
