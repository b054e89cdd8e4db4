"""Figures 2 to 4 of the torus paper: multi-node multicasts by partitioning against U-torus."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, fields
from itertools import pairwise
from typing import TYPE_CHECKING

from hydranoc.studies.common.figure import Claim, Effort, Figure, Reproduction, Series

if TYPE_CHECKING:
    from hydranoc.studies.torus.multicasts import MulticastPoint

U_TORUS = "u-torus"
KINDS = ("I", "II", "III", "IV")
DILATED_4 = tuple(f"4{kind}{balance}" for kind in KINDS for balance in ("", "B"))
SOFTWARE = (U_TORUS, *DILATED_4, "2IIIB")
RANDOM_NETWORKS = ("I", "III")
"""Types in which phase 1 is needed anyway; in the others it is B that brings it."""

FLITS, QUICK_FLITS = (32, 64, 128, 256, 512, 1024), (32, 512)
STARTUPS_US = (300, 30)
SIZES_2, QUICK_SIZES_2 = (80, 176), (80,)
SOURCES, QUICK_SOURCES = (16, 48, 80, 112, 144, 176, 208, 240), (16, 112, 240)
DESTINATIONS_3 = (80, 176)
HOT_SPOTS, QUICK_HOT_SPOTS = (0.25, 0.5, 0.8, 1.0), (0.25, 1.0)
SIZES_4 = (80, 112)
COLUMN_NAMES = {"mean_us": "mean latency", "last_us": "last multicast"}


class Points:
    """Points by software and what else they differ in."""

    def __init__(self, points: Sequence["MulticastPoint"]):
        self._points = points

    def find(self, software: str, **wanted: float) -> list["MulticastPoint"]:
        """Points of a software with these members, in order of sources, length and hot-spot factor."""
        own = [
            point
            for point in self._points
            if point.software == software and all(getattr(point, key) == value for key, value in wanted.items())
        ]
        return sorted(own, key=lambda point: (point.sources, point.flits, point.hot_spot))

    def gain(self, software: str, **wanted: float) -> float:
        """How many times the latency of U-torus is that of another software, at one point."""
        (base,), (own,) = self.find(U_TORUS, **wanted), self.find(software, **wanted)
        return base.mean_us / own.mean_us

    def saved(self, scheme: str, column: str, **wanted: float) -> float:
        """Share of a time that a scheme saves with B, at one point."""
        (without,), (balanced,) = self.find(scheme, **wanted), self.find(f"{scheme}B", **wanted)
        return 1 - getattr(balanced, column) / getattr(without, column)


def figure_2(effort: Effort) -> Figure:
    """Latency against the length of messages."""
    from hydranoc.studies.torus.multicasts import Workload, torus_multicasts

    flits, sizes = (QUICK_FLITS, QUICK_SIZES_2) if effort.quick else (FLITS, SIZES_2)
    panels = [{"startup_us": startup, "sources": size} for startup in STARTUPS_US for size in sizes]
    workloads = [
        Workload(panel["sources"], panel["sources"], length, panel["startup_us"])
        for panel in panels
        for length in flits
    ]
    measured = torus_multicasts(SOFTWARE, workloads, quick=effort.quick, **effort.points)
    points = Points(measured)
    names = [f"{panel['sources']} sources and destinations, T_s = {panel['startup_us']} us" for panel in panels]
    claims = []
    for panel, name in zip(panels, names, strict=True):
        claims.append(longer_claim(name, points, panel, flits))
        claims.append(faster_claim(name, points, [{**panel, "flits": length} for length in flits], "flits", SHORT_NOTE))
    return Figure(
        title="Torus, figure 2: multi-node multicasts in a 16 x 16 torus, hot-spot factor 25 %",
        x_label="flits of a message",
        series=_series(points, SOFTWARE, panels, "flits"),
        claims=tuple(claims),
        panels=tuple(names),
        log_x=True,
        log_y=True,
        **_table(measured),
    )


def figure_3(effort: Effort) -> Figure:
    """Latency against the number of sources, with balance and without."""
    from hydranoc.studies.torus.multicasts import Workload, torus_multicasts

    sources = QUICK_SOURCES if effort.quick else SOURCES
    software = (U_TORUS, *DILATED_4)
    panels = [{"destinations": count} for count in DESTINATIONS_3]
    workloads = [Workload(count, panel["destinations"]) for panel in panels for count in sources]
    measured = torus_multicasts(software, workloads, quick=effort.quick, **effort.points)
    points = Points(measured)
    return Figure(
        title="Torus, figure 3: balance in phase 1, 32 flits, T_s = 300 us, hot-spot factor 25 %",
        x_label="sources",
        series=_series(points, software, panels, "sources"),
        claims=tuple(balance_claim(points, panel["destinations"], sources) for panel in panels),
        panels=tuple(f"{panel['destinations']} destinations" for panel in panels),
        **_table(measured),
    )


def figure_4(effort: Effort) -> Figure:
    """Latency against the hot-spot factor."""
    from hydranoc.studies.torus.multicasts import Workload, torus_multicasts

    hot_spots = QUICK_HOT_SPOTS if effort.quick else HOT_SPOTS
    panels = [{"sources": size} for size in SIZES_4]
    workloads = [Workload(panel["sources"], panel["sources"], hot_spot=p) for panel in panels for p in hot_spots]
    measured = torus_multicasts(SOFTWARE, workloads, quick=effort.quick, **effort.points)
    points = Points(measured)
    names = [f"{panel['sources']} sources and destinations" for panel in panels]
    claims = []
    for panel, name in zip(panels, names, strict=True):
        claims.append(hot_spot_claim(name, points, panel))
        claims.append(
            faster_claim(name, points, [{**panel, "hot_spot": p} for p in hot_spots], "hot_spot", HOT_SPOT_NOTE)
        )
    return Figure(
        title="Torus, figure 4: hot spots, 32 flits, T_s = 300 us",
        x_label="hot-spot factor p",
        series=_series(points, SOFTWARE, panels, "hot_spot"),
        claims=tuple(claims),
        panels=tuple(names),
        **_table(measured),
    )


SHORT_NOTE = (
    "Short messages cost little else than their start-ups; schemes send 3 to 40 % more messages, and 4I and 4III leave "
    "the relaying to 64 and 128 of the 256 nodes."
)
HOT_SPOT_NOTE = (
    "The nodes that all multicasts have in common lie in the same blocks, whose few representatives serve all of them."
)


def longer_claim(name: str, points: Points, panel: Mapping[str, float], flits: Sequence[int]) -> Claim:
    """Figure 2: the longer the messages, the greater the gain."""
    short, long = (
        {scheme: points.gain(scheme, **panel, flits=length) for scheme in SOFTWARE[1:]}
        for length in (flits[0], flits[-1])
    )
    grown = [scheme for scheme in short if long[scheme] > short[scheme]]
    measured = "; ".join(
        f"{min(gains.values()):.2f} to {max(gains.values()):.2f} at {length} flits"
        for length, gains in ((flits[0], short), (flits[-1], long))
    )
    return Claim(
        f"the gain over U-torus enlarges as messages do: {name}",
        f"{measured}; grows for {len(grown)} of {len(short)} schemes",
        len(grown) == len(short),
    )


def faster_claim(name: str, points: Points, places: Sequence[Mapping[str, float]], key: str, note: str) -> Claim:
    """Significant improvement over U-torus, wherever that was measured."""
    slower = {place[key]: [scheme for scheme in SOFTWARE[1:] if points.gain(scheme, **place) <= 1] for place in places}
    texts = [f"{len(schemes)} slower at {value:g}" for value, schemes in slower.items() if schemes]
    return Claim(
        f"all {len(SOFTWARE) - 1} schemes faster than U-torus: {name}",
        ", ".join(texts) if texts else "everywhere",
        not texts,
        note=note if texts else "",
    )


def balance_claim(points: Points, destinations: int, sources: Sequence[int]) -> Claim:
    """Figure 3: B is of more use with few sources."""
    holds, texts = [], []
    for scheme in (f"4{kind}" for kind in RANDOM_NETWORKS):
        few, many = (
            {column: points.saved(scheme, column, destinations=destinations, sources=count) for column in COLUMN_NAMES}
            for count in (sources[0], sources[-1])
        )
        holds.append(all(few[column] > many[column] for column in COLUMN_NAMES))
        texts += [
            f"{scheme}, {name}: {100 * few[column]:z.0f} % with {sources[0]} sources, {100 * many[column]:z.0f} % with "
            f"{sources[-1]}"
            for column, name in COLUMN_NAMES.items()
        ]
    return Claim(
        f"B saves more with fewer sources: {destinations} destinations",
        "; ".join(texts),
        all(holds),
    )


def hot_spot_claim(name: str, points: Points, panel: Mapping[str, float]) -> Claim:
    """Figure 4: a larger p increases the latency. A step down within the confidence intervals is none."""
    rises, steps, falls, growth = 0, 0, [], {}
    for software in SOFTWARE:
        own = points.find(software, **panel)
        for before, after in pairwise(own):
            steps += 1
            rises += after.mean_us > before.mean_us
            if after.mean_us + after.mean_half_width_us < before.mean_us - before.mean_half_width_us:
                falls.append(software)
        growth[software] = own[-1].mean_us / own[0].mean_us
    least, most = min(growth, key=growth.__getitem__), max(growth, key=growth.__getitem__)
    return Claim(
        f"a larger hot-spot factor increases latency: {name}",
        f"at {rises} of {steps} steps; from p = {HOT_SPOTS[0]:g} to p = {HOT_SPOTS[-1]:g} by "
        f"{growth[least]:.2f} ({least}) to {growth[most]:.2f} times ({most})",
        not falls and min(growth.values()) > 1,
    )


def _series(
    points: Points, software: Sequence[str], panels: Sequence[Mapping[str, float]], x: str
) -> tuple[Series, ...]:
    """Mean latencies; a colour for each type, dashed with B."""
    kinds = list(dict.fromkeys(name.removesuffix("B") for name in software))
    series = []
    for number, panel in enumerate(panels):
        for name in software:
            own = points.find(name, **panel)
            series.append(
                Series(
                    name,
                    [getattr(point, x) for point in own],
                    [point.mean_us / 1000 for point in own],
                    [point.mean_half_width_us / 1000 for point in own],
                    panel=number,
                    colour=kinds.index(name.removesuffix("B")),
                    dashed=name.endswith("B"),
                )
            )
    return tuple(series)


def _table(points: Sequence["MulticastPoint"]) -> dict:
    return {
        "y_label": "mean latency, ms (95 % confidence)",
        "columns": tuple(field.name for field in fields(points[0])),
        "rows": tuple(astuple(point) for point in points),
    }


REPRODUCTIONS = {
    "torus-fig2": Reproduction("latency against message length, schemes and U-torus (figure 2)", figure_2),
    "torus-fig3": Reproduction("effect of balance against number of sources (figure 3)", figure_3),
    "torus-fig4": Reproduction("latency against hot-spot factor (figure 4)", figure_4),
}
