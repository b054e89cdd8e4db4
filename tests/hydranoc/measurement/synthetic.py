"""Curves with given values, for tests of their evaluation."""

import math
from collections.abc import Mapping

from hydranoc.measurement.curve import Curve
from hydranoc.measurement.load_point import VALUES, LoadPoint
from hydranoc.measurement.saturation import SaturationLoad

Latencies = Mapping[str, tuple[float, float]]


def curve(name: str, by_load: Mapping[float, Latencies], saturation: tuple[float, float]) -> Curve:
    """A curve with means and half widths by load and kind; at the upper end of ``saturation`` it diverges."""
    points = [_point(name, load, latencies) for load, latencies in by_load.items()]
    if saturation[1] < float("inf"):
        kinds = next(iter(by_load.values()))
        points.append(_point(name, saturation[1], dict.fromkeys(kinds, (9e9, 9e9)), stable=False))
    return Curve(tuple(points), SaturationLoad(*saturation))


def _point(name: str, load: float, latencies: Latencies, *, stable: bool = True) -> LoadPoint:
    kinds = {
        kind: {**dict.fromkeys(VALUES, 1.0), "mean": mean, "half_width": half}
        for kind, (mean, half) in latencies.items()
    }
    return LoadPoint(name, load, "stable" if stable else "diverges", stable, 1000, 100, 10, stable, math.nan, kinds)
