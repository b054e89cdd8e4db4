"""Curves of the HARTS paper's load figures, by algorithm and size of the mesh."""

from collections.abc import Sequence
from dataclasses import dataclass

from hydranoc.measurement.curve import Curve
from hydranoc.studies.common.figure import Effort
from hydranoc.studies.common.loads import measure_load_curves
from hydranoc.studies.harts.load import curve_name, harts_curve

LOADS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
QUICK_LOADS = (0.1, 0.3, 0.5, 0.7, 0.8)
WIDTH, QUICK_WIDTH = 0.05, 0.15
"""Relative width of the intervals of saturation."""


@dataclass(frozen=True)
class HartsCurves:
    """Members
    -------
    by_name : dict of str to Curve
    """

    by_name: dict[str, Curve]

    def of(self, algorithm: str, size: int) -> Curve:
        """Return the curve of an algorithm in a mesh."""
        return self.by_name[curve_name(algorithm, size)]

    @property
    def all(self) -> list[Curve]:
        """All curves, in the order of the request."""
        return list(self.by_name.values())


def measure_harts_curves(algorithms: Sequence[str], sizes: Sequence[int], effort: Effort) -> HartsCurves:
    """Return the curves of all algorithms in all meshes."""
    settings = [
        harts_curve(algorithm, size, quick=effort.quick)
        for size in sorted(sizes, reverse=True)
        for algorithm in algorithms
    ]
    loads, width = (QUICK_LOADS, QUICK_WIDTH) if effort.quick else (LOADS, WIDTH)
    return HartsCurves(measure_load_curves(settings, loads, saturation_width=width, **effort.points))
