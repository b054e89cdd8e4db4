"""Figures 15 to 23 of the MIN paper (Sec. 5.3): latency against load, and the paper's claims."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hydranoc.measurement.curve import Curve
from hydranoc.measurement.network import UNICAST_AND_MULTICAST
from hydranoc.studies.common.figure import Claim, Effort, Figure, Series
from hydranoc.studies.common.loads import load_comparison, load_series, load_table
from hydranoc.studies.min import load_claims
from hydranoc.studies.min.load import ALGORITHMS, ATBM, LIGHTEST, SOFTWARE, MinCurves, measure_min_curves, message_rate
from hydranoc.studies.min.shapes import CYCLE_US, Shape

STAGES = {2: (4, 6, 8), 4: (2, 3, 4), 8: (2, 3)}
"""Networks of the paper: 16, 64 and 256 nodes; 64 and 512 with 8x8 switches."""
DIRECTIONS = ("UNI", "BI")
KINDS = {"UNI": "baseline", "BI": "bi-butterfly"}
HALF, USUAL_FLITS = 0.5, 64
UNIT = "us"


@dataclass(frozen=True)
class LoadFigure:
    """Settings of a figure of the paper.

    Members:
        number
        radices: One: its panels are multicast and unicast latency. Two: multicast latency only, a panel for each.
        multicast_share: M_p.
        flits
        all_channels: b delivery channels instead of one.
        factors (tuple of (str, int, float)): Direction, number of nodes, and ratio of the latency of software multicast
            to that of ATBM.
    """

    number: int
    radices: tuple[int, ...]
    multicast_share: float = HALF
    flits: int = USUAL_FLITS
    all_channels: bool = False
    factors: tuple[tuple[str, int, float], ...] = ()

    @property
    def title(self) -> str:
        """Title for display."""
        switches = " and ".join(f"{radix}x{radix}" for radix in self.radices)
        text = f"{switches} switches, {100 * self.multicast_share:.0f} % multicast, {self.flits} flits"
        return text + (", b consumption channels" if self.all_channels else "")

    def shapes(self, *, single: bool = False) -> list[Shape]:
        """Return its networks; with one delivery channel if ``single``."""
        return [
            Shape(KINDS[direction], radix, stages, radix if self.all_channels and not single else 1)
            for direction in DIRECTIONS
            for radix in self.radices
            for stages in STAGES[radix]
        ]


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


def numbered_figure(effort: Effort, number: int) -> Figure:
    """Return a figure of the paper by its number."""
    return load_figure(next(setting for setting in FIGURES if setting.number == number), effort)


def load_figure(setting: LoadFigure, effort: Effort) -> Figure:
    """Return the latencies of multicasts and unicasts against load, for ATBM and software."""
    curves = measure_min_curves(setting.shapes(), setting.multicast_share, setting.flits, effort)
    others, compared = _comparisons(setting, curves, effort)
    columns, rows = load_table([*curves.all, *others], UNICAST_AND_MULTICAST, UNIT, CYCLE_US)
    panels, series = _series(setting, curves)
    return Figure(
        title=f"MIN, figure {setting.number}: {setting.title}",
        x_label="load (the paper's Traffic)",
        y_label="latency, us (95 % confidence)",
        series=tuple(series),
        claims=(*_claims(setting, curves), *compared),
        columns=columns,
        rows=rows,
        panels=panels,
        log_y=True,
        table=tuple(_shares(setting)),
        comparable=load_comparison(UNICAST_AND_MULTICAST, UNIT),
    )


def _claims(setting: LoadFigure, curves: MinCurves) -> Iterator[Claim]:
    """Yield the paper's claims about this figure."""
    shapes = setting.shapes()
    for direction, nodes, factor in setting.factors:
        shape = next(shape for shape in shapes if (shape.direction, shape.nodes) == (direction, nodes))
        yield load_claims.factor(shape, factor, curves)
    yield load_claims.multicasts_faster(shapes, curves)
    yield from load_claims.order_of_saturation(shapes, curves)
    if len(setting.radices) == 1:
        yield from load_claims.unicasts_faster(shapes, curves)


def _comparisons(setting: LoadFigure, curves: MinCurves, effort: Effort) -> tuple[list[Curve], list[Claim]]:
    """Return other curves that the paper compares the figure with, and its claims about them."""
    shapes = setting.shapes()
    others: list[Curve] = []
    claims: list[Claim] = []
    if setting.multicast_share < HALF:
        half = measure_min_curves(shapes, HALF, setting.flits, effort, algorithms=[ATBM])
        others += half.all
        claims.append(load_claims.fewer_multicasts_carry_more(shapes, curves, half))
    if setting.flits > USUAL_FLITS:
        short = measure_min_curves(shapes, HALF, USUAL_FLITS, effort, loads=LIGHTEST, algorithms=[ATBM])
        others += short.all
        claims.append(load_claims.only_transmission_added(shapes, curves, short))
    if setting.all_channels:
        single = measure_min_curves(setting.shapes(single=True), setting.multicast_share, setting.flits, effort)
        others += single.all
        claims += load_claims.more_channels_carry_more(shapes, setting.shapes(single=True), curves, single)
    return others, claims


def _series(setting: LoadFigure, curves: MinCurves) -> tuple[tuple[str, ...], list[Series]]:
    """Return panels, and the curves in them."""
    panels: list[str] = []
    series: list[Series] = []
    for direction in DIRECTIONS:
        for radix in setting.radices:
            for kind in ("multicast", "unicast") if len(setting.radices) == 1 else ("multicast",):
                panels.append(f"{kind}, {direction}-MINs of {radix}x{radix} switches")
                own = [shape for shape in setting.shapes() if (shape.direction, shape.radix) == (direction, radix)]
                series += _panel(len(panels) - 1, kind, own, curves)
    return tuple(panels), series


def _panel(panel: int, kind: str, shapes: Sequence[Shape], curves: MinCurves) -> Iterator[Series]:
    for colour, shape in enumerate(shapes):
        for algorithm in ALGORITHMS:
            name = f"{shape.algorithm(algorithm)} {shape.nodes} nodes"
            curve, dashed = curves.of(shape, algorithm), algorithm == SOFTWARE
            yield load_series(name, curve, kind, CYCLE_US, panel=panel, colour=colour, dashed=dashed)


def _shares(setting: LoadFigure) -> Iterator[str]:
    """Yield texts with the fraction of multicasts in messages."""
    for nodes in sorted({shape.nodes for shape in setting.shapes()}):
        shape = next(shape for shape in setting.shapes() if shape.nodes == nodes)
        _, share = message_rate(shape, 1.0, setting.multicast_share, setting.flits)
        yield (
            f"{100 * setting.multicast_share:.0f} % multicast is {100 * share:.2g} % of the messages in {nodes} nodes"
        )
