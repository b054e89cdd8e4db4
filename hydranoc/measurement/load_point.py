"""A point of a latency-load curve in plain values, to be kept in files."""

import math
from dataclasses import dataclass

from hydranoc.measurement.digits import six_digits
from hydranoc.measurement.point import STABLE, MeasuredPoint
from sim_model.common.statistics import Interval

PERCENTILE_NAMES = ("p50", "p99", "p99.9")
LATENCIES = ("mean", "half_width", *PERCENTILE_NAMES)
"""Values that a load which diverges does not have."""
VALUES = (*LATENCIES, "offered", "accepted", "accepted_flits", "messages", "growth", "trend")


@dataclass(frozen=True)
class LoadPoint:
    """One load of one curve.

    Members
    -------
    curve : str
    load : float
    verdict : str
        One of ``VERDICTS``: whether there are means (``hydranoc/measurement/stability.py``).
    precise : bool
        Whether every mean is known as well as was asked for.
    cycles, warmup_cycles, replications : int
        Length of each run, how much of it does not count, and how many there were.
    kinds : dict of str to dict of str to float
        By kind of message the ``VALUES``: latencies in cycles, with the half width of the mean's 95 % interval;
        messages and flits per cycle; how many messages; what the verdict rests on.
    """

    curve: str
    load: float
    verdict: str
    precise: bool
    cycles: int
    warmup_cycles: int
    replications: int
    kinds: dict[str, dict[str, float]]

    @classmethod
    def of(cls, curve: str, load: float, point: MeasuredPoint) -> "LoadPoint":
        """The plain values of a measured point.

        Parameters
        ----------
        curve : str
            Name of the curve.
        load : float
            In the unit of the curve.
        point : MeasuredPoint
        """
        kinds = {}
        for kind, verdict in zip(point.kinds, point.verdicts, strict=True):
            latency = kind.latency_cycles
            rates = (kind.offered.mean, kind.accepted.mean, kind.accepted_flits.mean)
            found = (latency.mean, latency.half_width, *kind.percentiles, *rates, kind.messages)
            kinds[kind.name] = dict(zip(VALUES, (*found, verdict.growth.mean, verdict.trend.mean), strict=True))
        return cls(
            curve, load, point.verdict, point.precise, point.cycles, point.warmup_cycles, point.replications, kinds
        )

    @property
    def stable(self) -> bool:
        """Whether there are means."""
        return self.verdict == STABLE

    def latency_cycles(self, kind: str) -> Interval:
        """Mean latency in cycles with its 95 % interval; NaN where there is none.

        Parameters
        ----------
        kind : str
            Kind of message, one of ``kinds``.
        """
        if not self.stable:
            return Interval(math.nan, math.inf, self.replications)
        return Interval(self.kinds[kind]["mean"], self.kinds[kind]["half_width"], self.replications)


def columns(kinds: tuple[str, ...], unit: str) -> tuple[str, ...]:
    """Header of a table of points.

    Parameters
    ----------
    kinds : tuple of str
    unit : str
        Of latencies, such as ``us``.
    """
    latencies = [f"{name}_{unit}" for name in LATENCIES]
    values = [*latencies, *VALUES[len(latencies) :]]
    return (
        *("curve", "load", "verdict", "precise", "cycles", "warmup_cycles", "replications"),
        *(f"{kind}_{value}" for kind in kinds for value in values),
    )


def row(point: LoadPoint, unit_cycles: float) -> tuple[object, ...]:
    """Values of ``columns``, rounded to six digits; latencies that do not exist are empty cells.

    Parameters
    ----------
    point : LoadPoint
    unit_cycles : float
        Units of latency in a cycle.
    """
    cells: list[object] = []
    for values in point.kinds.values():
        for name in VALUES:
            scaled = values[name] * (unit_cycles if name in LATENCIES else 1)
            missing = math.isnan(scaled) or (not point.stable and name in LATENCIES)
            cells.append("" if missing else six_digits(scaled) if name != "messages" else int(scaled))
    return (
        *(point.curve, point.load, point.verdict, point.precise, point.cycles, point.warmup_cycles, point.replications),
        *cells,
    )
