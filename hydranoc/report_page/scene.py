"""The drawn network in numbers for the page's canvas, with the places and lines of ``hydranoc draw``."""

from typing import Any

import numpy as np

from hydranoc.families.reports import LinkClasses
from hydranoc.pictures.channel_lines import channel_lines_of
from hydranoc.pictures.layout import arrivals
from hydranoc.pictures.placement import place, short_name
from topology.common.channels import ChannelNetwork

DECIMALS = 3


def scene_of(network: ChannelNetwork, links: LinkClasses) -> dict[str, Any]:
    """Return all static parts as plain values for JSON. Lengths are in units of ``pictures/placement.py``.

    Returns:
        dict: ``switches``: x, y, half width, half height, short name of each; ``spots``: x, y, processor of each place
            of a processor, those of receptions at other switches last; the key "ways": for each pair of source and sink
            that channels join its kind and the points of its pieces, in the direction of travel; ``channels``: number
            of that pair, rank among its channels, source, sink and name of each; ``names``: of switches.
    """
    placement = place(network, links)
    channel_lines = channel_lines_of(network, links, placement)
    number = {ends: i for i, ends in enumerate(channel_lines)}
    ranks, channels = [0] * len(channel_lines), []
    for channel in network.channels:
        line = number[channel.source, channel.sink]
        channels.append([line, ranks[line], channel.source, channel.sink, channel.name])
        ranks[line] += 1
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
        "ways": [[line.kind, list(map(_flat, line.pieces)), int(line.solid)] for line in channel_lines.values()],
        "channels": channels,
        "rule": f"{links.names[1]} (not drawn){links.rule}" if links.rule else "",
    }


def _processors(network: ChannelNetwork) -> list[int]:
    """Return the processor of each place."""
    return [*range(len(network.processors)), *(processor for _, processor in arrivals(network))]


def _flat(points: np.ndarray) -> list[float]:
    return points.round(DECIMALS).ravel().tolist()
