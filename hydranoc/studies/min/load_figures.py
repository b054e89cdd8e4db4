"""Figures 15 to 23 of the MIN paper (Sec. 5.3): latency against load, and what the paper says of it."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from functools import partial
from typing import TYPE_CHECKING

from hydranoc.studies.common.figure import Claim, Effort, Figure, Reproduction, Series

if TYPE_CHECKING:
    from hydranoc.studies.min.load import LoadPoint
    from hydranoc.studies.min.shapes import Shape

LOADS = (0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4)
STAGES = {2: (4, 6, 8), 4: (2, 3, 4), 8: (2, 3)}
"""Networks of the paper: 16, 64 and 256 nodes; 64 and 512 with 8x8 switches."""
DIRECTIONS = ("UNI", "BI")
KINDS = {"UNI": "baseline", "BI": "bi-butterfly"}
KNEE = 10
"""A network carries a load as long as its multicasts take less than so many times the latency at the lightest load.

Few of the messages are multicasts, so that a network whose multicasts pile up can still look as if it kept up: software
multicasts of 2,500 us would count as carried.
"""
ABOUT = 0.9
"""The paper's factors are round numbers: nine tenths of one count as it."""


@dataclass(frozen=True)
class LoadFigure:
    """What a figure of the paper shows.

    Members
    -------
    number : int
    radices : tuple of int
        One: its panels are multicast and unicast latency. Two: multicast latency only, a panel for each.
    multicast_share : float
        M_p.
    flits : int
    all_channels : bool
        b consumption channels instead of one.
    factors : tuple of (str, int, float)
        Direction, number of nodes, and how many times the latency of software multicast is that of ATBM.
    """

    number: int
    radices: tuple[int, ...]
    multicast_share: float = 0.5
    flits: int = 64
    all_channels: bool = False
    factors: tuple[tuple[str, int, float], ...] = ()

    @property
    def title(self) -> str:
        """For people."""
        switches = " and ".join(f"{radix}x{radix}" for radix in self.radices)
        text = f"{switches} switches, {100 * self.multicast_share:.0f} % multicast, {self.flits} flits"
        return text + (", b consumption channels" if self.all_channels else "")


_SMALL, _LARGE = 3.0, 4.0
FIGURES = (
    LoadFigure(15, (2,), factors=(("UNI", 16, _SMALL), ("UNI", 64, _SMALL), ("UNI", 256, _LARGE))),
    LoadFigure(16, (4,), factors=(("UNI", 16, _SMALL), ("UNI", 64, _LARGE), ("UNI", 256, _LARGE))),
    LoadFigure(17, (8,)),
    LoadFigure(18, (2,), multicast_share=0.2),
    LoadFigure(19, (4,), multicast_share=0.2),
    LoadFigure(20, (8,), multicast_share=0.2),
    LoadFigure(21, (4, 8), flits=128),
    LoadFigure(22, (4, 8), flits=256),
    LoadFigure(23, (4,), all_channels=True),
)


class Curves:
    """Points by network and algorithm."""

    def __init__(self, points: Sequence["LoadPoint"]):
        self._points = points

    def stable(self, shape: "Shape", algorithm: str) -> list["LoadPoint"]:
        """Points up to saturation, by load."""
        from hydranoc.studies.common.saturation import before_saturation

        return before_saturation(self._of(shape, algorithm))

    def carried(self, shape: "Shape", algorithm: str) -> list["LoadPoint"]:
        """Points up to the knee of the curve, by load."""
        stable = self.stable(shape, algorithm)
        kept = []
        for point in stable:
            if point.multicast_us >= KNEE * stable[0].multicast_us:
                break
            kept.append(point)
        return kept

    def saturation(self, shape: "Shape", algorithm: str) -> float:
        """Lowest load that the network does not carry; infinite if there is none."""
        points = self._of(shape, algorithm)
        carried = len(self.carried(shape, algorithm))
        return points[carried].load if carried < len(points) else float("inf")

    def _of(self, shape: "Shape", algorithm: str) -> list["LoadPoint"]:
        own = [point for point in self._points if (point.network, point.algorithm) == (shape.name, algorithm)]
        return sorted(own, key=lambda point: point.load)


def load_figure(setting: LoadFigure, effort: Effort) -> Figure:
    """Latencies of multicasts and unicasts against load, ATBM and software."""
    from hydranoc.studies.min.load import min_loads
    from hydranoc.studies.min.shapes import Shape

    shapes = [
        Shape(KINDS[direction], radix, stages, radix if setting.all_channels else 1)
        for direction in DIRECTIONS
        for radix in setting.radices
        for stages in STAGES[radix]
    ]
    single = [Shape(shape.kind, shape.radix, shape.stages) for shape in shapes] if setting.all_channels else []
    points = min_loads(
        (*shapes, *single),
        LOADS,
        multicast_share=setting.multicast_share,
        flits=setting.flits,
        quick=effort.quick,
        **effort.points,
    )
    curves = Curves(points)
    claims = [*_factors(setting, shapes, curves), _below(shapes, curves), *saturation_claims(shapes, curves)]
    if setting.all_channels:
        claims.append(_more_channels(shapes, single, curves))
    panels, series = _series(setting, shapes, curves)
    return Figure(
        title=f"MIN, figure {setting.number}: {setting.title}",
        x_label="load (the paper's Traffic)",
        y_label="latency, us (95 % confidence)",
        series=tuple(series),
        claims=tuple(claims),
        columns=tuple(field.name for field in fields(points[0])),
        rows=tuple(astuple(point) for point in points),
        panels=panels,
        log_y=True,
    )


