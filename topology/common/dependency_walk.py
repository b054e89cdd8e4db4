"""Channel dependencies of headers, walked key by key through routing tables.

It walks the tables that hardware and model use, not the rules behind them. A key comes to a channel only if some switch
before it can send it there.
"""

from collections.abc import Callable, Sequence
from heapq import heapify, heappop, heappush

import networkx as nx
import numpy as np

from topology.common.channels import ChannelNetwork


def walk_dependencies(
    network: ChannelNetwork,
    sent: np.ndarray,
    taken: Callable[[int], np.ndarray],
    first_to_last: Sequence[int] | None = None,
) -> tuple[nx.DiGraph, tuple[tuple[int, int], ...]]:
    """Return the path dependencies of all headers that any processor may send.

    Parameters
    ----------
    network : ChannelNetwork
    sent : bool array, shape (keys,)
        Keys that a header can have.
    taken : function
        (arrival channel) -> whether a header that arrived there may take an output of the switch, by key: bool array,
        shape (outputs, keys).
    first_to_last : sequence of int or None
        All channels, in an order in which headers go on from one to a later one. It does not affect the result,
        but with it most channels are visited only once.

    Returns
    -------
    nx.DiGraph
        Nodes are channel numbers; an edge c -> d says that some header that arrived on c may request d.
    tuple of (int, int)
        Arrival channels and keys that come there and have no output.
    """
    present = np.zeros((len(network.channels), len(sent)), dtype=bool)
    path = nx.DiGraph()
    path.add_nodes_from(range(len(network.channels)))
    dead_ends: set[tuple[int, int]] = set()
    order = range(len(network.channels)) if first_to_last is None else first_to_last
    rank = {channel: position for position, channel in enumerate(order)}
    work = [(rank[channel], channel) for channel in network.injection_channels]
    heapify(work)
    waiting = set(network.injection_channels)
    present[list(waiting)] = sent
    while work:
        _, channel = heappop(work)
        waiting.discard(channel)
        switch = network.channels[channel].sink
        if not network.is_switch(switch):
            continue
        outputs = taken(channel)
        stuck = present[channel] & ~outputs.any(axis=0)
        dead_ends.update((channel, int(key)) for key in np.flatnonzero(stuck))
        for port, outgoing in enumerate(network.output_channel[switch]):
            arriving = present[channel] & outputs[port]
            if not arriving.any():
                continue
            path.add_edge(channel, outgoing)
            if (arriving & ~present[outgoing]).any():
                present[outgoing] |= arriving
                if outgoing not in waiting:
                    waiting.add(outgoing)
                    heappush(work, (rank[outgoing], outgoing))
    return path, tuple(sorted(dead_ends))
