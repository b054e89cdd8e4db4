"""Saturation by the equations: two service times solve (17), and there is none beyond the rate at which they meet."""

from collections.abc import Iterable, Mapping
from itertools import pairwise

from hydranoc.studies.common.check import Comparable
from hydranoc.studies.common.figure import Claim, Effort, Figure, Series
from hydranoc.studies.hypercube.analytical import channel_at, saturation_rate, solve
from hydranoc.studies.hypercube.analytical_traffic import VARIANTS, HypercubeLoad, Variant, link_load, traffic_of
from hydranoc.studies.hypercube.simulated import (
    DIMENSIONS,
    FLITS,
    FRACTIONS,
    VCS,
    equation_series,
    named,
    paper_loads,
)

LOOKS = 500
"""Number of service times, evenly from M to 1 / λ_c, in the search for roots."""
BELOW, BEYOND = 0.999, 1.001
CUBES = tuple((n, flits) for n in DIMENSIONS for flits in FLITS)
BESIDE: dict[Variant, float] = {"printed": -0.15, "fixed": 0.15}
COLUMNS = ("dimensions", "flits", "lanes", "broadcast_fraction", *VARIANTS)

Rates = Mapping[tuple[HypercubeLoad, Variant], float]


def saturation(_effort: Effort) -> Figure:
    """Return the highest rates at which the equations have a solution."""
    rates: Rates = {(load, variant): saturation_rate(load, variant) for variant in VARIANTS for load in paper_loads()}
    return Figure(
        title="Hypercube: saturation by the equations",
        x_label="n, M",
        y_label="flits per node and cycle at saturation",
        series=tuple(_series(rates)),
        claims=(merging_claim(rates),),
        columns=COLUMNS,
        rows=tuple((*_cube(load), load.broadcast_fraction, *_digits(rates, load)) for load in paper_loads()),
        x_names=tuple(f"{n}, {flits}" for n, flits in CUBES),
        panels=tuple(f"V = {vcs}" for vcs in VCS),
        one_legend=True,
        table=tuple(_table(rates)),
        comparable=Comparable(COLUMNS[:4], exact=COLUMNS[4:]),
    )


def merging_claim(rates: Rates) -> Claim:
    """Check that two roots of (17) meet at saturation, and give the load of channels there."""
    merging, busy, loads = 0, [], []
    for (load, variant), rate in rates.items():
        merging += [roots(load.at(share * rate), variant) for share in (BELOW, BEYOND)] == [2, 0]
        last = solve(load.at(rate), variant)
        busy += [] if last is None else [last.channel.utilisation]
        loads.append(link_load(load.at(rate), variant))
    return Claim(
        "saturation is where two service times that solve (17) meet",
        f"two at {BELOW:g} of it and none at {BEYOND:g} in {merging} of {len(rates)} cases; there λ_c S is "
        f"{min(busy):.2f} to {max(busy):.2f}, and links carry {min(loads):.2f} to {max(loads):.2f} flits per cycle",
        merging == len(rates) == len(busy),
    )


def roots(load: HypercubeLoad, variant: Variant) -> int:
    """Return the number of service times that solve (17), not counting two that are very close."""
    traffic = traffic_of(load, variant)
    span = 1 / traffic.channel - load.flits
    times = [load.flits + span * look / LOOKS for look in range(LOOKS)]
    above = [channel_at(load, traffic, time).mean_time > time for time in times]
    return sum(before != after for before, after in pairwise(above))


def _cube(load: HypercubeLoad) -> tuple[int, int, int]:
    return load.dimensions, load.flits, load.vcs


def _digits(rates: Rates, load: HypercubeLoad) -> list[str]:
    """Return the rates of both variants, to the fifth decimal."""
    return [f"{rates[load, variant]:.5f}" for variant in VARIANTS]


def _series(rates: Rates) -> Iterable[Series]:
    for variant in VARIANTS:
        for panel, vcs in enumerate(VCS):
            for fraction in FRACTIONS:
                loads = [HypercubeLoad(n, vcs, flits, fraction) for n, flits in CUBES]
                carried = [rates[load, variant] * load.flits for load in loads]
                # side by side: printed ones are about the fixed ones for half as many broadcasts
                places = [cube + BESIDE[variant] for cube in range(len(CUBES))]
                yield equation_series(variant, loads[0], places, carried, panel=panel, joined=False)


def _table(rates: Rates) -> Iterable[str]:
    """Yield printed and fixed rates, a row for each cube."""
    yield "messages per node and cycle, printed / fixed"
    yield " n    M  V   " + "   ".join(f"{named(fraction):^17}" for fraction in FRACTIONS).rstrip()
    for n, flits in CUBES:
        for vcs in VCS:
            pairs = [" / ".join(_digits(rates, HypercubeLoad(n, vcs, flits, fraction))) for fraction in FRACTIONS]
            yield f"{n:2} {flits:4} {vcs:2}   " + "   ".join(pairs)
