"""The paper's cubes and traffic, and their series in figures."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hydranoc.studies.common.figure import Series
from sim_model.hypercube.analytical_traffic import HypercubeLoad, Variant

if TYPE_CHECKING:
    from hydranoc.studies.hypercube.simulated import CubePoint

DIMENSIONS = (6, 7, 8)
FLITS = (32, 64, 128)
LANES = (2, 4)
FRACTIONS = (0.005, 0.01, 0.02)
QUICK_DIMENSIONS, QUICK_FLITS = DIMENSIONS[:2], FLITS[:1]


def paper_loads(flits: Sequence[int] = FLITS, dimensions: Sequence[int] = DIMENSIONS) -> list[HypercubeLoad]:
    """Return every cube with every fraction of broadcasts: by n, V, M and then β. Rates are 0."""
    return [
        HypercubeLoad(n, lanes, length, fraction)
        for n in dimensions
        for lanes in LANES
        for length in flits
        for fraction in FRACTIONS
    ]


def named(fraction: float) -> str:
    """Return the name of a fraction of broadcasts, for legends."""
    return f"β = {fraction:g}"


def equation_series(
    variant: Variant, load: HypercubeLoad, x: Sequence[float], y: Sequence[float], *, panel: int, joined: bool = True
) -> Series:
    """Return the results of a variant of the equations: a line, dashed for the fixed one; or marks, open for that."""
    fraction = load.broadcast_fraction
    return Series(
        f"{variant}, {named(fraction)}",
        x,
        y,
        panel=panel,
        colour=FRACTIONS.index(fraction),
        dashed=variant == "fixed",
        joined=joined,
        marked=not joined,
    )


def simulated_series(points: Sequence["CubePoint"], load: HypercubeLoad, observed: str, *, panel: int) -> Series:
    """Return the simulated points of a load: marks with intervals.

    Parameters
    ----------
    points : sequence of CubePoint
        Points of other loads are left out, and those without means.
    load : HypercubeLoad
        Its own rate is ignored.
    observed : str
        Member of a point.
    panel : int
    """
    own = [point for point in points if point.stable and point.load.at(load.rate) == load]
    own.sort(key=lambda point: point.rate)
    return Series(
        f"simulated, {named(load.broadcast_fraction)}",
        [point.rate for point in own],
        [getattr(point, observed) for point in own],
        [getattr(point, f"{observed}_half_width") for point in own],
        panel=panel,
        colour=FRACTIONS.index(load.broadcast_fraction),
        joined=False,
    )
