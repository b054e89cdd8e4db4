"""A figure or table of a paper: its curves, the paper's claims held against them, and how it is measured."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hydranoc.studies.common.check import Comparable

if TYPE_CHECKING:
    from hydranoc.measurement.kept_points import KeptPoints
    from hydranoc.reports.progress import Progress


@dataclass(frozen=True)
class Series:
    """A line of a figure.

    Members
    -------
    name : str
    x, y : sequence of float
    error : sequence of float or None
        Half widths of the 95 % confidence intervals of ``y``.
    panel : int
        Part of the figure, by position in its ``panels``.
    colour : int or None
        Number of its colour; None for one of its own.
    dashed : bool
    joined, marked : bool
        Whether its points are joined by a line, and whether each has a mark.
    saturation : (float, float) or None
        Between which loads, on the horizontal axis, there begin to be no means.
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
    """A statement of a paper, and what was measured.

    Members
    -------
    text : str
        The statement.
    measured : str
        What the run gave, in the statement's terms.
    holds : bool
    level : float or None
        Height at which to mark it in the figure.
    note : str
        Why a claim that does not hold does not, where that is known.
    """

    text: str
    measured: str
    holds: bool
    level: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Figure:
    """A figure or table of a paper, measured again.

    Members
    -------
    title, x_label, y_label : str
    series : tuple of Series
    claims : tuple of Claim
    columns : tuple of str
        Header of the CSV file.
    rows : tuple of tuples
        Its rows.
    log_x, log_y : bool
        Logarithmic axes.
    bars : bool
        One bar per series instead of curves.
    x_names : tuple of str
        What stands at 0, 1, ... on the horizontal axis, if those are not numbers.
    panels : tuple of str
        Titles of the parts, if there are several.
    panels_across : int
        How many of them stand side by side.
    one_legend : bool
        The first part's legend stands for all of them, above the figure.
    table : tuple of str
        Lines for people, printed above the claims.
    comparable : Comparable or None
        How its rows are held against those of another run.
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
    """A figure or table of a paper that one command measures again.

    Members
    -------
    title : str
        What it shows, with the place in the paper.
    run : callable
        Effort -> Figure.
    shares : str
        Name of the points that it has in common with other figures, which are kept when it is finished; empty if it
        has its own.
    """

    title: str
    run: Callable[["Effort"], Figure] = field(repr=False)
    shares: str = ""


@dataclass(frozen=True)
class Effort:
    """How a figure is measured.

    Members
    -------
    quick : bool
        Coarse, but soon.
    progress : callable or None
        See ``Progress``.
    kept : KeptPoints or None
        Points of an interrupted run; where this one keeps its own.
    jobs : int or None
        Cores that share the work; None for all.
    """

    quick: bool = False
    progress: "Progress | None" = None
    kept: "KeptPoints | None" = None
    jobs: int | None = None

    @property
    def points(self) -> dict[str, Any]:
        """How ``measure_points`` is to go about it."""
        progress = self.progress
        counted = None if progress is None else lambda done, total: progress("measuring", done, total)
        return {"processes": self.jobs or os.cpu_count() or 1, "progress": counted, "kept": self.kept}
