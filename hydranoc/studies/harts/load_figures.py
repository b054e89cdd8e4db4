"""Figures 10 to 14 of HARTS: broadcasts among ordinary packets (Sec. 5)."""

from collections.abc import Callable, Sequence
from dataclasses import astuple, fields
from functools import partial
from typing import TYPE_CHECKING, Any

from hydranoc.studies.common.figure import Claim, Effort, Figure, Reproduction, Series

if TYPE_CHECKING:
    from hydranoc.studies.harts.load import BroadcastPoint

LOADS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
QUICK_LOADS = (0.1, 0.3, 0.5, 0.7)
SIZES = (5, 7, 9)
MANY_COPIES = ("2-bcast", "3-bcast", "4-bcast", "5-bcast", "6-bcast")
SBCAST, SFBCAST = "sbcast", "sfbcast"
HALF_LOAD = 0.5
LINEAR = 0.35
"""The paper says "close to linear" of three sizes; how far the middle one may be from the line is ours."""
CLOSE = 1.25
"""It says "quite close" of 4, 5 and 6 copies; this factor between the largest and the smallest is ours."""


def _points(effort: Effort, algorithms: Sequence[str], sizes: Sequence[int]) -> list["BroadcastPoint"]:
    from hydranoc.studies.harts.load import BROADCASTS, QUICK_BROADCASTS, harts_loads

    loads, broadcasts = (QUICK_LOADS, QUICK_BROADCASTS) if effort.quick else (LOADS, BROADCASTS)
    return harts_loads(tuple(algorithms), tuple(sizes), loads, broadcasts=broadcasts, **effort.points)


def _curve(points: Sequence["BroadcastPoint"], algorithm: str, size: int) -> dict[float, "BroadcastPoint"]:
    """Points of one curve by load, up to saturation."""
    from hydranoc.studies.common.saturation import before_saturation

    own = before_saturation(p for p in points if (p.algorithm, p.size) == (algorithm, size))
    return {p.load: p for p in own if p.broadcasts > 1}


def _ends(values: dict[float, float]) -> tuple[float, float]:
    """Values at the lowest and at the highest load."""
    return values[min(values)], values[max(values)]


def _table(points: Sequence["BroadcastPoint"]) -> dict[str, Any]:
    rows = sorted(points, key=lambda p: (p.size, p.algorithm, p.load))
    return {"columns": tuple(f.name for f in fields(points[0])), "rows": tuple(astuple(p) for p in rows)}


def _latencies(name: str, curve: dict[float, "BroadcastPoint"]) -> Series:
    points = list(curve.values())
    return Series(name, list(curve), [p.latency_clocks for p in points], [p.latency_half_width for p in points])


def _steepness(curve: dict[float, "BroadcastPoint"]) -> tuple[float, float]:
    """Mean rise of the latency per load below half load, and above it."""
    below = [load for load in curve if load <= HALF_LOAD]
    above = [load for load in curve if load >= HALF_LOAD]

    def rise(loads: list[float]) -> float:
        if len(loads) < 2:
            return float("nan")
        return (curve[loads[-1]].latency_clocks - curve[loads[0]].latency_clocks) / (loads[-1] - loads[0])

    return rise(below), rise(above)


def figure_10(effort: Effort) -> Figure:
    """SBCAST against load, by size."""
    points = _points(effort, (SBCAST,), SIZES)
    curves = {size: _curve(points, SBCAST, size) for size in SIZES}
    common = sorted(set.intersection(*(set(curve) for curve in curves.values())))
    bends = []
    for load in common:
        small, middle, large = (curves[size][load].latency_clocks for size in SIZES)
        bends.append(abs(middle - (small + large) / 2) / ((small + large) / 2))
    rises = {size: _steepness(curve) for size, curve in curves.items()}
    return Figure(
        title="HARTS, figure 10: latency of SBCAST",
        x_label="load",
        y_label="latency, clocks of 1.5 us (95 % confidence)",
        series=tuple(_latencies(f"size {size}", curve) for size, curve in curves.items()),
        claims=(
            Claim(
                "latency increases with the size, close to linearly",
                f"size 7 within {max(bends):.0%} of the middle between 5 and 9",
                max(bends) < LINEAR
                and all(curves[5][load].latency_clocks < curves[9][load].latency_clocks for load in common),
            ),
            Claim(
                "latency increases more steeply beyond half load (clocks per unit of load)",
                "; ".join(f"size {size}: {low:.0f} below, {high:.0f} above" for size, (low, high) in rises.items()),
                all(high > low for low, high in rises.values()),
            ),
        ),
        **_table(points),
    )


