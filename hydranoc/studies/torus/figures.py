"""Figures 2 to 4 of the torus paper: multi-node multicasts by partitioning against U-torus.

A claim about a difference holds where the whole 95 % interval lies on its side; an interval with both is reported as
inconclusive (Sec. 3.4.4).
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from hydranoc.measurement.compare import difference, ratio
from hydranoc.measurement.digits import six_digits
from hydranoc.studies.common.check import Comparable
from hydranoc.studies.common.figure import Claim, Effort, Figure, Series
from hydranoc.studies.torus.multicasts import DILATED_4, SOFTWARE, U_TORUS, Points, Workload, torus_multicasts
from sim_model.statistics.latency import Interval, confidence_interval

RANDOM_NETWORKS = ("I", "III")
"""Types that always need phase 1; the others need it only with B."""
SCHEMES = SOFTWARE[1:]
MAX_NAMED = 4
COLUMN_NAMES = {"means_us": "mean latency", "lasts_us": "last multicast"}
SHORT_NOTE = (
    "Short messages cost little else than their start-ups; schemes send 3 to 40 % more messages, and 4I and 4III leave "
    "the relaying to 64 and 128 of the 256 nodes."
)
HOT_SPOT_NOTE = (
    "The nodes that all multicasts have in common lie in the same blocks, whose few representatives serve all of them."
)


def longer_claim(name: str, points: Points, panel: Mapping[str, float], flits: Sequence[int]) -> Claim:
    """Check figure 2: the longer the messages, the greater the gain, workload by workload."""
    short, long = (
        {scheme: points.gains(scheme, **panel, flits=length) for scheme in SCHEMES} for length in (flits[0], flits[-1])
    )
    growth = {
        scheme: confidence_interval([after - before for before, after in zip(short[scheme], long[scheme], strict=True)])
        for scheme in SCHEMES
    }
    grown = [scheme for scheme, one in growth.items() if one.low > 0]
    shrunk = [scheme for scheme, one in growth.items() if one.high < 0]
    texts = [
        f"{_range([confidence_interval(gains) for gains in by_scheme.values()])} at {length} flits"
        for length, by_scheme in ((flits[0], short), (flits[-1], long))
    ]
    texts.append(f"grows for {len(grown)} of {len(SCHEMES)} schemes")
    texts += [f"shrinks for {', '.join(shrunk)}"] if shrunk else []
    return Claim(f"the gain over U-torus enlarges as messages do: {name}", "; ".join(texts), len(grown) == len(SCHEMES))


def faster_claim(name: str, points: Points, places: Sequence[Mapping[str, float]], key: str, note: str) -> Claim:
    """Check for a significant improvement over U-torus at all measured points."""
    texts = []
    for place in places:
        gains = {scheme: points.gain(scheme, **place) for scheme in SCHEMES}
        slower = [scheme for scheme, gain in gains.items() if gain.high < 1]
        alike = [scheme for scheme, gain in gains.items() if gain.low <= 1 <= gain.high]
        texts += [f"{_which(slower)} slower at {place[key]:g}"] if slower else []
        texts += [f"{_which(alike)} not told apart at {place[key]:g}"] if alike else []
    return Claim(
        f"all {len(SCHEMES)} schemes faster than U-torus: {name}",
        "; ".join(texts) if texts else "everywhere",
        not texts,
        note=note if texts else "",
    )


def balance_claim(points: Points, destinations: int, sources: Sequence[int]) -> Claim:
    """Check figure 3: B saves more with few sources."""
    holds, texts = [], []
    for scheme in (f"4{kind}" for kind in RANDOM_NETWORKS):
        for column, name in COLUMN_NAMES.items():
            few, many = (
                points.saved(scheme, column, destinations=destinations, sources=count)
                for count in (sources[0], sources[-1])
            )
            holds.append(difference(few, many).low > 0)
            texts.append(
                f"{scheme}, {name}: {_percent(few)} with {sources[0]} sources, {_percent(many)} with {sources[-1]}"
            )
    return Claim(f"B saves more with fewer sources: {destinations} destinations", "; ".join(texts), all(holds))


def hot_spot_claim(name: str, points: Points, panel: Mapping[str, float]) -> Claim:
    """Check figure 4: a larger p increases the latency; no step falls, and from the first p to the last all rise."""
    rises, steps, falls, growth = 0, 0, [], {}
    for software in SOFTWARE:
        own = points.find(software, **panel)
        for before, after in pairwise(own):
            step = difference(after.mean_us, before.mean_us)
            steps += 1
            rises += step.low > 0
            falls += [software] if step.high < 0 else []
        growth[software] = ratio(own[-1].mean_us, own[0].mean_us)
        first, last = own[0].hot_spot, own[-1].hot_spot
    texts = [f"at {rises} of {steps} steps"]
    texts += [f"falls with {', '.join(dict.fromkeys(falls))}"] if falls else []
    texts.append(f"from p = {first:g} to p = {last:g} by {_range(list(growth.values()))} times")
    return Claim(
        f"a larger hot-spot factor increases latency: {name}",
        "; ".join(texts),
        not falls and all(one.low > 1 for one in growth.values()),
    )


def _range(found: Sequence[Interval]) -> str:
    least, most = (choose(found, key=lambda one: one.mean) for choose in (min, max))
    return " to ".join(f"{one.mean:.2f}±{one.half_width:.2f}" for one in (least, most))


def _which(schemes: Sequence[str]) -> str:
    return ", ".join(schemes) if len(schemes) <= MAX_NAMED else f"{len(schemes)} schemes"


def _percent(share: Interval) -> str:
    return f"{100 * share.mean:z.0f}±{100 * share.half_width:.0f} %"


FLITS, QUICK_FLITS = (32, 64, 128, 256, 512, 1024), (32, 512)
STARTUPS_US = (300, 30)
SIZES_2, QUICK_SIZES_2 = (80, 176), (80,)
SOURCES, QUICK_SOURCES = (16, 48, 80, 112, 144, 176, 208, 240), (16, 112, 240)
DESTINATIONS_3 = (80, 176)
HOT_SPOTS, QUICK_HOT_SPOTS = (0.25, 0.5, 0.8, 1.0), (0.25, 1.0)
SIZES_4 = (80, 112)


def figure_2(effort: Effort) -> Figure:
    """Return figure 2: latency against the length of messages."""
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
        found.append(longer_claim(name, points, panel, flits))
        found.append(faster_claim(name, points, places, "flits", SHORT_NOTE))
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
    sources = QUICK_SOURCES if effort.quick else SOURCES
    software = (U_TORUS, *DILATED_4)
    panels = [{"destinations": count} for count in DESTINATIONS_3]
    workloads = [Workload(count, panel["destinations"]) for panel in panels for count in sources]
    points = Points(torus_multicasts(software, workloads, quick=effort.quick, **effort.points))
    return Figure(
        title="Torus, figure 3: balance in phase 1, 32 flits, T_s = 300 us, hot-spot factor 25 %",
        x_label="sources",
        series=_series(points, software, panels, "sources"),
        claims=tuple(balance_claim(points, panel["destinations"], sources) for panel in panels),
        panels=tuple(f"{panel['destinations']} destinations" for panel in panels),
        **_table(points),
    )


def figure_4(effort: Effort) -> Figure:
    """Return figure 4: latency against the hot-spot factor."""
    hot_spots = QUICK_HOT_SPOTS if effort.quick else HOT_SPOTS
    panels = [{"sources": size} for size in SIZES_4]
    workloads = [Workload(panel["sources"], panel["sources"], hot_spot=p) for panel in panels for p in hot_spots]
    points = Points(torus_multicasts(SOFTWARE, workloads, quick=effort.quick, **effort.points))
    names = [f"{panel['sources']} sources and destinations" for panel in panels]
    found = []
    for panel, name in zip(panels, names, strict=True):
        places = [{**panel, "hot_spot": p} for p in hot_spots]
        found.append(hot_spot_claim(name, points, panel))
        found.append(faster_claim(name, points, places, "hot_spot", HOT_SPOT_NOTE))
    return Figure(
        title="Torus, figure 4: hot spots, 32 flits, T_s = 300 us",
        x_label="hot-spot factor p",
        series=_series(points, SOFTWARE, panels, "hot_spot"),
        claims=tuple(found),
        panels=tuple(names),
        **_table(points),
    )


def _series(
    points: Points, software: Sequence[str], panels: Sequence[Mapping[str, float]], x: str
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


def _table(points: Points) -> dict[str, Any]:
    """Return the rows of the table; the gain of U-torus over itself is an empty cell."""
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
