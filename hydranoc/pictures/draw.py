"""Pictures of networks: distinct tree, cross and wrap links, the root marked, small processors."""

import io
import re
import warnings
from collections import Counter
from contextlib import AbstractContextManager

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

from hydranoc.families.reports import LinkClasses
from hydranoc.pictures.layout import arrivals
from hydranoc.pictures.load import draw_load, draw_scale
from hydranoc.pictures.placement import RADIUS, Placement, Stub, place, short_name
from hydranoc.pictures.plane import draw_plane
from hydranoc.replay.use import Use
from topology.collectives.tables import PlaneTables
from topology.common.channels import ChannelNetwork

INCHES_PER_UNIT = 0.85
MIN_INCHES, MAX_INCHES = 3.6, 15.0
READABLE_INCHES_PER_UNIT, MAX_READABLE_INCHES = 0.67, 49.0
"""Scale of pictures: names in circles have letters of 5 points, up to 6,400 dots of a PNG."""
LABELLED_PROCESSORS = 80
MARGIN = 0.5
PNG_DOTS_PER_INCH = 130

INK, TREE, CROSS, ROOT, PROCESSOR = "#22313f", "#1f5f99", "#d9822b", "#c0392b", "#8a97a3"
FAINT = "#aab4bd"
SENDER, RECEIVER = "#e9edf1", "#b9d3ea"
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def drawing_style() -> AbstractContextManager[None]:
    """Return a context with the settings of all pictures and plots."""
    return mpl.rc_context(
        {
            "svg.hashsalt": "hydranoc",  # reproducible names inside the SVG
            "svg.fonttype": "none",
            "font.family": "sans-serif",
            "text.parse_math": False,  # names are not formulas
        }
    )


def draw_network(
    network: ChannelNetwork,
    links: LinkClasses,
    title: str,
    load: Use | None = None,
    plane: PlaneTables | None = None,
) -> dict[str, bytes]:
    """Return a picture of a network.

    Parameters:
        links: Tree and root, from the family.
        load: Colours channels by their load.
        plane: Collective plane beside the network.

    Returns:
        Files by suffix, ``svg`` and ``png``; the same bytes for the same network.
    """
    with drawing_style():
        return render(_figure(network, links, title, load, plane))


def drawable(text: str) -> str:
    """Return a text with question marks for characters that an SVG cannot have.

    A file name may contain control characters, and bytes that are no text.
    """
    return NOT_IN_XML.sub("?", text)


def render(figure: Figure) -> dict[str, bytes]:
    """Return SVG and PNG of a figure, without dates; all texts but fixed labels of ticks become ``drawable``."""
    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        text.set_text(drawable(text.get_text()))
    files = {}
    for suffix, metadata in (("svg", {"Date": None, "Creator": None}), ("png", {"Software": None})):
        stream = io.BytesIO()
        with drawing_style(), warnings.catch_warnings():
            # the PNG shows boxes for letters of other scripts; the SVG has them
            warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
            figure.savefig(stream, format=suffix, dpi=PNG_DOTS_PER_INCH, metadata=metadata, bbox_inches="tight")
        files[suffix] = stream.getvalue()
    return files


def _figure(
    network: ChannelNetwork,
    links: LinkClasses,
    title: str,
    load: Use | None = None,
    plane: PlaneTables | None = None,
) -> Figure:
    placement = place(network, links)
    names = [stub.name_at for stub in placement.stubs]
    everything = np.concatenate([placement.switches, placement.processors, np.reshape(names, (-1, 2))])
    width, height = everything.max(axis=0) - everything.min(axis=0) + 2 * MARGIN
    scale = _scale(max(width, height))
    figure = Figure(figsize=(width * scale, height * scale))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_aspect("equal")
    axes.axis("off")
    points_per_unit = 72 * scale
    _draw_processors(axes, network, placement, points_per_unit)
    _draw_links(axes, network, links, placement, points_per_unit, faint=load is not None)
    _draw_switches(axes, network, links, placement, points_per_unit)
    text_size = float(np.clip(1.3 * width * scale, 8, 15))
    axes.set_title(title, fontsize=1.2 * text_size, color=INK)
    if load is not None:
        scale_of_load = draw_load(axes, network, links, placement, load, points_per_unit)
        draw_scale(axes, scale_of_load, load, text_size, INK)
    of_plane = [] if plane is None else draw_plane(axes, network, placement, plane, points_per_unit)
    _draw_legend(axes, network, links, text_size, of_plane, faint=load is not None)
    low, high = everything.min(axis=0), everything.max(axis=0)
    axes.set_xlim(low[0] - MARGIN, high[0] + MARGIN)
    axes.set_ylim(low[1] - MARGIN, high[1] + MARGIN)
    return figure


def _scale(units: float) -> float:
    """Return inches per unit of a picture of this width or height in units."""
    scale = max(min(INCHES_PER_UNIT, MAX_INCHES / units), MIN_INCHES / units)
    return max(scale, min(READABLE_INCHES_PER_UNIT, MAX_READABLE_INCHES / units))


def _link_colours(faint: bool) -> tuple[str, str]:
    """Return the colours of tree links and of others; faint ones are for links below load colours."""
    return (FAINT, FAINT) if faint else (TREE, CROSS)


