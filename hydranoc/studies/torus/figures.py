"""Figures 2 to 4 of the torus paper: multi-node multicasts by partitioning against U-torus."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hydranoc.measurement.digits import six_digits
from hydranoc.studies.common.figure import Effort, Figure, Reproduction, Series

if TYPE_CHECKING:
    from hydranoc.studies.torus.points import Points

FLITS, QUICK_FLITS = (32, 64, 128, 256, 512, 1024), (32, 512)
STARTUPS_US = (300, 30)
SIZES_2, QUICK_SIZES_2 = (80, 176), (80,)
SOURCES, QUICK_SOURCES = (16, 48, 80, 112, 144, 176, 208, 240), (16, 112, 240)
DESTINATIONS_3 = (80, 176)
HOT_SPOTS, QUICK_HOT_SPOTS = (0.25, 0.5, 0.8, 1.0), (0.25, 1.0)
SIZES_4 = (80, 112)


def figure_2(effort: Effort) -> Figure:
    """Return figure 2: latency against the length of messages."""
    from hydranoc.studies.torus import claims
    from hydranoc.studies.torus.multicasts import Workload, torus_multicasts
    from hydranoc.studies.torus.points import SOFTWARE, Points

    flits, sizes = (QUICK_FLITS, QUICK_SIZES_2) if effort.quick else (FLITS, SIZES_2)
    panels = [{"startup_us": startup, "sources": size} for startup in STARTUPS_US for size in sizes]
    workloads = [
        Workload(panel["sources"], panel["sources"], length, panel["startup_us"])
        for panel in panels
        for length in flits
    ]
    points = Points(torus_multicasts(SOFTWARE, workloads, quick=effort.quick, **effort.points))
    names = [f"{panel['sources']} sources and destinations, T_s = {panel['startup_us']} us" for panel in panels]
    found = []
    for panel, name in zip(panels, names, strict=True):
        places = [{**panel, "flits": length} for length in flits]
        found.append(claims.longer_claim(name, points, panel, flits))
        found.append(claims.faster_claim(name, points, places, "flits", claims.SHORT_NOTE))
    return Figure(
        title="Torus, figure 2: multi-node multicasts in a 16 x 16 torus, hot-spot factor 25 %",
        x_label="flits of a message",
        series=_series(points, SOFTWARE, panels, "flits"),
        claims=tuple(found),
        panels=tuple(names),
        log_x=True,
        log_y=True,
        **_table(points),
    )


def figure_3(effort: Effort) -> Figure:
    """Return figure 3: latency against the number of sources, with balance and without."""
    from hydranoc.studies.torus import claims
    from hydranoc.studies.torus.multicasts import Workload, torus_multicasts
    from hydranoc.studies.torus.points import DILATED_4, U_TORUS, Points

    sources = QUICK_SOURCES if effort.quick else SOURCES
    software = (U_TORUS, *DILATED_4)
    panels = [{"destinations": count} for count in DESTINATIONS_3]
    workloads = [Workload(count, panel["destinations"]) for panel in panels for count in sources]
    points = Points(torus_multicasts(software, workloads, quick=effort.quick, **effort.points))
    return Figure(
        title="Torus, figure 3: balance in phase 1, 32 flits, T_s = 300 us, hot-spot factor 25 %",
        x_label="sources",
        series=_series(points, software, panels, "sources"),
        claims=tuple(claims.balance_claim(points, panel["destinations"], sources) for panel in panels),
        panels=tuple(f"{panel['destinations']} destinations" for panel in panels),
        **_table(points),
    )


def figure_4(effort: Effort) -> Figure:
    """Return figure 4: latency against the hot-spot factor."""
    from hydranoc.studies.torus import claims
    from hydranoc.studies.torus.multicasts import Workload, torus_multicasts
    from hydranoc.studies.torus.points import SOFTWARE, Points

    hot_spots = QUICK_HOT_SPOTS if effort.quick else HOT_SPOTS
    panels = [{"sources": size} for size in SIZES_4]
    workloads = [Workload(panel["sources"], panel["sources"], hot_spot=p) for panel in panels for p in hot_spots]
    points = Points(torus_multicasts(SOFTWARE, workloads, quick=effort.quick, **effort.points))
    names = [f"{panel['sources']} sources and destinations" for panel in panels]
    found = []
    for panel, name in zip(panels, names, strict=True):
        places = [{**panel, "hot_spot": p} for p in hot_spots]
        found.append(claims.hot_spot_claim(name, points, panel))
        found.append(claims.faster_claim(name, points, places, "hot_spot", claims.HOT_SPOT_NOTE))
    return Figure(
        title="Torus, figure 4: hot spots, 32 flits, T_s = 300 us",
        x_label="hot-spot factor p",
        series=_series(points, SOFTWARE, panels, "hot_spot"),
        claims=tuple(found),
        panels=tuple(names),
        **_table(points),
    )


def _series(
    points: "Points", software: Sequence[str], panels: Sequence[Mapping[str, float]], x: str
) -> tuple[Series, ...]:
    """Return mean latencies, with a colour for each type, dashed with B."""
    kinds = list(dict.fromkeys(name.removesuffix("B") for name in software))
    series = []
    for number, panel in enumerate(panels):
        for name in software:
            own = points.find(name, **panel)
            series.append(
                Series(
                    name,
                    [getattr(point, x) for point in own],
                    [point.mean_us.mean / 1000 for point in own],
                    [point.mean_us.half_width / 1000 for point in own],
                    panel=number,
                    colour=kinds.index(name.removesuffix("B")),
                    dashed=name.endswith("B"),
                )
            )
    return tuple(series)


KEYS = ("software", "sources", "destinations", "flits", "startup_us", "hot_spot")
INTERVALS = ("mean_us", "last_us", "gain")


def _table(points: "Points") -> dict[str, Any]:
    """Return the rows of the table; the gain of U-torus over itself is an empty cell."""
    from hydranoc.studies.common.check import Comparable
    from hydranoc.studies.torus.points import U_TORUS

    rows = []
    for point in points.all:
        where = {key: getattr(point, key) for key in KEYS[1:]}
        found = [point.mean_us, point.last_us]
        cells = [six_digits(value) for one in found for value in (one.mean, one.half_width)]
        if point.software == U_TORUS:
            cells += ["", ""]
        else:
            gain = points.gain(point.software, **where)
            cells += [six_digits(value) for value in (gain.mean, gain.half_width)]
        rows.append((point.software, *where.values(), *cells, len(point.means_us)))
    columns = [name for one in INTERVALS for name in (one, f"{one}_half_width")]
    return {
        "y_label": "mean latency, ms (95 % confidence)",
        "columns": (*KEYS, *columns, "workloads"),
        "rows": tuple(rows),
        "comparable": Comparable(KEYS, tuple((one, f"{one}_half_width") for one in INTERVALS)),
    }


REPRODUCTIONS = {
    "torus-fig2": Reproduction("latency against message length, schemes and U-torus (figure 2)", figure_2),
    "torus-fig3": Reproduction("effect of balance against number of sources (figure 3)", figure_3),
    "torus-fig4": Reproduction("latency against hot-spot factor (figure 4)", figure_4),
}
