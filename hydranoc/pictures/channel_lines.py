"""Channels as lines in a picture: from source to sink, each direction of a link at its own right-hand side."""

from typing import NamedTuple

import numpy as np

from hydranoc.families.reports import LinkClasses
from hydranoc.pictures.layout import arrivals
from hydranoc.pictures.placement import Placement
from topology.common.channels import ChannelNetwork

LINE, STUBS, UNDRAWN = 0, 1, 2
"""Kinds of lines: drawn as a line, as two ends, or not at all (see ``LinkClasses.rule``)."""


class ChannelLine(NamedTuple):
    """Line of the channels from one vertex to another.

    Members:
        kind: ``LINE``, ``STUBS`` or ``UNDRAWN``.
        pieces (list of float array, shape (points, 2)): In the direction of travel; an undrawn one is straight.
        solid: True if pictures draw it solid, as a link of the tree or one to a processor.
    """

    kind: int
    pieces: list[np.ndarray]
    solid: bool


def channel_lines_of(
    network: ChannelNetwork, links: LinkClasses, placement: Placement
) -> dict[tuple[int, int], ChannelLine]:
    """Return the line of each pair of source and sink that a channel joins, in the order of channels."""
    spots = _spots(network)
    stubs: dict[tuple[int, int], np.ndarray] = {(stub.switch, stub.other): stub.tip for stub in placement.stubs}
    ends = dict.fromkeys((channel.source, channel.sink) for channel in network.channels)
    return {
        (source, sink): (
            _between(links, placement, stubs, source, sink)
            if max(source, sink) < network.switches
            else _to_processor(network, placement, spots, source, sink)
        )
        for source, sink in ends
    }


def _spots(network: ChannelNetwork) -> dict[tuple[int, int], int]:
    """Return the place of each processor by its switch."""
    found = {(switch, processor): processor for processor, switch in enumerate(network.processors)}
    for number, ends in enumerate(arrivals(network)):
        found.setdefault(ends, len(network.processors) + number)
    return found


def _to_processor(
    network: ChannelNetwork, placement: Placement, spots: dict[tuple[int, int], int], source: int, sink: int
) -> ChannelLine:
    switch, vertex = (sink, source) if network.is_switch(sink) else (source, sink)
    ends = np.stack([placement.switches[switch], placement.processors[spots[switch, vertex - network.switches]]])
    return ChannelLine(LINE, [ends if source == switch else ends[::-1]], True)


def _between(
    links: LinkClasses, placement: Placement, stubs: dict[tuple[int, int], np.ndarray], source: int, sink: int
) -> ChannelLine:
    link = (min(source, sink), max(source, sink))
    solid = link in links.tree or not links.tree
    if link in placement.lines:
        line = placement.lines[link]
        return ChannelLine(LINE, [line if source == link[0] else line[::-1]], solid)
    start, end = placement.switches[source], placement.switches[sink]
    if (source, sink) in stubs:
        pieces = [np.stack([start, stubs[source, sink]]), np.stack([stubs[sink, source], end])]
        return ChannelLine(STUBS, pieces, solid and link not in links.around)
    return ChannelLine(UNDRAWN, [np.stack([start, end])], False)


def moved_aside(line: np.ndarray, aside: float) -> np.ndarray:
    """Return a line moved to its right, as seen in the direction of travel; float, shape (points, 2)."""
    along = np.gradient(line, axis=0)
    along /= np.maximum(np.hypot(along[:, 0], along[:, 1]), 1e-12)[:, np.newaxis]
    return line + aside * np.stack([along[:, 1], -along[:, 0]], axis=1)
