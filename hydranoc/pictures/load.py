"""Load of the channels in a picture: each direction of a link as a line of its own, in the colour of its use."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import Colormap, LinearSegmentedColormap, Normalize

from hydranoc.families.reports import LinkClasses
from hydranoc.pictures.channel_lines import UNDRAWN, channel_lines_of, moved_aside
from hydranoc.pictures.placement import Placement
from hydranoc.replay.use import Use
from topology.common.channels import ChannelNetwork

BESIDE = 0.02
"""Distance from the middle of a link to the line of a direction; less than the distance of boxes from links."""
WIDEST, THINNEST = 0.034, 0.012
"""Widths of lines; all lengths are in those of ``placement.py``."""
MIN_SHADE = 0.08
"""Lowest shade: the palette's light end is invisible on white paper."""
BAR = (1.03, 0.2, 0.025, 0.6)
"""Position of the scale, as fractions of the picture."""


def palette() -> Colormap:
    """Return a palette from light (no load) to dark (highest), also for colour-blind readers."""
    from matplotlib import colormaps

    shades = colormaps["cividis_r"](np.linspace(MIN_SHADE, 1, 256))
    return LinearSegmentedColormap.from_list("load", list(map(tuple, shades)))


def draw_load(
    axes: Axes, network: ChannelNetwork, links: LinkClasses, placement: Placement, load: Use, unit: float
) -> Normalize:
    """Draw lines over the links of a picture, the busiest on top, and return their scale.

    Virtual channels of a link, of which at most one has a flit in a cycle, are one line with the sum of their loads.
    So are several channels from a switch to a processor.

    Parameters:
        unit: Points of a unit.

    Returns:
        From flits per cycle to shades.
    """
    use = _by_ends(network, load.flits_per_cycle)
    channel_lines = channel_lines_of(network, links, placement)
    most = max(use.values())
    scale = Normalize(0, most or 1.0)
    shown = sorted((flits, ends) for ends, flits in use.items() if flits > 0 and channel_lines[ends].kind != UNDRAWN)
    lines, values = [], []
    for flits, ends in shown:
        lines += [moved_aside(piece, BESIDE) for piece in channel_lines[ends].pieces]
        values += [flits] * len(channel_lines[ends].pieces)
    widths = unit * (THINNEST + (WIDEST - THINNEST) * np.array(values) / (most or 1.0))
    drawn = LineCollection(lines, cmap=palette(), norm=scale, linewidths=widths, zorder=2.5, capstyle="butt")
    drawn.set_array(np.array(values))
    axes.add_collection(drawn)
    return scale


def _by_ends(network: ChannelNetwork, flits_per_cycle: np.ndarray) -> dict[tuple[int, int], float]:
    """Return flits per cycle from one vertex to another, summed over all channels between them."""
    found: dict[tuple[int, int], float] = {}
    for channel, flits in zip(network.channels, flits_per_cycle.tolist(), strict=True):
        ends = (channel.source, channel.sink)
        found[ends] = found.get(ends, 0.0) + flits
    return found


def draw_scale(axes: Axes, scale: Normalize, load: Use, text_size: float, colour: str) -> None:
    """Draw the scale of ``draw_load`` beside the picture."""
    figure = axes.get_figure()
    assert figure is not None
    bar = figure.colorbar(ScalarMappable(scale, palette()), cax=axes.inset_axes(BAR))
    label = f"flits per cycle, cycles {load.first:,} to {load.last - 1:,}"
    bar.set_label(label, fontsize=text_size, color=colour)
    bar.ax.tick_params(labelsize=text_size, labelcolor=colour, color=colour)
    bar.outline.set_edgecolor(colour)
