"""A point of a latency-load curve in plain values, for files."""

import math
from dataclasses import dataclass

from hydranoc.measurement.digits import six_digits
from hydranoc.measurement.point import STABLE, MeasuredPoint
from hydranoc.measurement.stability import StabilityVerdict
from sim_model.statistics.latency import Interval

PERCENTILE_NAMES = ("p50", "p99", "p99.9")
LATENCIES = ("mean", "half_width", *PERCENTILE_NAMES)
"""Values without meaning for a diverging load."""
JUDGED = ("growth", "growth_high", "growth_whole", "growth_half", "growth_p", "pieces", "first_latency")
"""Values behind the verdict (docs/understand/verdicts.md): stored rows can be judged again by another rule."""
VALUES = (*LATENCIES, "offered", "accepted", "accepted_flits", "messages", *JUDGED)


@dataclass(frozen=True)
class LoadPoint:
    """One load of one curve.

    Members:
        curve
        load
        verdict: One of ``VERDICTS``, the existence of means (``hydranoc/measurement/stability.py``).
        precise: True if every mean has the requested precision.
        cycles, warmup_cycles, replications (int): Length of each run, its warm-up, and the number of runs.
        carried: An overload of 1 % is excluded.
        needed_cycles: Estimated minimum length of runs, for an undecided point; NaN for any other.
        kinds (dict of str to dict of str to float): By kind of message the ``VALUES``: latencies in cycles, with the
            half width of the mean's 95 % interval; messages and flits per cycle; number of messages; values behind the
            verdict.
    """

    curve: str
    load: float
    verdict: str
    precise: bool
    cycles: int
    warmup_cycles: int
    replications: int
    carried: bool
    needed_cycles: float
    kinds: dict[str, dict[str, float]]

    @classmethod
    def of(cls, curve: str, load: float, point: MeasuredPoint) -> "LoadPoint":
        """Return the plain values of a measured point.

        Parameters:
            curve: Name of the curve.
            load: In the unit of the curve.
            point
        """
        kinds = {}
        for kind, verdict in zip(point.kinds, point.verdicts, strict=True):
            latency = kind.latency_cycles
            rates = (kind.offered.mean, kind.accepted.mean, kind.accepted_flits.mean)
            found = (latency.mean, latency.half_width, *kind.percentiles, *rates, kind.messages)
            kinds[kind.name] = dict(zip(VALUES, (*found, *_judged(verdict)), strict=True))
        return cls(
            curve,
            load,
            point.verdict,
            point.precise,
            point.cycles,
            point.warmup_cycles,
            point.replications,
            point.carried,
            point.needed_cycles,
            kinds,
        )

    @property
    def stable(self) -> bool:
        """True if means exist."""
        return self.verdict == STABLE

    def latency_cycles(self, kind: str) -> Interval:
        """Return the mean latency in cycles with its 95 % interval; NaN where there is none.

        Parameters:
            kind: Kind of message, one of ``kinds``.
        """
        if not self.stable:
            return Interval(math.nan, math.inf, self.replications)
        return Interval(self.kinds[kind]["mean"], self.kinds[kind]["half_width"], self.replications)


def _judged(verdict: StabilityVerdict) -> tuple[float, ...]:
    """Return the values of ``JUDGED``."""
    backlog = verdict.backlog
    p_value = max(backlog.whole.p_value, backlog.half.p_value)
    shares = (verdict.growth.mean, verdict.growth.high, backlog.whole.share, backlog.half.share)
    return (*shares, p_value, verdict.pieces, backlog.first_latency_cycles)


def columns(kinds: tuple[str, ...], unit: str) -> tuple[str, ...]:
    """Return the header of a table of points.

    Parameters:
        unit: Of latencies, such as ``us``.
    """
    latencies = [f"{name}_{unit}" for name in LATENCIES]
    values = [*latencies, *VALUES[len(latencies) :]]
    return (
        *("curve", "load", "verdict", "precise", "cycles", "warmup_cycles", "replications", "carried", "needed_cycles"),
        *(f"{kind}_{value}" for kind in kinds for value in values),
    )


def row(point: LoadPoint, unit_cycles: float) -> tuple[object, ...]:
    """Return the values of ``columns``, rounded to six digits; missing latencies are empty cells.

    Parameters:
        unit_cycles: Units of latency in a cycle.
    """
    cells: list[object] = []
    for values in point.kinds.values():
        for name in VALUES:
            scaled = values[name] * (unit_cycles if name in LATENCIES else 1)
            missing = not math.isfinite(scaled) or (not point.stable and name in LATENCIES)
            cells.append("" if missing else six_digits(scaled) if name != "messages" else int(scaled))
    needed = math.ceil(point.needed_cycles) if math.isfinite(point.needed_cycles) else ""
    return (
        *(point.curve, point.load, point.verdict, point.precise, point.cycles, point.warmup_cycles, point.replications),
        *(point.carried, needed, *cells),
    )
