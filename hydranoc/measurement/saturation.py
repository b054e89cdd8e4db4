"""The load at which a network saturates: it carries those below, and none above."""

from collections.abc import Callable
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class SaturationLoad:
    """Interval of the saturation load.

    Members
    -------
    carried : float
        Largest load found to be carried; 0 if none was.
    diverging : float
        Smallest load above it that was not; infinite if none was. An overload of 1 % is not excluded there.
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

        Parameters
        ----------
        carried : bool
            True if ``middle`` was found to be carried.
        """
        return replace(self, carried=self.middle) if carried else replace(self, diverging=self.middle)


def find_saturation(
    carried: Callable[[float], bool], low: float, high: float, *, relative_width: float = 0.02
) -> SaturationLoad:
    """Return the saturation load by bisection between two loads.

    Parameters
    ----------
    carried : callable
        Load -> bool, such as ``carries_load`` of an experiment at it.
    low, high : float
        Ends of the search, both tried; greater than 0.
    relative_width : float
        Width of the interval, as a fraction of its upper end, at which the search ends.

    Returns
    -------
    SaturationLoad
        ``carried`` is 0 if the lower end is not carried, ``diverging`` infinite if the upper one is.

    Raises
    ------
    ValueError
        If the loads are not ``0 < low < high``, or the width is not between 0 and 1.
    """
    if not 0 < low < high:
        raise ValueError(f"Loads of a search for saturation must be 0 < low < high, not {low!r} and {high!r}")
    if not 0 < relative_width < 1:
        raise ValueError(f"Relative width must be between 0 and 1, not {relative_width!r}")
    if not carried(low):
        return SaturationLoad(0.0, low)
    if carried(high):
        return SaturationLoad(high, float("inf"))
    found = SaturationLoad(low, high)
    while found.relative_width > relative_width:
        found = found.halved(carried(found.middle))
    return found
