"""Pictures of networks: the tree, cross and wrap links told apart, the root marked, processors small."""

import io
import warnings
from contextlib import AbstractContextManager
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Curve

from hydranoc.families.reports import LinkClasses
from hydranoc.pictures.layout import (
    STUB_LENGTH,
    Stub,
    arrivals,
    bend_of,
    processor_positions,
    stubs,
    switch_positions,
)
from topology.common.channels import ChannelNetwork

INCHES_PER_UNIT = 0.85
SMALLEST_INCHES, LARGEST_INCHES = 3.6, 15.0
LABELLED_PROCESSORS = 80
LONGEST_NAME_IN_CIRCLE = 5  # s1023
BOX_WIDENING = 1.7
MARGIN = 0.5
STUB_NAME_DISTANCE = 0.14
PNG_DOTS_PER_INCH = 130

INK, TREE, CROSS, ROOT, PROCESSOR = "#22313f", "#1f5f99", "#d9822b", "#c0392b", "#8a97a3"
SENDER, RECEIVER = "#e9edf1", "#b9d3ea"


def drawing_style() -> AbstractContextManager[None]:
    """Settings of all pictures and plots, for as long as a block runs."""
    return mpl.rc_context(
        {
            "svg.hashsalt": "hydranoc",  # same names inside the SVG on every run
            "svg.fonttype": "none",
            "font.family": "sans-serif",
        }
    )


def draw_network(network: ChannelNetwork, links: LinkClasses, title: str) -> dict[str, bytes]:
    """A picture of a network.

    Parameters
    ----------
    network : ChannelNetwork
    links : LinkClasses
        Tree and root, from the family.
    title : str

    Returns
    -------
    dict of str to bytes
        Files by suffix, ``svg`` and ``png``; the same bytes for the same network.
    """
    # names are not formulas, and a file name may hold bytes that are no text
    with drawing_style(), mpl.rc_context({"text.parse_math": False}):
        figure = _figure(network, links, title.encode(errors="replace").decode())
        return render(figure)


def render(figure: Figure) -> dict[str, bytes]:
    """SVG and PNG of a figure, without dates."""
    files = {}
    for suffix, metadata in (("svg", {"Date": None, "Creator": None}), ("png", {"Software": None})):
        stream = io.BytesIO()
        with drawing_style(), warnings.catch_warnings():
            # the PNG shows boxes for letters of other scripts; the SVG has them
            warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
            figure.savefig(stream, format=suffix, dpi=PNG_DOTS_PER_INCH, metadata=metadata, bbox_inches="tight")
        files[suffix] = stream.getvalue()
    return files


def _figure(network: ChannelNetwork, links: LinkClasses, title: str) -> Figure:
    positions = switch_positions(network, links)
    homes = [*network.processors, *(switch for switch, _ in arrivals(network))]
    widened = BOX_WIDENING if _boxed(network) else 1.0
    processors = processor_positions(network, positions, homes, widened, links.around)
    tips = [stub.tip for stub in stubs(positions, links.around)]
    everything = np.concatenate([positions, processors, *np.reshape(tips, (-1, 1, 2))])
    width, height = everything.max(axis=0) - everything.min(axis=0) + 2 * MARGIN
    scale = min(INCHES_PER_UNIT, LARGEST_INCHES / max(width, height))
    scale = max(scale, SMALLEST_INCHES / max(width, height))
    figure = Figure(figsize=(width * scale, height * scale))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_aspect("equal")
    axes.axis("off")
    points_per_unit = 72 * scale
    _draw_processors(axes, network, positions, processors, points_per_unit)
    _draw_links(axes, network, links, positions, points_per_unit)
    _draw_switches(axes, network, links, positions, points_per_unit)
    text_size = float(np.clip(1.3 * width * scale, 8, 15))
    axes.set_title(title, fontsize=1.2 * text_size, color=INK)
    _draw_legend(axes, network, links, text_size)
    low, high = everything.min(axis=0), everything.max(axis=0)
    axes.set_xlim(low[0] - MARGIN, high[0] + MARGIN)
    axes.set_ylim(low[1] - MARGIN, high[1] + MARGIN)
    return figure


def _draw_links(axes: Axes, network: ChannelNetwork, links: LinkClasses, positions: np.ndarray, unit: float) -> None:
    """Tree links solid, others dashed; links around other switches in arcs, those round the picture as stubs."""
    width = float(np.clip(unit / 28, 0.8, 2.2))
    aside = {"edgecolor": CROSS, "linewidth": 0.8 * width, "linestyle": (0, (4, 2))}
    for stub in stubs(positions, links.around):
        _draw_stub(axes, network, stub, positions[stub.switch], unit, aside)
    for a, b in network.edges:
        in_tree = (a, b) in links.tree or not links.tree
        if (a, b) in links.around and not in_tree:
            continue
        style = {"edgecolor": TREE, "linewidth": width} if in_tree else aside
        axes.add_patch(
            PathPatch(_curve(positions[a], positions[b], bend_of(positions, a, b)), facecolor="none", zorder=2, **style)
        )