def figure_11(effort: Effort) -> Figure:
    """Several copies against SBCAST, size 7."""
    size = 7
    points = _points(effort, (SBCAST, *MANY_COPIES), (size,))
    single = _curve(points, SBCAST, size)
    increases = {}
    for algorithm in MANY_COPIES:
        curve = _curve(points, algorithm, size)
        both = [load for load in curve if load in single]
        increases[algorithm] = {
            load: 100 * (curve[load].latency_clocks / single[load].latency_clocks - 1) for load in both
        }
    many = MANY_COPIES[2:]
    common = sorted(set.intersection(*(set(increases[algorithm]) for algorithm in many)))
    factors = [
        max(100 + increases[a][load] for a in many) / min(100 + increases[a][load] for a in many) for load in common
    ]
    ends = {a: _ends(values) for a, values in increases.items() if values}
    return Figure(
        title="HARTS, figure 11: more copies, size 7",
        x_label="load",
        y_label="increase of latency over SBCAST, per cent",
        series=tuple(Series(a, list(values), list(values.values())) for a, values in increases.items()),
        claims=(
            Claim(
                "the increase grows with load",
                "; ".join(f"{a} {low:.0f} to {high:.0f} %" for a, (low, high) in ends.items()),
                all(high > low for low, high in ends.values()),
            ),
            Claim(
                "4, 5 and 6 copies cost about the same",
                f"within a factor {max(factors):.2f}",
                max(factors) <= CLOSE,
            ),
        ),
        **_table(points),
    )


def figure_12(effort: Effort) -> Figure:
    """SBCAST against SFBCAST, size 5."""
    size = 5
    points = _points(effort, (SBCAST, SFBCAST), (size,))
    fast, stored = _curve(points, SBCAST, size), _curve(points, SFBCAST, size)
    common = sorted(set(fast) & set(stored))
    first, last = common[0], common[-1]
    ratios = [stored[load].latency_clocks / fast[load].latency_clocks for load in (first, last)]
    return Figure(
        title="HARTS, figure 12: SBCAST with and without cut-through, size 5",
        x_label="load",
        y_label="latency, clocks of 1.5 us (95 % confidence)",
        series=(_latencies("SBCAST", fast), _latencies("SFBCAST", stored)),
        claims=(
            Claim(
                "SFBCAST is much slower at low load, and nears SBCAST as load grows",
                f"{ratios[0]:.2f} times at load {first:g}, {ratios[1]:.2f} times at load {last:g}",
                ratios[0] > ratios[1] > 1,
            ),
        ),
        **_table(points),
    )


def _comparison(effort: Effort, title: str, measure: Callable[["BroadcastPoint"], float]) -> Figure:
    """Increase of SFBCAST over SBCAST, by size."""
    points = _points(effort, (SBCAST, SFBCAST), SIZES)
    increases = {}
    for size in SIZES:
        fast, stored = _curve(points, SBCAST, size), _curve(points, SFBCAST, size)
        increases[size] = {
            load: 100 * (measure(stored[load]) / measure(fast[load]) - 1) for load in fast if load in stored
        }
    ends = {size: _ends(values) for size, values in increases.items() if values}
    low_loads = [load for load in increases[SIZES[0]] if load <= HALF_LOAD]
    ordered = [load for load in low_loads if increases[5][load] < increases[7][load] < increases[9][load]]
    return Figure(
        title=title,
        x_label="load",
        y_label="increase of SFBCAST over SBCAST, per cent",
        series=tuple(Series(f"size {size}", list(values), list(values.values())) for size, values in increases.items()),
        claims=(
            Claim(
                "the difference becomes less as load grows",
                "; ".join(f"size {size}: {low:.0f} to {high:.0f} %" for size, (low, high) in ends.items()),
                all(low > high for low, high in ends.values()),
            ),
            Claim(
                "for a fixed load it becomes more with the size",
                f"in order of sizes at {len(ordered)} of {len(low_loads)} loads up to {HALF_LOAD}",
                len(ordered) == len(low_loads),
            ),
        ),
        **_table(points),
    )


def _latency(point: "BroadcastPoint") -> float:
    return point.latency_clocks


def _delivery(point: "BroadcastPoint") -> float:
    return point.delivery_clocks


LOAD_REPRODUCTIONS = {
    "harts-fig10": Reproduction("latency of SBCAST against load, by size (figure 10)", figure_10),
    "harts-fig11": Reproduction("latency of 2- to 6-BCAST over SBCAST (figure 11)", figure_11),
    "harts-fig12": Reproduction("SBCAST against SFBCAST, size 5 (figure 12)", figure_12),
    "harts-fig13": Reproduction(
        "latency of SFBCAST over SBCAST, by size (figure 13)",
        partial(_comparison, title="HARTS, figure 13: latency without cut-through", measure=_latency),
    ),
    "harts-fig14": Reproduction(
        "mean delivery time of SFBCAST over SBCAST, by size (figure 14)",
        partial(_comparison, title="HARTS, figure 14: mean delivery time without cut-through", measure=_delivery),
    ),
}
