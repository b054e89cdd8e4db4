"""Plots of reproduced figures, with the paper's own claims marked."""

import textwrap
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import LogLocator, NullFormatter

from hydranoc.pictures.draw import INK, drawable, drawing_style, render
from hydranoc.studies.common.figure import Figure, Series

COLOURS = ("#1f5f99", "#d9822b", "#2e8b57", "#8e44ad", "#c0392b", "#16808d")
MAX_IN_A_COLUMN = 7
LEGEND_ROWS = 3
MARKERS = ("o", "s", "^", "D", "v", "P")
CLAIM = "#7f8c8d"
CLAIM_WIDTH = 105
CLAIM_WIDTH_PER_INCH = 15.7
PANEL_INCHES = (5.25, 3.9)
SINGLE_INCHES = (7.2, 4.0)
TITLE_INCHES, CLAIM_LINE_INCHES = 0.5, 0.14
HEADROOM, LOG_HEADROOM = 1.15, 8
LOG_LABELS = (1, 2, 5)
MAX_TICKS = 7
LINE_POINTS, MARKER_POINTS, LINE_STEP_POINTS, MAX_STEPS_POINTS = 1.2, 4.0, 0.7, 2.8
SATURATION_STEP = 0.025
"""Distance between the intervals of saturation of curves, as a fraction of the height of a plot."""


def plot_figure(figure: Figure) -> dict[str, bytes]:
    """Return a plot as file contents by suffix, ``svg`` and ``png``.

    Error bars are 95 % confidence intervals. Level lines at the upper edge, one for each curve, show the interval of
    loads in which it saturates. Claims with a level are dashed lines across; all claims are below the plot with the
    measured results.
    """
    with drawing_style():
        if figure.panels:
            canvas, width = _draw_panels(figure)
        else:
            canvas, width = Canvas(figsize=SINGLE_INCHES, layout="constrained"), CLAIM_WIDTH
            axes = canvas.add_subplot()
            _draw_panel(axes, figure, figure.series)
            axes.set_title(figure.title, fontsize=10, color=INK)
        text = _claims_text(figure, width)
        across, down = canvas.get_size_inches()
        canvas.set_size_inches(across, down + CLAIM_LINE_INCHES * len(text.splitlines()))
        canvas.supxlabel(text, fontsize=8, color=INK, ha="left", x=0.02)
        return render(canvas)


def _draw_panels(figure: Figure) -> tuple[Canvas, int]:
    """Return all parts of a figure, and the number of characters that fit below them."""
    columns = min(figure.panels_across, len(figure.panels))
    rows, (across, down) = -(-len(figure.panels) // columns), PANEL_INCHES
    inches = columns * across
    canvas = Canvas(figsize=(inches, rows * down + TITLE_INCHES), layout="constrained")
    panels = canvas.subplots(rows, columns, squeeze=False).flat
    for axes in panels[len(figure.panels) :]:
        axes.remove()
    for number, (axes, title) in enumerate(zip(panels, figure.panels, strict=False)):
        _draw_panel(axes, figure, [series for series in figure.series if series.panel == number])
        axes.set_title(f"({chr(ord('a') + number)}) {title}", fontsize=9, color=INK)
    if figure.one_legend:
        handles, names = panels[0].get_legend_handles_labels()
        canvas.legend(
            handles,
            names,
            title=figure.title,
            loc="outside upper center",
            frameon=False,
            fontsize=8,
            ncols=-(-len(names) // LEGEND_ROWS),
        ).get_title().set_color(INK)
    else:
        canvas.suptitle(figure.title, fontsize=10, color=INK)
    return canvas, int(inches * CLAIM_WIDTH_PER_INCH)


def _draw_panel(axes: Axes, figure: Figure, shown: Sequence[Series]) -> None:
    if figure.bars:
        _draw_bars(axes, shown)
    else:
        _draw_curves(axes, shown)
        if not figure.one_legend:
            axes.legend(frameon=False, fontsize=8, ncols=1 if len(shown) <= MAX_IN_A_COLUMN else 2)
    _draw_claims(axes, figure)
    if figure.log_x:
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter("{x:g}")
    elif not figure.x_names:
        axes.locator_params(axis="x", nbins=MAX_TICKS)
    if figure.log_y:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=LOG_LABELS))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.set_ylim(top=LOG_HEADROOM * _highest(figure, shown))
    else:
        axes.set_ylim(0, HEADROOM * _highest(figure, shown))
    axes.set_xlabel(figure.x_label)
    if figure.x_names:
        axes.set_xticks(
            range(len(figure.x_names)), list(map(drawable, figure.x_names)), rotation=30, ha="right", fontsize=8
        )
    axes.set_ylabel(figure.y_label)
    axes.grid(alpha=0.25)


