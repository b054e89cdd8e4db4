"""Measured multicasts by software, compared workload by workload."""

from collections.abc import Callable, Sequence

from hydranoc.studies.torus.multicasts import MulticastPoint
from sim_model.statistics.latency import Interval, confidence_interval

U_TORUS = "u-torus"
KINDS = ("I", "II", "III", "IV")
DILATED_4 = tuple(f"4{kind}{balance}" for kind in KINDS for balance in ("", "B"))
SOFTWARE = (U_TORUS, *DILATED_4, "2IIIB")


class Points:
    """Points by software and parameters.

    All software sends the same random workloads, so comparisons are within each workload, and their mean has an
    interval over the workloads. It is narrower than that of two means, because slow workloads are slow for all.

    Parameters
    ----------
    points : sequence of MulticastPoint
    """

    def __init__(self, points: Sequence[MulticastPoint]):
        self.all = tuple(points)

    def find(self, software: str, **wanted: float) -> list[MulticastPoint]:
        """Return the points of a software with these members, in order of sources, length and hot-spot factor."""
        own = [
            point
            for point in self.all
            if point.software == software and all(getattr(point, key) == value for key, value in wanted.items())
        ]
        return sorted(own, key=lambda point: (point.sources, point.flits, point.hot_spot))

    def gain(self, software: str, **wanted: float) -> Interval:
        """Return the ratio of the mean latency of U-torus to that of another software, at one point."""
        return confidence_interval(self.gains(software, **wanted))

    def gains(self, software: str, **wanted: float) -> list[float]:
        """Return the ratios of ``gain`` by workload."""
        return self._paired(lambda base, own: base / own, U_TORUS, software, "means_us", wanted)

    def saved(self, scheme: str, column: str, **wanted: float) -> Interval:
        """Return the fraction of a time (``means_us`` or ``lasts_us``) that a scheme saves with B, at one point."""
        return confidence_interval(self._paired(lambda own, b: 1 - b / own, scheme, f"{scheme}B", column, wanted))

    def _paired(
        self, compare: Callable[[float, float], float], first: str, second: str, column: str, wanted: dict[str, float]
    ) -> list[float]:
        (one,), (other,) = self.find(first, **wanted), self.find(second, **wanted)
        return [compare(*pair) for pair in zip(getattr(one, column), getattr(other, column), strict=True)]
