"""Load of links, by the equations and by simulation: the part of a broadcast that the printed ones leave out."""

from collections.abc import Iterable, Sequence

from hydranoc.measurement.compare import ratio
from hydranoc.studies.common.check import Comparable
from hydranoc.studies.common.figure import Claim, Effort, Figure, Series
from hydranoc.studies.hypercube.analytical_traffic import VARIANTS, HypercubeLoad, Variant, link_load
from hydranoc.studies.hypercube.simulated import (
    DIMENSIONS,
    LOAD_SAMPLING,
    QUICK_DIMENSIONS,
    QUICK_LOAD_SAMPLING,
    VCS,
    CubePoint,
    equation_series,
    paper_loads,
    simulated_cubes,
    simulated_series,
)
from sim_model.statistics.latency import Interval

FLITS = 32
SHARES, QUICK_SHARES = (0.4, 0.8, 1.2), (0.8,)
TOLERANCE = 0.02
PANELS = tuple((n, vcs) for vcs in VCS for n in DIMENSIONS)
COLUMNS = (
    "dimensions",
    "flits",
    "lanes",
    "broadcast_fraction",
    "share",
    "rate",
    "verdict",
    "precise",
    "simulated",
    "half_width",
    "cycles",
    "warmup_cycles",
    "replications",
    *VARIANTS,
)
CLAIMS: dict[Variant, str] = {
    "fixed": "equations (4) to (11), with (10) over the nodes that forward, give the load of links",
    "printed": "equations (4) to (11) as printed give the load of links",
}
NOTE = (
    "(3) counts the nodes that forward, but (10) is a mean over all nodes that receive: about half of the copies that "
    "nodes send on are missing."
)


def link_loads(effort: Effort) -> Figure:
    """Return the flits per cycle on a link against the rate, up to and beyond the equations' saturation."""
    shares, sampling = (QUICK_SHARES, QUICK_LOAD_SAMPLING) if effort.quick else (SHARES, LOAD_SAMPLING)
    loads = paper_loads((FLITS,), QUICK_DIMENSIONS if effort.quick else DIMENSIONS)
    points = simulated_cubes(loads, shares, sampling, **effort.points)
    points.sort(key=lambda p: (p.dimensions, p.vcs, p.broadcast_fraction, p.share))
    return Figure(
        title=f"Hypercube: load of links by the equations and by simulation, M = {FLITS}",
        x_label="messages per node and cycle",
        y_label="flits per cycle on a link (95 % confidence)",
        series=tuple(_series(loads, points)),
        claims=tuple(load_claim(points, variant) for variant in CLAIMS),
        columns=COLUMNS,
        rows=tuple(_rows(points)),
        panels=tuple(f"n = {n}, V = {vcs}" for n, vcs in PANELS),
        panels_across=len(DIMENSIONS),
        one_legend=True,
        comparable=Comparable(COLUMNS[:5], (("simulated", "half_width"),)),
    )


def load_claim(points: Sequence[CubePoint], variant: Variant) -> Claim:
    """Check that the whole interval of each excess over the simulated load lies within 2 %, at every point.

    A point without a simulated mean counts as outside.
    """
    excesses = [
        ratio(Interval(link_load(point.load, variant), 0.0, point.replications), point.mean_link_load)
        for point in points
        if point.stable
    ]
    near = sum(abs(found.mean - 1) + found.half_width <= TOLERANCE for found in excesses)
    measured = "at no point"
    if excesses:
        low, high, widest = (
            choose(map(value, excesses))
            for choose, value in ((min, _over), (max, _over), (max, lambda found: found.half_width))
        )
        measured = f"{100 * low:+.1f} to {100 * high:+.1f} %, each within {100 * widest:.1f} %"
    return Claim(
        f"{CLAIMS[variant]}, within {100 * TOLERANCE:.0f} %",
        f"{measured}: {near} of {len(points)} points",
        near == len(points) > 0,
        note=NOTE if variant == "printed" and near < len(points) else "",
    )


def _over(quotient: Interval) -> float:
    return quotient.mean - 1


def _series(loads: Sequence[HypercubeLoad], points: Sequence[CubePoint]) -> Iterable[Series]:
    simulated = [simulated_series(points, load, "link_load", panel=_panel(load)) for load in loads]
    for variant in VARIANTS:
        for load, series in zip(loads, simulated, strict=True):
            rates = [0.0, *series.x]
            carried = [link_load(load.at(rate), variant) for rate in rates]
            yield equation_series(variant, load, rates, carried, panel=series.panel)
    yield from simulated


def _panel(load: HypercubeLoad) -> int:
    return PANELS.index((load.dimensions, load.vcs))


def _rows(points: Iterable[CubePoint]) -> Iterable[tuple[object, ...]]:
    for point in points:
        yield (
            *(point.dimensions, point.flits, point.vcs, point.broadcast_fraction, point.share, f"{point.rate:.7f}"),
            *(point.verdict, point.precise),
            *((round(point.link_load, 5), round(point.link_load_half_width, 5)) if point.stable else ("", "")),
            *(point.cycles, point.warmup_cycles, point.replications),
            *(round(link_load(point.load, variant), 5) for variant in VARIANTS),
        )
