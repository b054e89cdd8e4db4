"""Processors behind the branches of a multistage network's switches, as intervals of one order of processors.

Every switch from which a message branches is the root of a tree, and all these trees take the processors in one order:
that of a walk, depth first and by port, from a switch that leads to all of them. So the processors behind a branch are
an interval, and two numbers per channel replace a bit per switch, port and processor.
"""

from typing import NamedTuple

import numpy as np

from topology.min.graph import MinNetwork
from topology.min.groups import branch_ports


class BranchIntervals(NamedTuple):
    """Processors behind channels.

    Members:
        place (int64[processors]): Of each processor in the order.
        begin, end (int64[channels]): Places of the processors behind a channel at which a message may branch, from
            ``begin`` on and before ``end``; both 0 where none is.
        switch_begin, switch_end (int64[switches]): The same for all branches of a switch.
    """

    place: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    switch_begin: np.ndarray
    switch_end: np.ndarray


def branch_intervals(network: MinNetwork) -> BranchIntervals | None:
    """Return the intervals of a network; None if a branch has none, which is not known of any kind of network."""
    sinks = [_sinks(network, switch) for switch in range(network.switches)]
    place = _places(network, sinks)
    begin, end = np.zeros(len(network.channels), dtype=np.int64), np.zeros(len(network.channels), dtype=np.int64)
    switch_begin, switch_end = np.zeros(network.switches, dtype=np.int64), np.zeros(network.switches, dtype=np.int64)
    for switch in _last_first(network, sinks):
        for (channel, _), sink in zip(_branches(network, switch), sinks[switch], strict=True):
            if network.is_switch(sink):
                begin[channel], end[channel] = switch_begin[sink], switch_end[sink]
            else:
                begin[channel] = place[sink - network.switches]
                end[channel] = begin[channel] + 1
        channels = [channel for channel, _ in _branches(network, switch)]
        switch_begin[switch], switch_end[switch] = begin[channels].min(), end[channels].max()
        if (end[channels] - begin[channels]).sum() != switch_end[switch] - switch_begin[switch]:
            return None
    return BranchIntervals(place, begin, end, switch_begin, switch_end)


def _branches(network: MinNetwork, switch: int) -> list[tuple[int, int]]:
    """Return the channels at which a message may branch, each with its port."""
    return [(network.output_channel[switch][port], port) for port in branch_ports(network, switch)]


def _sinks(network: MinNetwork, switch: int) -> list[int]:
    return [network.channels[channel].sink for channel, _ in _branches(network, switch)]


def _places(network: MinNetwork, sinks: list[list[int]]) -> np.ndarray:
    """Return the order of the processors: that of a walk from a switch which leads to all of them."""
    place = np.zeros(len(network.processors), dtype=np.int64)
    first_stage = network.stages - 1 if network.bidirectional else 0
    start = next(s for s, position in enumerate(network.switch_positions) if position.stage == first_stage)
    work, found = [start], 0
    while work:
        vertex = work.pop()
        if network.is_switch(vertex):
            work += reversed(sinks[vertex])
        else:
            place[vertex - network.switches] = found
            found += 1
    return place


def _last_first(network: MinNetwork, sinks: list[list[int]]) -> list[int]:
    """Return switches in an order in which those behind the branches of a switch come before it."""
    order, seen = [], np.zeros(network.vertices, dtype=bool)
    seen[network.switches :] = True
    for first in range(network.switches):
        work = [first]
        while work:
            switch = work[-1]
            ahead = [sink for sink in sinks[switch] if not seen[sink]]
            work += ahead
            if not ahead:
                work.pop()
                if not seen[switch]:
                    seen[switch] = True
                    order.append(switch)
    return order