def _draw_links(
    axes: Axes, network: ChannelNetwork, links: LinkClasses, placement: Placement, unit: float, *, faint: bool
) -> None:
    """Draw tree links solid and others dashed; links that are not drawn whole become stubs, if anything."""
    width = 0.6 if faint else float(np.clip(unit / 28, 0.8, 2.2))
    tree_colour, cross_colour = _link_colours(faint)
    aside = {"colors": cross_colour, "linewidths": 0.8 * width, "linestyles": [(0, (4, 2))]}
    tree = {"colors": tree_colour, "linewidths": width}
    solid = [link in links.tree or not links.tree for link in placement.lines]
    for style, wanted in ((tree, True), (aside, False)):
        lines = [line for line, is_solid in zip(placement.lines.values(), solid, strict=True) if is_solid == wanted]
        axes.add_collection(LineCollection(lines, zorder=2, **style))
    _count_parallel(axes, network, placement, unit)
    for stub in placement.stubs:
        is_solid = stub.link not in links.around and (stub.link in links.tree or not links.tree)
        line = [placement.switches[stub.switch], stub.tip]
        axes.add_collection(LineCollection([line], zorder=1, **(tree if is_solid else aside)))
        _name_stub(axes, network, stub, unit, INK if faint else TREE if is_solid else CROSS)


def _count_parallel(axes: Axes, network: ChannelNetwork, placement: Placement, unit: float) -> None:
    """Write the number of parallel links over the middle of their line."""
    box = {"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none"}
    for link, count in Counter(network.edges).items():
        if count > 1 and link in placement.lines:
            line = placement.lines[link]
            middle = line[len(line) // 2] if len(line) > 2 else line.mean(axis=0)
            style = {"fontsize": min(0.13 * unit, 9), "color": INK, "zorder": 3, "bbox": box}
            axes.annotate(f"x{count}", tuple(middle), ha="center", va="center", **style)


def _name_stub(axes: Axes, network: ChannelNetwork, stub: Stub, unit: float, colour: str) -> None:
    """Write the name of a stub's far switch behind the stub."""
    name = short_name(network.switch_names[stub.other])
    style = {"fontsize": min(0.13 * unit, 9), "color": colour, "zorder": 4}
    axes.annotate(name, tuple(stub.name_at), ha="center", va="center", **style)


def _draw_switches(axes: Axes, network: ChannelNetwork, links: LinkClasses, placement: Placement, unit: float) -> None:
    """Draw switches with short names as circles, and with longer ones as boxes, for legible text."""
    colours = [ROOT if switch == links.root else INK for switch in range(network.switches)]
    names = [short_name(name) for name in network.switch_names]
    diameter = 2 * RADIUS * unit
    edge = max(1.0, unit / 45)
    boxed = placement.boxed
    if not boxed:
        axes.scatter(*placement.switches.T, s=diameter**2, c="white", edgecolors=colours, linewidths=edge, zorder=3)
    size = 0.13 * unit if boxed else min(0.62 * diameter / max(1.0, 0.62 * max(map(len, names))), 11)
    for name, position, colour in zip(names, placement.switches, colours, strict=True):
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


def _draw_processors(axes: Axes, network: ChannelNetwork, placement: Placement, unit: float) -> None:
    """Draw processors where they send and, darker, where they receive if at another switch."""
    senders, receivers, processors = len(network.processors), arrivals(network), placement.processors
    homes = placement.switches[placement.homes]
    axes.add_collection(
        LineCollection(list(np.stack([homes, processors], axis=1)), colors=PROCESSOR, linewidths=0.8, zorder=1)
    )
    side, labelled = placement.side * unit, len(network.processors) <= LABELLED_PROCESSORS
    colours = [SENDER] * senders + [RECEIVER] * len(receivers)
    dots: PathCollection = axes.scatter(*processors.T, s=side**2, c=colours, edgecolors=PROCESSOR, marker="s", zorder=3)
    dots.set_linewidth(0.7)
    if labelled:
        numbers = [*range(senders), *(processor for _, processor in receivers)]
        for processor, spot in zip(numbers, processors, strict=True):
            axes.annotate(str(processor), spot, ha="center", va="center", fontsize=0.55 * side, color=INK, zorder=4)


def _draw_legend(
    axes: Axes, network: ChannelNetwork, links: LinkClasses, text_size: float, more: list[Line2D], *, faint: bool
) -> None:
    entries, (tree_colour, cross_colour) = [], _link_colours(faint)
    if links.tree:
        parallel = len(network.edges) - len(set(network.edges))
        cross = len(set(network.edges) - links.tree | links.around) + parallel
        entries.append(Line2D([], [], color=tree_colour, linewidth=1.8, label=f"{links.names[0]} ({len(links.tree)})"))
        if cross:
            text = f"{links.names[1]} ({cross}{', not drawn' if links.rule else ''}){links.rule}"
            entries.append(Line2D([], [], color=cross_colour, linestyle=(0, (4, 2)), label=text))
    elif network.edges:
        entries.append(Line2D([], [], color=tree_colour, linewidth=1.8, label=f"link ({len(network.edges)})"))
    if links.root is not None:
        entries.append(_marker("o", "white", ROOT, f"root ({network.switch_names[links.root]})"))
    entries.append(_marker("o", "white", INK, f"switch ({network.switches})"))
    apart = arrivals(network)
    text = "processor, sending" if apart else "processor"
    entries.append(_marker("s", SENDER, PROCESSOR, f"{text} ({len(network.processors)})"))
    if apart:
        entries.append(_marker("s", RECEIVER, PROCESSOR, "receiving"))
    entries += more
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
