"""Collective plane in a picture of a network: links of its tree as wide lines below those of the network, rings around
the tops with the numbers of their groups, and a disc below the root."""

from collections.abc import Sequence
from itertools import groupby

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from hydranoc.pictures.placement import LETTER, LINE_HALF, RADIUS, Placement, places_around, surroundings_of
from topology.collectives.tables import PlaneTables
from topology.common.channels import ChannelNetwork

PLANE, PLANE_LINK = "#1d7a46", "#9fd8b4"
WIDTH = 0.12
"""Width of a link of the plane; all lengths are those of ``placement.py``."""
RING = 1.26
"""Radius of the ring around a top, in radii of a switch."""
NAME_POINTS = 0.13
NEAR = 0.2
"""Distance from the next line that is as good as any larger one."""


def draw_plane(
    axes: Axes, network: ChannelNetwork, placement: Placement, tables: PlaneTables, unit: float
) -> list[Line2D]:
    """Draw tree, root and tops of a plane, and return their entries of the legend.

    Parameters:
        unit: Points of a unit.
    """
    lines, alone = _tree_lines(placement, tables)
    for pieces, dashes in ((lines, "solid"), (alone, (0, (1.2, 0.6)))):
        style = {"colors": PLANE_LINK, "linewidths": WIDTH * unit, "linestyles": dashes, "capstyle": "butt"}
        axes.add_collection(LineCollection(pieces, zorder=0.5, **style))
    root = tables.tree.root
    for switch in sorted({root, *tables.top_switch}):
        colours = PLANE_LINK if switch == root else "white", PLANE if switch in tables.top_switch else PLANE_LINK
        _draw_ring(axes, network, placement, switch, colours, unit)
    _draw_names(axes, network, placement, tables, unit)
    edges = len(tables.tree.edges)
    entries = []
    if edges > len(tables.tree.foreign_links):
        label = f"link of the plane ({edges - len(tables.tree.foreign_links)})"
        entries.append(Line2D([], [], color=PLANE_LINK, linewidth=6, label=label))
    if tables.tree.foreign_links:
        label = f"link of the plane alone ({len(tables.tree.foreign_links)})"
        entries.append(Line2D([], [], color=PLANE_LINK, linewidth=6, linestyle=(0, (1.2, 0.6)), label=label))
    ring = {"linestyle": "", "marker": "o", "markersize": 9, "markeredgewidth": 1.6}
    name = f"root of the plane ({network.switch_names[root]})"
    entries.append(Line2D([], [], label=name, markerfacecolor=PLANE_LINK, markeredgecolor=PLANE_LINK, **ring))
    entries.append(Line2D([], [], label="top of groups (g)", markerfacecolor="none", markeredgecolor=PLANE, **ring))
    return entries


def _tree_lines(placement: Placement, tables: PlaneTables) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return lines over links of the network, whole or as stubs, and those of links that it does not show."""
    tips = {(stub.switch, stub.other): stub.tip for stub in placement.stubs}
    over: list[np.ndarray] = []
    alone: list[np.ndarray] = []
    for ends in tables.tree.edges:
        link = (min(ends), max(ends))
        if ends in tables.tree.foreign_links:
            alone.append(placement.switches[list(ends)])
        elif link in placement.lines:
            over.append(placement.lines[link])
        elif ends in tips:
            over += [np.stack([placement.switches[end], tips[end, other]]) for end, other in (ends, ends[::-1])]
        else:
            over.append(placement.switches[list(ends)])
    return over, alone


def _draw_ring(
    axes: Axes, network: ChannelNetwork, placement: Placement, switch: int, colours: tuple[str, str], unit: float
) -> None:
    """Draw a ring around a switch, or a box around one with a long name.

    Parameters:
        colours: Of the area and of the edge.
    """
    face, edge = colours
    position, width = placement.switches[switch], max(1.6, unit / 28)
    if not placement.boxed:
        size = (2 * RING * RADIUS * unit) ** 2
        axes.scatter(*position, s=size, c=face, edgecolors=edge, linewidths=width, zorder=2.8)
        return
    box = {"boxstyle": "round,pad=0.7", "facecolor": face, "edgecolor": edge, "linewidth": width}
    style = {"fontsize": NAME_POINTS * unit, "color": "none", "zorder": 2.8, "ha": "center", "va": "center"}
    axes.annotate(network.switch_names[switch], tuple(position), bbox=box, **style)


def _draw_names(axes: Axes, network: ChannelNetwork, placement: Placement, tables: PlaneTables, unit: float) -> None:
    """Write the groups beside their top, where there is room."""
    drawn = surroundings_of(placement, network)
    for switch in sorted(set(tables.top_switch)):
        text = f"g{numbers_text([group for group, top in enumerate(tables.top_switch) if top == switch])}"
        start = placement.switches[switch]
        half = np.array([LETTER * len(text) / 2, LINE_HALF])
        places = places_around(start, placement.halves[switch], half)
        near = drawn.near(start)
        room = np.minimum(near.room(places), NEAR)
        best = int(np.argmax(2.0 * near.free(start, places, half + WIDTH / 2) + near.free(start, places, half) + room))
        style = {"fontsize": min(NAME_POINTS * unit, 10), "color": PLANE, "zorder": 5, "weight": "bold"}
        axes.annotate(text, tuple(places[best]), ha="center", va="center", **style)
        drawn.add(start, places[best], half)


def numbers_text(numbers: Sequence[int]) -> str:
    """Return ascending numbers as ranges.

    >>> numbers_text([0, 2, 3, 4, 7])
    '0,2-4,7'
    """
    runs = [list(run) for _, run in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0])]
    ends = [(run[0][1], run[-1][1]) for run in runs]
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in ends)