def _series(setting: LoadFigure, shapes: Sequence["Shape"], curves: Curves) -> tuple[tuple[str, ...], list[Series]]:
    """Panels, and the curves in them, up to saturation."""
    panels: list[str] = []
    series: list[Series] = []
    what = ("multicast", "unicast") if len(setting.radices) == 1 else ("multicast",)
    for direction in DIRECTIONS:
        for radix in setting.radices:
            for traffic in what:
                panels.append(f"{traffic}, {direction}-MINs of {radix}x{radix} switches")
                own = [shape for shape in shapes if (shape.direction, shape.radix) == (direction, radix)]
                series += _panel(len(panels) - 1, traffic, own, curves)
    return tuple(panels), series


def _panel(panel: int, traffic: str, shapes: Sequence["Shape"], curves: Curves) -> list[Series]:
    series = []
    for colour, shape in enumerate(shapes):
        for algorithm in ("ATBM", shape.software_name):
            points = curves.stable(shape, algorithm)
            series.append(
                Series(
                    f"{algorithm} {shape.nodes} nodes",
                    [point.load for point in points],
                    [getattr(point, f"{traffic}_us") for point in points],
                    [getattr(point, f"{traffic}_half_width_us") for point in points],
                    panel=panel,
                    colour=colour,
                    dashed=algorithm != "ATBM",
                )
            )
    return series


def _factors(setting: LoadFigure, shapes: Sequence["Shape"], curves: Curves) -> list[Claim]:
    """The paper's factors, at the lowest load."""
    claims = []
    for direction, nodes, factor in setting.factors:
        shape = next(shape for shape in shapes if (shape.direction, shape.nodes) == (direction, nodes))
        hardware, software = (curves.stable(shape, name)[0] for name in ("ATBM", shape.software_name))
        measured = software.multicast_us / hardware.multicast_us
        claims.append(
            Claim(
                f"ATBM multicasts are {factor:g} times as fast as {shape.software_name} in {shape.name}",
                f"{measured:.1f} times at load {LOADS[0]:g}",
                measured >= ABOUT * factor,
            )
        )
    return claims


def _below(shapes: Sequence["Shape"], curves: Curves) -> Claim:
    """ATBM against software at every load that both can carry."""
    worse, compared = [], 0
    for shape in shapes:
        pairs = zip(curves.carried(shape, "ATBM"), curves.carried(shape, shape.software_name), strict=False)
        for hardware, software in pairs:
            compared += 1
            if hardware.multicast_us >= software.multicast_us:
                worse.append(f"{shape.name} at {hardware.load:g}")
    return Claim(
        "multicast latency of ATBM below that of software multicast",
        f"at {compared - len(worse)} of {compared} loads that both carry"
        + (f"; not in {', '.join(worse)}" if worse else ""),
        not worse,
        note="" if not worse else "Near saturation the tokens, one tree operation per group, are what saturates first.",
    )


def saturation_claims(shapes: Sequence["Shape"], curves: Curves) -> list[Claim]:
    """Which saturates first: the paper has software in UNI-MINs, and ATBM in BI-MINs."""
    claims = []
    for direction, text in (
        ("UNI", "ATBM carries at least the load of CMIN in UNI-MINs"),
        ("BI", "ATBM saturates no later than UMIN in BI-MINs"),
    ):
        own = [shape for shape in shapes if shape.direction == direction]
        loads = {
            shape: (curves.saturation(shape, "ATBM"), curves.saturation(shape, shape.software_name)) for shape in own
        }
        holds = [hard >= soft if direction == "UNI" else hard <= soft for hard, soft in loads.values()]
        measured = "; ".join(
            f"{shape.nodes} nodes {shape.radix}x{shape.radix}: {_limit(hard)} against {_limit(soft)}"
            for shape, (hard, soft) in loads.items()
        )
        claims.append(Claim(text, f"saturated at load {measured}", all(holds)))
    return claims


def _limit(load: float) -> str:
    return f"over {LOADS[-1]:g}" if load == float("inf") else f"{load:g}"


def _more_channels(shapes: Sequence["Shape"], single: Sequence["Shape"], curves: Curves) -> Claim:
    """ATBM with b consumption channels against one."""
    loads = [
        (curves.saturation(shape, "ATBM"), curves.saturation(one, "ATBM"))
        for shape, one in zip(shapes, single, strict=True)
    ]
    measured = "; ".join(
        f"{shape.direction} {shape.nodes} nodes: {_limit(many)} instead of {_limit(one)}"
        for shape, (many, one) in zip(shapes, loads, strict=True)
    )
    return Claim(
        "b consumption channels let ATBM carry more",
        f"saturated at load {measured}",
        all(many >= one for many, one in loads) and any(many > one for many, one in loads),
    )


LOAD_REPRODUCTIONS = {
    f"min-fig{setting.number}": Reproduction(
        f"latency against load, {setting.title} (figure {setting.number})", partial(load_figure, setting)
    )
    for setting in FIGURES
}
