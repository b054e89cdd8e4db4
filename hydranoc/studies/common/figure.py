"""A figure or table of a paper: its curves, the paper's claims against them, and settings of its measurement."""

import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from hydranoc.studies.common.check import Comparable

if TYPE_CHECKING:
    from hydranoc.measurement.kept_points import KeptPoints
    from hydranoc.reports.progress import Progress


@dataclass(frozen=True)
class Series:
    """A line of a figure.

    Members:
        name
        x, y (sequence of float)
        error: Half widths of the 95 % confidence intervals of ``y``.
        panel: Part of the figure, by position in its ``panels``.
        colour: Number of its colour; None for a new colour.
        dashed
        joined, marked (bool): Line between its points, and a mark at each.
        saturation: Loads, on the horizontal axis, between which the curve saturates.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    error: Sequence[float] | None = None
    panel: int = 0
    colour: int | None = None
    dashed: bool = False
    joined: bool = True
    marked: bool = True
    saturation: tuple[float, float] | None = None


@dataclass(frozen=True)
class Claim:
    """A statement of a paper, and the measured result.

    Members:
        text: The statement.
        measured: The result of the run, in the statement's terms.
        holds
        level: Height at which to mark it in the figure.
        note: Reason why a claim does not hold, where known.
    """

    text: str
    measured: str
    holds: bool
    level: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Figure:
    """A figure or table of a paper, measured again.

    Members:
        title, x_label, y_label (str)
        series
        claims
        columns: Header of the CSV file.
        rows (tuple of tuples): Its rows.
        log_x, log_y (bool): Logarithmic axes.
        bars: One bar per series instead of curves.
        x_names: Labels at 0, 1, ... on the horizontal axis in place of numbers.
        panels: Titles of the parts, if there are several.
        panels_across: Number of parts side by side.
        one_legend: The first part's legend stands for all of them, above the figure.
        table: Lines of text, printed above the claims.
        comparable: Comparison of its rows with those of another run.
    """

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    claims: tuple[Claim, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    log_x: bool = False
    bars: bool = False
    x_names: tuple[str, ...] = ()
    panels: tuple[str, ...] = ()
    log_y: bool = False
    panels_across: int = 2
    one_legend: bool = False
    table: tuple[str, ...] = ()
    comparable: Comparable | None = None


@dataclass(frozen=True)
class Reproduction:
    """A figure or table of a paper that one command reproduces.

    Members:
        title: Its content, with the place in the paper.
        run: Effort -> Figure.
        shares: Name of points shared with other figures, which stay stored when it is finished; empty for points of its
            own.
        sources: Folders of sources that determine its points, besides those of all studies.
    """

    title: str
    run: Callable[["Effort"], Figure] = field(repr=False)
    shares: str = ""
    sources: tuple[str, ...] = ()


@dataclass(frozen=True)
class Effort:
    """Settings of a figure's measurement.

    Members:
        quick: Coarse and fast.
        progress: See ``Progress``.
        kept: Store of an interrupted run's points and of this run's.
        jobs: Cores that share the work; None for all.
    """

    quick: bool = False
    progress: "Progress | None" = None
    kept: "KeptPoints | None" = None
    jobs: int | None = None

    @property
    def points(self) -> dict[str, Any]:
        """Arguments of ``measure_points``."""
        progress = self.progress
        counted = None if progress is None else lambda done, total: progress("measuring", done, total)
        return {"processes": self.jobs or os.cpu_count() or 1, "progress": counted, "kept": self.kept}


DIGITS = 6
"""Digits of a number, as in the figure's table."""
NUMBERS = ("x", "y", "error", "saturation")
"""Members of a series with several numbers."""


def plain_claims(figure: Figure) -> list[dict[str, Any]]:
    """Return the claims with the measured results."""
    return [
        {"claim": claim.text, "measured": claim.measured, "holds": claim.holds, "note": claim.note}
        for claim in figure.claims
    ]


def plain_plot(figure: Figure) -> dict[str, Any]:
    """Return axes, parts, levels of claims and series of a figure; defaults of a series are left out."""
    return {
        "x_label": figure.x_label,
        "y_label": figure.y_label,
        "log_x": figure.log_x,
        "log_y": figure.log_y,
        "bars": figure.bars,
        "x_names": list(figure.x_names),
        "panels": list(figure.panels),
        "one_legend": figure.one_legend,
        "levels": [{"claim": claim.text, "y": claim.level} for claim in figure.claims if claim.level is not None],
        "series": [_plain_series(series) for series in figure.series],
    }


def _plain_series(series: Series) -> dict[str, Any]:
    own = {field.name: getattr(series, field.name) for field in fields(series)}
    unusual = {field.name: own[field.name] for field in fields(series) if own[field.name] != field.default}
    return {name: _numbers(value) if name in NUMBERS else value for name, value in unusual.items()}


def _numbers(values: Iterable[float]) -> list[float]:
    return [float(f"{value:.{DIGITS}g}") for value in values]


def plain_text(content: Any) -> str:
    """Return plain values as readable JSON: what contains mappings is indented, all else is in one line."""
    return _indented(content, "\n") + "\n"


def _indented(value: Any, line: str) -> str:
    """Return a value as JSON; ``line`` is a line break with the margin of the value."""
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if not any("{" in json.dumps(item) for item in items if isinstance(item, dict | list)):
        return json.dumps(value)
    inner = line + " "
    if isinstance(value, list):
        return f"[{inner}{f',{inner}'.join(_indented(item, inner) for item in items)}{line}]"
    entries = (f"{json.dumps(key)}: {_indented(item, inner)}" for key, item in value.items())
    return f"{{{inner}{f',{inner}'.join(entries)}{line}}}"
