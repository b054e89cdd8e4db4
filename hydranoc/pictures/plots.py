"""Plots of reproduced figures, with the paper's own claims marked."""

import textwrap
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import LogLocator, NullFormatter

from hydranoc.pictures.draw import INK, drawing_style, render
from hydranoc.studies.common.figure import Figure, Series

COLOURS = ("#1f5f99", "#d9822b", "#2e8b57", "#8e44ad", "#c0392b", "#16808d")
MOST_IN_A_COLUMN = 7
MARKERS = ("o", "s", "^", "D", "v", "P")
CLAIM = "#7f8c8d"
CLAIM_WIDTH, WIDE_CLAIM_WIDTH = 105, 165
HEADROOM, LOG_HEADROOM = 1.15, 8
LOG_LABELS = (1, 2, 5)
PANELS_ACROSS = 2


def plot_figure(figure: Figure) -> dict[str, bytes]:
    """A plot as file contents by suffix, ``svg`` and ``png``.

    Error bars are 95 % confidence intervals. Claims with a level are dashed lines across; all claims stand below
    the plot with what was measured.
    """
    with drawing_style():
        if figure.panels:
            rows = -(-len(figure.panels) // PANELS_ACROSS)
            canvas = Canvas(figsize=(10.5, 3.9 * rows + 1), layout="constrained")
            panels = canvas.subplots(rows, PANELS_ACROSS, squeeze=False).flat
            for number, (axes, title) in enumerate(zip(panels, figure.panels, strict=False)):
                _draw_panel(axes, figure, [series for series in figure.series if series.panel == number])
                axes.set_title(f"({chr(ord('a') + number)}) {title}", fontsize=9, color=INK)
            canvas.suptitle(figure.title, fontsize=10, color=INK)
        else:
            canvas = Canvas(figsize=(7.2, 4.6), layout="constrained")
            axes = canvas.add_subplot()
            _draw_panel(axes, figure, figure.series)
            axes.set_title(figure.title, fontsize=10, color=INK)
        width = WIDE_CLAIM_WIDTH if figure.panels else CLAIM_WIDTH
        canvas.supxlabel(_claims_text(figure, width), fontsize=8, color=INK, ha="left", x=0.02)
        return render(canvas)


def _draw_panel(axes: Axes, figure: Figure, shown: Sequence[Series]) -> None:
    if figure.bars:
        _draw_bars(axes, shown)
    else:
        _draw_curves(axes, shown)
    _draw_claims(axes, figure)
    if figure.log_x:
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter("{x:g}")
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
        axes.set_xticks(range(len(figure.x_names)), figure.x_names, rotation=30, ha="right", fontsize=8)
    axes.set_ylabel(figure.y_label)
    axes.grid(alpha=0.25)


def _draw_curves(axes: Axes, shown: Sequence[Series]) -> None:
    for position, series in enumerate(shown):
        style = position if series.colour is None else series.colour
        axes.errorbar(
            list(series.x),
            list(series.y),
            yerr=None if series.error is None else list(series.error),
            label=series.name,
            color=COLOURS[style % len(COLOURS)],
            marker=MARKERS[style % len(MARKERS)],
            linestyle="--" if series.dashed else "-",
            markerfacecolor="white" if series.dashed else None,
            markersize=4.5,
            linewidth=1.4,
            capsize=2.5,
        )
    axes.legend(frameon=False, fontsize=8, ncols=1 if len(shown) <= MOST_IN_A_COLUMN else 2)


def _draw_bars(axes: Axes, shown: Sequence[Series]) -> None:
    for position, series in enumerate(shown):
        bars = axes.bar(position, series.y[0], width=0.55, color=COLOURS[position % len(COLOURS)])
        axes.bar_label(bars, fmt="%.1f", fontsize=9)
    axes.set_xlim(-1.6, len(shown) - 0.5)  # room for the claims at the left
    axes.set_xticks(range(len(shown)), [series.name for series in shown])


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
    values = [value for series in shown for value in series.y]
    return max([*values, *(claim.level for claim in figure.claims if claim.level is not None)])


def _claims_text(figure: Figure, width: int) -> str:
    texts = [
        f"{'holds' if claim.holds else 'does not hold'}: {claim.text} (measured: {claim.measured})"
        for claim in figure.claims
    ]
    return "\n".join(textwrap.fill(text, width, subsequent_indent="    ") for text in texts)
