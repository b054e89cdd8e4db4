"""The drawn network in numbers for the page's canvas, with the places and lines of ``hydranoc draw``."""

from typing import Any

import numpy as np

from hydranoc.families.reports import LinkClasses
from hydranoc.pictures.layout import arrivals
from hydranoc.pictures.placement import place, short_name
from hydranoc.pictures.ways import ways_of
from topology.common.channels import ChannelNetwork

DECIMALS = 3


def scene_of(network: ChannelNetwork, links: LinkClasses) -> dict[str, Any]:
    """Return all static parts as plain values for JSON. Lengths are in units of ``pictures/placement.py``.

    Returns
    -------
    dict
        ``switches``: x, y, half width, half height, short name of each; ``spots``: x, y, processor of each place of a
        processor, those of receptions at other switches last; ``ways``: for each pair of source and sink that channels
        join its kind and the points of its pieces, in the direction of travel; ``channels``: way, rank among the
        channels of that way, source, sink and name of each; ``names``: of switches.
    """
    placement = place(network, links)
    ways = ways_of(network, links, placement)
    number = {ends: i for i, ends in enumerate(ways)}
    ranks, channels = [0] * len(ways), []
    for channel in network.channels:
        way = number[channel.source, channel.sink]
        channels.append([way, ranks[way], channel.source, channel.sink, channel.name])
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
        "ways": [[way.kind, list(map(_flat, way.pieces)), int(way.solid)] for way in ways.values()],
        "channels": channels,
        "rule": f"{links.names[1]} (not drawn){links.rule}" if links.rule else "",
    }


def _processors(network: ChannelNetwork) -> list[int]:
    """Return the processor of each place."""
    return [*range(len(network.processors)), *(processor for _, processor in arrivals(network))]


def _flat(points: np.ndarray) -> list[float]:
    return points.round(DECIMALS).ravel().tolist()
