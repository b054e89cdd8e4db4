"""Latency-load curves as series and table rows."""

import math
from collections.abc import Iterable
from typing import Any

from hydranoc.measurement.curve import Curve
from hydranoc.measurement.digits import six_digits
from hydranoc.measurement.load_point import LoadPoint, columns, row
from hydranoc.measurement.saturation import SaturationLoad
from hydranoc.studies.common.check import Comparable
from hydranoc.studies.common.figure import Series


def load_series(name: str, curve: Curve, kind: str, unit_cycles: float, **style: Any) -> Series:
    """Return the mean latencies of a kind of message, with intervals; diverging loads have no point.

    Parameters
    ----------
    name : str
    curve : Curve
    kind : str
    unit_cycles : float
        Units of latency in a cycle.
    style
        Members of ``Series``.
    """
    latencies = [point.latency_cycles(kind) for point in curve.stable]
    found = curve.saturation
    return Series(
        name,
        [point.load for point in curve.stable],
        [latency.mean * unit_cycles for latency in latencies],
        [latency.half_width * unit_cycles for latency in latencies],
        saturation=(found.carried, found.diverging) if math.isfinite(found.diverging) else None,
        **style,
    )


def load_table(
    curves: Iterable[Curve], kinds: tuple[str, ...], unit: str, unit_cycles: float
) -> tuple[tuple[str, ...], tuple[tuple[object, ...], ...]]:
    """Return header and rows of a CSV file: every measured load, and the saturation of its curve."""
    header = (*columns(kinds, unit), "saturation_low", "saturation_high")
    rows = tuple((*row(point, unit_cycles), *_ends(curve.saturation)) for curve in curves for point in curve.points)
    return header, rows


def load_comparison(kinds: tuple[str, ...], unit: str) -> Comparable:
    """Return the columns of a ``load_table`` to compare with those of another run."""
    return Comparable(("curve", "load"), tuple((f"{kind}_mean_{unit}", f"{kind}_half_width_{unit}") for kind in kinds))


def _ends(found: SaturationLoad) -> tuple[object, ...]:
    """Return the cells of the ends of saturation; without an upper end its cell is empty."""
    high = six_digits(found.diverging) if math.isfinite(found.diverging) else ""
    return six_digits(found.carried), high


def saturation_text(found: SaturationLoad) -> str:
    """Return the interval of saturation as text."""
    if math.isinf(found.diverging):
        return f"over {found.carried:g}"
    return f"{found.carried:.3g} to {found.diverging:.3g}" if found.carried else f"below {found.diverging:.3g}"


def carried_by_both(first: Curve, second: Curve) -> list[tuple[LoadPoint, LoadPoint]]:
    """Return pairs of points of two curves at equal loads, where both have means."""
    pairs = ((point, second.at(point.load)) for point in first.stable)
    return [(point, other) for point, other in pairs if other is not None]
