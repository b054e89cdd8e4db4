"""Figure 1: latency of broadcasts by the paper's equations and by simulation (Sec. 4).

The paper shows curves without numbers and finds a close match in the steady state. Here that means: the printed
equations are within 15 % of the simulation up to 0.8 of saturation, with the whole interval of their quotient. A curve
ends where
the equations have no solution.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from hydranoc.measurement.compare import combination, difference, ratio
from hydranoc.measurement.digits import six_digits
from hydranoc.studies.common.check import Comparable
from hydranoc.studies.common.figure import Claim, Effort, Figure, Series
from hydranoc.studies.hypercube.analytical import saturation_rate, solve
from hydranoc.studies.hypercube.analytical_traffic import VARIANTS, HypercubeLoad, Variant
from hydranoc.studies.hypercube.simulated import (
    DIMENSIONS,
    FLITS,
    LATENCY_SAMPLING,
    QUICK_DIMENSIONS,
    QUICK_FLITS,
    QUICK_LATENCY_SAMPLING,
    VCS,
    CubePoint,
    equation_series,
    paper_loads,
    simulated_cubes,
    simulated_series,
)
from sim_model.statistics.latency import Interval

SHARES, QUICK_SHARES = (0.2, 0.4, 0.6, 0.8, 1.0), (0.2, 0.5, 0.8)
STEADY_SHARE = 0.8
ACCURACY = 0.15
"""Accuracy and range of loads for the paper's "closely" and "steady state", which are ours."""
CURVE_POINTS = 40
PANELS = tuple((n, vcs, flits) for n in DIMENSIONS for vcs in VCS for flits in FLITS)
COLUMNS = (
    "curve",
    "dimensions",
    "flits",
    "lanes",
    "broadcast_fraction",
    "share",
    "rate",
    "verdict",
    "precise",
    "latency",
    "half_width",
    "cycles",
    "warmup_cycles",
    "replications",
    "printed_excess",
    "fixed_excess",
)


class Curve(NamedTuple):
    """Latencies by the equations, up to saturation."""

    rates: list[float]
    latencies: list[float]


Curves = Mapping[tuple[HypercubeLoad, Variant], Curve]


def figure_1(effort: Effort) -> Figure:
    """Return figure 1: latency against rate for every cube of the paper."""
    sampling = QUICK_LATENCY_SAMPLING if effort.quick else LATENCY_SAMPLING
    loads = paper_loads(QUICK_FLITS, QUICK_DIMENSIONS) if effort.quick else paper_loads()
    points = simulated_cubes(loads, QUICK_SHARES if effort.quick else SHARES, sampling, **effort.points)
    curves: Curves = {(load, variant): curve(load, variant) for variant in VARIANTS for load in paper_loads()}
    return Figure(
        title="Hypercube, figure 1: latency of broadcasts by the equations and by simulation",
        x_label="messages per node and cycle",
        y_label="latency, cycles (95 % confidence)",
        series=tuple(_series(curves, points)),
        claims=(
            *(accuracy_claim(points, *cube) for cube in sorted({(load.dimensions, load.vcs) for load in loads})),
            *discrepancy_claims(points),
        ),
        columns=COLUMNS,
        rows=tuple(_rows(curves, points)),
        panels=tuple(f"n = {n}, V = {vcs}, M = {flits}" for n, vcs, flits in PANELS),
        panels_across=len(FLITS),
        one_legend=True,
        comparable=Comparable(COLUMNS[:7], (("latency", "half_width"),)),
    )


def curve(load: HypercubeLoad, variant: Variant) -> Curve:
    """Return the curve of a variant from rate 0 to its saturation, near which rates are closer."""
    last = saturation_rate(load, variant)
    rates = [last * (1 - (1 - number / CURVE_POINTS) ** 2) for number in range(CURVE_POINTS + 1)]
    solutions = [solve(load.at(rate), variant) for rate in rates]
    return Curve(rates, [solution.latency for solution in solutions if solution is not None])


def excess(point: CubePoint, variant: Variant) -> Interval | None:
    """Return the relative excess of the equations' latency over the simulated one; None without either."""
    solution = solve(point.load, variant)
    if solution is None or not point.stable:
        return None
    quotient = ratio(Interval(solution.latency, 0.0, point.replications), point.mean_latency)
    return Interval(quotient.mean - 1, quotient.half_width, quotient.observations)


