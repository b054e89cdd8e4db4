"""Figures 10 to 14 of HARTS: broadcasts among ordinary packets (Sec. 5)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hydranoc.measurement.curve import Curve
from hydranoc.measurement.digits import six_digits
from hydranoc.studies.common.figure import Effort, Figure, Series
from hydranoc.studies.common.loads import load_comparison, load_series, load_table
from hydranoc.studies.harts import load_claims
from hydranoc.studies.harts.load import BROADCAST, CLOCKS_PER_CYCLE, DELIVERY, KINDS, HartsCurves, measure_harts_curves
from hydranoc.studies.harts.load_claims import ByLoad
from sim_model.statistics.latency import Interval

COPIES = (2, 3, 4, 5, 6)
SBCAST, SFBCAST = "sbcast", "sfbcast"
UNIT = "clocks"
INCREASE = ("increase_percent", "increase_half_width_percent")
"""Columns for the increase in figures 11, 13 and 14."""
LATENCY_AXIS = "latency, clocks of 1.5 us (95 % confidence)"


def figure_10(effort: Effort) -> Figure:
    """Return figure 10: SBCAST against load, by size."""
    measured = measure_harts_curves([SBCAST], load_claims.SIZES, effort)
    curves = {size: measured.of(SBCAST, size) for size in load_claims.SIZES}
    return Figure(
        title="HARTS, figure 10: latency of SBCAST",
        x_label="load",
        y_label=LATENCY_AXIS,
        series=tuple(_latencies(f"size {size}", curve) for size, curve in curves.items()),
        claims=(
            load_claims.larger_meshes_slower(curves),
            load_claims.linear_in_size(curves),
            load_claims.super_exponential(curves),
            load_claims.packets_saturate_late(curves),
        ),
        log_y=True,
        **_table(measured),
    )


def figure_11(effort: Effort) -> Figure:
    """Return figure 11: several copies against SBCAST, size 7."""
    size = 7
    measured = measure_harts_curves([SBCAST, *(f"{copies}-bcast" for copies in COPIES)], [size], effort)
    curves = {copies: measured.of(f"{copies}-bcast", size) for copies in COPIES}
    increases = {
        f"{copies}-BCAST": load_claims.increases(curve, measured.of(SBCAST, size)) for copies, curve in curves.items()
    }
    return Figure(
        title="HARTS, figure 11: more copies, size 7",
        x_label="load",
        y_label="increase over SBCAST, % (95 % confidence)",
        series=tuple(_increases(name, found) for name, found in increases.items()),
        claims=(
            load_claims.moves("the increase grows with load", increases, 1, " %"),
            load_claims.copies_close_together(curves),
        ),
        **_table(measured, {curves[copies].name: increases[f"{copies}-BCAST"] for copies in COPIES}),
    )


def figure_12(effort: Effort) -> Figure:
    """Return figure 12: SBCAST against SFBCAST, size 5."""
    size = 5
    measured = measure_harts_curves([SBCAST, SFBCAST], [size], effort)
    fast, stored = measured.of(SBCAST, size), measured.of(SFBCAST, size)
    return Figure(
        title="HARTS, figure 12: SBCAST with and without cut-through, size 5",
        x_label="load",
        y_label=LATENCY_AXIS,
        series=(_latencies("SBCAST", fast), _latencies("SFBCAST", stored)),
        claims=(load_claims.stored_substantially_slower(stored, fast), load_claims.stored_rises_less(stored, fast)),
        **_table(measured),
    )


def stored_by_size(effort: Effort, *, title: str, mean_delivery: bool) -> Figure:
    """Return the increase of SFBCAST over SBCAST, by size: of the latency, or of the mean delivery time."""
    measured = measure_harts_curves([SBCAST, SFBCAST], load_claims.SIZES, effort)
    of_kind = {
        kind: {
            f"size {size}": load_claims.increases(measured.of(SFBCAST, size), measured.of(SBCAST, size), kind)
            for size in load_claims.SIZES
        }
        for kind in (BROADCAST, DELIVERY)
    }
    shown = of_kind[DELIVERY if mean_delivery else BROADCAST]
    claims = [
        load_claims.moves("the difference becomes less as load grows", shown, -1, " %"),
        load_claims.ordered("for a fixed load it becomes more with the size", shown),
    ]
    if mean_delivery:
        pairs = [(name, found, of_kind[BROADCAST][name]) for name, found in shown.items()]
        claims.append(load_claims.above("it is higher than the difference in latency", pairs))
    return Figure(
        title=title,
        x_label="load",
        y_label="increase over SBCAST, % (95 % confidence)",
        series=tuple(_increases(name, found) for name, found in shown.items()),
        claims=tuple(claims),
        **_table(measured, {measured.of(SFBCAST, size).name: shown[f"size {size}"] for size in load_claims.SIZES}),
    )


def _latencies(name: str, curve: Curve) -> Series:
    return load_series(name, curve, BROADCAST, CLOCKS_PER_CYCLE)


def _increases(name: str, by_load: ByLoad) -> Series:
    found = list(by_load.values())
    return Series(name, list(by_load), [one.mean for one in found], [one.half_width for one in found])


def _table(curves: HartsCurves, increases: "Mapping[str, ByLoad] | None" = None) -> dict[str, Any]:
    """Return the rows of all curves, with the drawn increases, by name of curve, in the rows of their loads."""
    columns, rows = load_table(curves.all, KINDS, UNIT, CLOCKS_PER_CYCLE)
    comparable = load_comparison(KINDS, UNIT)
    if increases is not None:
        columns = (*columns, *INCREASE)
        found = (increases.get(curve.name, {}).get(point.load) for curve in curves.all for point in curve.points)
        rows = tuple((*row, *_increase_cells(increase)) for row, increase in zip(rows, found, strict=True))
        comparable = replace(comparable, intervals=(*comparable.intervals, INCREASE))
    return {"columns": columns, "rows": rows, "comparable": comparable}


def _increase_cells(increase: "Interval | None") -> tuple[object, object]:
    """Return the cells of an increase, empty for the base curve, and where one of the two has no mean."""
    if increase is None:
        return "", ""
    return six_digits(increase.mean), six_digits(increase.half_width)
