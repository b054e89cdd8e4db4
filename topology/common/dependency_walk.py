"""Which channels a header may ask for while it is on another, walked key by key through routing tables.

What is walked are the tables that hardware and model use, and not the rules that they were made by. A key comes to a
channel only if some switch before it lets it out there.
"""

from collections import deque
from collections.abc import Callable

import networkx as nx
import numpy as np

from topology.common.channels import ChannelNetwork


def walk_dependencies(
    network: ChannelNetwork, sent: np.ndarray, taken: Callable[[int], np.ndarray]
) -> tuple[nx.DiGraph, tuple[tuple[int, int], ...]]:
    """Path dependencies of all headers that any processor may send.

    Parameters
    ----------
    network : ChannelNetwork
    sent : bool array, shape (keys,)
        Keys that a header can have.
    taken : function
        (arrival channel) -> whether a header that arrived there may take an output of the switch, by key: bool array,
        shape (outputs, keys).

    Returns
    -------
    nx.DiGraph
        Nodes are channel numbers; an edge c -> d says that some header that arrived on c may ask for d.
    tuple of (int, int)
        Arrival channels and keys that come there and have no output.
    """
    present = np.zeros((len(network.channels), len(sent)), dtype=bool)
    path = nx.DiGraph()
    path.add_nodes_from(range(len(network.channels)))
    dead_ends: set[tuple[int, int]] = set()
    work = deque(network.injection_channels)
    for channel in work:
        present[channel] = sent
    while work:
        channel = work.popleft()
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
                work.append(outgoing)
    return path, tuple(sorted(dead_ends))