def accuracy_claim(points: Iterable[CubePoint], dimensions: int, vcs: int) -> Claim:
    """Check that the whole interval of each excess lies within 15 %, up to 0.8 of saturation.

    A point without a solution of the equations, or without a simulated mean, counts as outside.
    """
    own = [point for point in points if (point.dimensions, point.vcs) == (dimensions, vcs)]
    steady = [point for point in own if point.share <= STEADY_SHARE]
    printed, fixed = (_excesses(steady, variant) for variant in ("printed", "fixed"))
    near = sum(abs(found.mean) + found.half_width <= ACCURACY for found in printed)
    beyond = _excesses([point for point in own if point.share > STEADY_SHARE], "printed")
    without = sum(not point.stable for point in own)
    measured = [
        f"{_range(printed)}, {near} of {len(steady)} points, {_percent(_mean_size(printed))} on average",
        f"fixed {_range(fixed)}",
        *([f"printed beyond {STEADY_SHARE:g}: {_range(beyond)}"] if beyond else []),
        *([f"{without} points without a mean"] if without else []),
    ]
    return Claim(
        f"printed equations within {100 * ACCURACY:.0f} % of the simulation up to {STEADY_SHARE:g} of saturation: "
        f"n = {dimensions}, V = {vcs}",
        "; ".join(measured),
        near == len(steady) > 0,
    )


def discrepancy_claims(points: Iterable[CubePoint]) -> Iterable[Claim]:
    """Yield checks that excesses are greater near saturation, with the whole interval of the difference."""
    points = list(points)
    steady = _excesses([point for point in points if point.share <= STEADY_SHARE], "printed")
    beyond = _excesses([point for point in points if point.share > STEADY_SHARE], "printed")
    if steady and beyond:
        near, far = _mean_size(steady), _mean_size(beyond)
        yield Claim(
            "discrepancies of the printed equations are noticeable near saturation",
            f"on average {_percent(near)} up to {STEADY_SHARE:g} of saturation, {_percent(far)} beyond: "
            f"{_range(beyond)}",
            difference(far, near).low > 0,
        )


def _mean_size(excesses: Sequence[Interval]) -> Interval:
    """Return the mean of absolute values; unknown without any."""
    if not excesses:
        return Interval(math.nan, math.inf, 0)
    return combination([(math.copysign(1 / len(excesses), found.mean), found) for found in excesses])


def _excesses(points: Iterable[CubePoint], variant: Variant) -> list[Interval]:
    return [found for point in points if (found := excess(point, variant)) is not None]


def _range(excesses: Sequence[Interval]) -> str:
    if not excesses:
        return "at no point"
    return f"{100 * min(found.mean for found in excesses):+.0f} to {100 * max(found.mean for found in excesses):+.0f} %"


def _percent(share: Interval) -> str:
    return f"{100 * share.mean:.1f}±{100 * share.half_width:.1f} %"


def _series(curves: Curves, points: Sequence[CubePoint]) -> Iterable[Series]:
    for (load, variant), found in curves.items():
        yield equation_series(variant, load, *found, panel=_panel(load))
    for load in paper_loads():
        yield simulated_series(points, load, "latency", panel=_panel(load))


def _panel(load: HypercubeLoad) -> int:
    return PANELS.index((load.dimensions, load.vcs, load.flits))


def _rows(curves: Curves, points: Iterable[CubePoint]) -> Iterable[tuple[object, ...]]:
    for (load, variant), found in curves.items():
        cube = (load.dimensions, load.flits, load.vcs, load.broadcast_fraction)
        for rate, latency in zip(*found, strict=True):
            yield (variant, *cube, "", f"{rate:.7f}", "", "", six_digits(latency), *[""] * (len(COLUMNS) - 10))
    for point in sorted(points, key=lambda p: (p.dimensions, p.vcs, p.flits, p.broadcast_fraction, p.share)):
        excesses = [excess(point, variant) for variant in ("printed", "fixed")]
        yield (
            "simulated",
            *(point.dimensions, point.flits, point.vcs, point.broadcast_fraction, point.share, f"{point.rate:.7f}"),
            *(point.verdict, point.precise),
            *((six_digits(point.latency), six_digits(point.latency_half_width)) if point.stable else ("", "")),
            *(point.cycles, point.warmup_cycles, point.replications),
            *("" if found is None else round(found.mean, 4) for found in excesses),
        )
