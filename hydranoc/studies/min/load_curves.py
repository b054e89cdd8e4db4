"""Curves of the MIN paper's load figures, by network and algorithm."""

from collections.abc import Sequence
from dataclasses import dataclass

from hydranoc.measurement.curve import Curve
from hydranoc.studies.common.figure import Effort
from hydranoc.studies.common.loads import measure_load_curves
from hydranoc.studies.min.load import curve_name, min_curve
from hydranoc.studies.min.shapes import Shape

LOADS = (0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4)
LIGHTEST = LOADS[:1]
WIDTH, QUICK_WIDTH = 0.05, 0.15
"""Relative width of the intervals of saturation."""
ATBM, SOFTWARE = ALGORITHMS = (False, True)


@dataclass(frozen=True)
class MinCurves:
    """Curves with equal traffic.

    Members
    -------
    multicast_share : float
        M_p.
    flits : int
    by_name : dict of str to Curve
    """

    multicast_share: float
    flits: int
    by_name: dict[str, Curve]

    def of(self, shape: Shape, algorithm: bool = ATBM) -> Curve:
        """Return the curve of a network."""
        return self.by_name[curve_name(shape, algorithm, self.multicast_share, self.flits)]

    @property
    def all(self) -> list[Curve]:
        """All curves, in the order of the request."""
        return list(self.by_name.values())


def measure_min_curves(
    shapes: Sequence[Shape],
    multicast_share: float,
    flits: int,
    effort: Effort,
    *,
    loads: Sequence[float] = LOADS,
    algorithms: Sequence[bool] = ALGORITHMS,
) -> MinCurves:
    """Return the curves of all networks and algorithms.

    Parameters
    ----------
    shapes : sequence of Shape
    multicast_share : float
        M_p.
    flits : int
        Length of all messages.
    effort : Effort
    loads : sequence of float
    algorithms : sequence of bool
        ``ATBM``, ``SOFTWARE``.
    """
    settings = [
        min_curve(shape, algorithm, multicast_share=multicast_share, flits=flits, quick=effort.quick)
        for shape in shapes
        for algorithm in algorithms
    ]
    width = QUICK_WIDTH if effort.quick else WIDTH
    return MinCurves(
        multicast_share, flits, measure_load_curves(settings, loads, saturation_width=width, **effort.points)
    )
