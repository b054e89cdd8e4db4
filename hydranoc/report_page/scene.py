"""The network as it is drawn, in numbers for the page's canvas: the same places and lines as in ``hydranoc draw``."""

from typing import Any

import numpy as np

from hydranoc.families.reports import LinkClasses
from hydranoc.pictures.layout import arrivals
from hydranoc.pictures.placement import Placement, place, short_name
from topology.common.channels import ChannelNetwork

DECIMALS = 3
LINE, STUBS, UNDRAWN = 0, 1, 2
"""A way between two vertices is drawn as a line, as its two ends, or not at all (see ``LinkClasses.rule``)."""


def scene_of(network: ChannelNetwork, links: LinkClasses) -> dict[str, Any]:
    """Everything that stands still, as plain values for JSON. Lengths are in those of ``pictures/placement.py``.

    Returns
    -------
    dict
        ``switches``: x, y, half width, half height, short name of each; ``spots``: x, y, processor of each place of a
        processor, those where they receive elsewhere last; ``ways``: for each pair of source and sink that channels
        join its kind and the points of its pieces, in the direction of travel; ``channels``: way, rank among the
        channels of that way, source, sink and name of each; ``names``: of switches.
    """
    placement = place(network, links)
    spots = _spots(network)
    ways: dict[tuple[int, int], int] = {}
    drawn, channels, ranks = [], [], []
    for channel in network.channels:
        ends = (channel.source, channel.sink)
        if ends not in ways:
            ways[ends] = len(drawn)
            drawn.append(_way(network, links, placement, spots, *ends))
            ranks.append(0)
        way = ways[ends]
        channels.append([way, ranks[way], *ends, channel.name])
        ranks[way] += 1
    rounded = zip(placement.switches.round(DECIMALS).tolist(), placement.halves.round(DECIMALS).tolist(), strict=True)
    return {
        "switches": [
            [*place, *half, short_name(name)] for (place, half), name in zip(rounded, network.switch_names, strict=True)
        ],
        "names": list(network.switch_names),
        "root": links.root,
        "boxed": placement.boxed,
        "spots": [
            [*place, processor]
            for place, processor in zip(
                placement.processors.round(DECIMALS).tolist(), _processors(network), strict=True
            )
        ],
        "senders": len(network.processors),
        "side": placement.side,
        "stubs": [
            [*stub.name_at.round(DECIMALS).tolist(), short_name(network.switch_names[stub.other])]
            for stub in placement.stubs
        ],
        "ways": drawn,
        "channels": channels,
        "rule": f"{links.names[1]} (not drawn){links.rule}" if links.rule else "",
    }


def _processors(network: ChannelNetwork) -> list[int]:
    """The processor of each place."""
    return [*range(len(network.processors)), *(processor for _, processor in arrivals(network))]


def _spots(network: ChannelNetwork) -> dict[tuple[int, int], int]:
    """The place of each processor by the switch that is joined with it."""
    found = {(switch, processor): processor for processor, switch in enumerate(network.processors)}
    for number, ends in enumerate(arrivals(network)):
        found.setdefault(ends, len(network.processors) + number)
    return found


def _way(
    network: ChannelNetwork,
    links: LinkClasses,
    placement: Placement,
    spots: dict[tuple[int, int], int],
    source: int,
    sink: int,
) -> list[Any]:
    """Kind and pieces of the way from one vertex to another; whether it is a link of the tree."""
    if network.is_switch(source) and network.is_switch(sink):
        return _way_between(links, placement, source, sink)
    switch, vertex = (sink, source) if network.is_switch(sink) else (source, sink)
    ends = [placement.switches[switch], placement.processors[spots[switch, vertex - network.switches]]]
    return [LINE, [_flat(ends if source == switch else ends[::-1])], 1]


def _way_between(links: LinkClasses, placement: Placement, source: int, sink: int) -> list[Any]:
    link = (min(source, sink), max(source, sink))
    is_solid = int(link in links.tree or not links.tree)
    if link in placement.lines:
        line = placement.lines[link]
        return [LINE, [_flat(line if source == link[0] else line[::-1])], is_solid]
    tips = {stub.switch: stub.tip for stub in placement.stubs if stub.link == link}
    ends = placement.switches[source], placement.switches[sink]
    if tips:
        pieces = [_flat([ends[0], tips[source]]), _flat([tips[sink], ends[1]])]
        return [STUBS, pieces, int(is_solid and link not in links.around)]
    return [UNDRAWN, [_flat(ends)], 0]


def _flat(points: Any) -> list[float]:
    return np.asarray(points, dtype=float).round(DECIMALS).ravel().tolist()