def _draw_curves(axes: Axes, shown: Sequence[Series]) -> None:
    """Draw the curves, the first one thickest, so that it is visible below equal later ones."""
    for position, series in enumerate(shown):
        last = len(shown) - 1 - position
        line_points = LINE_POINTS + min(last * LINE_STEP_POINTS, MAX_STEPS_POINTS)
        marker_points = MARKER_POINTS + min(2 * last * LINE_STEP_POINTS, 2 * MAX_STEPS_POINTS)
        style = position if series.colour is None else series.colour
        axes.errorbar(
            list(series.x),
            list(series.y),
            yerr=None if series.error is None else list(series.error),
            label=series.name,
            color=COLOURS[style % len(COLOURS)],
            marker=MARKERS[style % len(MARKERS)] if series.marked else "",
            linestyle=("--" if series.dashed else "-") if series.joined else "",
            markerfacecolor="white" if series.dashed else None,
            markersize=marker_points,
            linewidth=line_points,
            elinewidth=LINE_POINTS,
            capsize=marker_points / 2,
        )
        if series.saturation is not None:
            # at the upper edge, one below the other
            axes.plot(
                series.saturation,
                [1 - SATURATION_STEP * (position + 1)] * 2,
                transform=axes.get_xaxis_transform(),
                color=COLOURS[style % len(COLOURS)],
                linestyle="--" if series.dashed else "-",
                linewidth=LINE_POINTS,
                marker="|",
                markersize=MARKER_POINTS,
            )


def _draw_bars(axes: Axes, shown: Sequence[Series]) -> None:
    for position, series in enumerate(shown):
        bars = axes.bar(
            position,
            series.y[0],
            yerr=None if series.error is None else series.error[0],
            capsize=MARKER_POINTS,
            width=0.55,
            color=COLOURS[position % len(COLOURS)],
        )
        axes.bar_label(bars, fmt="%.1f", fontsize=9)
    axes.set_xlim(-1.6, len(shown) - 0.5)  # room for the claims at the left
    axes.set_xticks(range(len(shown)), [drawable(series.name) for series in shown])


def _draw_claims(axes: Axes, figure: Figure) -> None:
    for claim in figure.claims:
        if claim.level is None:
            continue
        axes.axhline(claim.level, color=CLAIM, linestyle=(0, (5, 3)), linewidth=1.1)
        axes.annotate(
            f"paper: {claim.text}",
            (0.01, claim.level),
            xycoords=("axes fraction", "data"),
            xytext=(0, 3),
            textcoords="offset points",
            fontsize=8,
            color=INK,
            bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.8},
        )


def _highest(figure: Figure, shown: Sequence[Series]) -> float:
    values = [
        value + error
        for series in shown
        for value, error in zip(series.y, series.error or [0] * len(series.y), strict=True)
    ]
    levels = [claim.level for claim in figure.claims if claim.level is not None]
    return max([*values, *levels], default=1.0)  # no load may have a mean


def _claims_text(figure: Figure, width: int) -> str:
    texts = [
        f"{'holds' if claim.holds else 'does not hold'}: {claim.text} (measured: {claim.measured})"
        for claim in figure.claims
    ]
    return "\n".join(textwrap.fill(text, width, subsequent_indent="    ") for text in texts)