def _draw_stub(
    axes: Axes, network: ChannelNetwork, stub: Stub, start: np.ndarray, unit: float, style: dict[str, Any]
) -> None:
    """A line out of the picture, and behind it the switch that it leads to."""
    axes.add_patch(PathPatch(Curve([tuple(start), tuple(stub.tip)]), facecolor="none", zorder=1, **style))
    axes.annotate(
        _short_name(network.switch_names[stub.other]),
        tuple(stub.tip + STUB_NAME_DISTANCE * (stub.tip - start) / STUB_LENGTH),
        ha="center",
        va="center",
        fontsize=min(0.13 * unit, 9),
        color=CROSS,
        zorder=4,
    )


def _short_name(name: str) -> str:
    """A switch's number if it has no name of its own."""
    number = name.removeprefix("s")
    return number if number.isdecimal() else name


def _curve(start: np.ndarray, end: np.ndarray, bend: float) -> Curve:
    along = end - start
    aside = np.array([-along[1], along[0]])
    if aside[1] < 0 or (aside[1] == 0 and aside[0] < 0):
        aside = -aside  # all arcs of a row on the same side
    middle = (start + end) / 2 + bend * aside
    return Curve([tuple(start), tuple(middle), tuple(end)], [Curve.MOVETO, Curve.CURVE3, Curve.CURVE3])


def _boxed(network: ChannelNetwork) -> bool:
    return max(map(len, network.switch_names)) > LONGEST_NAME_IN_CIRCLE


def _draw_switches(axes: Axes, network: ChannelNetwork, links: LinkClasses, positions: np.ndarray, unit: float) -> None:
    """Short names in circles; longer ones in boxes, which need no magnifying glass."""
    colours = [ROOT if switch == links.root else INK for switch in range(network.switches)]
    names = [_short_name(name) for name in network.switch_names]
    diameter = 0.42 * unit
    edge = max(1.0, unit / 45)
    boxed = _boxed(network)
    if not boxed:
        axes.scatter(*positions.T, s=diameter**2, c="white", edgecolors=colours, linewidths=edge, zorder=3)
    size = 0.13 * unit if boxed else min(0.62 * diameter / max(1.0, 0.62 * max(map(len, names))), 11)
    for name, position, colour in zip(names, positions, colours, strict=True):
        box = {"boxstyle": "round,pad=0.4", "facecolor": "white", "edgecolor": colour, "linewidth": edge}
        axes.annotate(
            name,
            position,
            ha="center",
            va="center",
            fontsize=size,
            color=colour,
            zorder=4,
            bbox=box if boxed else None,
        )


def _draw_processors(
    axes: Axes, network: ChannelNetwork, positions: np.ndarray, processors: np.ndarray, unit: float
) -> None:
    """Processors where they send and, darker, where they receive if that is elsewhere."""
    senders, receivers = len(network.processors), arrivals(network)
    homes = positions[[*network.processors, *(switch for switch, _ in receivers)]]
    axes.add_collection(
        LineCollection(list(np.stack([homes, processors], axis=1)), colors=PROCESSOR, linewidths=0.8, zorder=1)
    )
    labelled = len(network.processors) <= LABELLED_PROCESSORS
    size = 0.2 * unit if labelled else 0.1 * unit
    colours = [SENDER] * senders + [RECEIVER] * len(receivers)
    dots: PathCollection = axes.scatter(*processors.T, s=size**2, c=colours, edgecolors=PROCESSOR, marker="s", zorder=3)
    dots.set_linewidth(0.7)
    if labelled:
        numbers = [*range(senders), *(processor for _, processor in receivers)]
        for processor, place in zip(numbers, processors, strict=True):
            axes.annotate(str(processor), place, ha="center", va="center", fontsize=0.11 * unit, color=INK, zorder=4)


def _draw_legend(axes: Axes, network: ChannelNetwork, links: LinkClasses, text_size: float) -> None:
    entries = []
    if links.tree:
        cross = len(set(network.edges) - links.tree | links.around)
        entries.append(Line2D([], [], color=TREE, linewidth=1.8, label=f"{links.names[0]} ({len(links.tree)})"))
        if cross:
            entries.append(Line2D([], [], color=CROSS, linestyle=(0, (4, 2)), label=f"{links.names[1]} ({cross})"))
    elif network.edges:
        entries.append(Line2D([], [], color=TREE, linewidth=1.8, label=f"link ({len(network.edges)})"))
    if links.root is not None:
        entries.append(_marker("o", "white", ROOT, f"root ({network.switch_names[links.root]})"))
    entries.append(_marker("o", "white", INK, f"switch ({network.switches})"))
    apart = arrivals(network)
    text = "processor, sending" if apart else "processor"
    entries.append(_marker("s", SENDER, PROCESSOR, f"{text} ({len(network.processors)})"))
    if apart:
        entries.append(_marker("s", RECEIVER, PROCESSOR, "receiving"))
    axes.legend(
        handles=entries,
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        ncols=3 if text_size < 10 else 5,
        frameon=False,
        fontsize=text_size,
    )


def _marker(shape: str, face: str, edge: str, label: str) -> Line2D:
    return Line2D(
        [], [], linestyle="", marker=shape, markersize=8, markerfacecolor=face, markeredgecolor=edge, label=label
    )
