"""What SPAM worms wait for, taken from the routing tables that hardware and model really use."""

from collections import deque

import networkx as nx
import numpy as np

from topology.common.deadlock import Dependencies
from topology.spam.graph import TREE
from topology.spam.routing import SpamRouting


def spam_dependencies(routing: SpamRouting, *, atomic: bool = True) -> Dependencies:
    """Dependencies of all headers that any processor may send.

    Parameters
    ----------
    routing : SpamRouting
    atomic : bool
        Whether the routers enqueue the requests of a header as one.
    """
    network = routing.network
    keys = _sent_keys(routing)
    present = np.zeros((len(network.channels), network.vertices), dtype=bool)
    path = nx.DiGraph()
    path.add_nodes_from(range(len(network.channels)))
    dead_ends: set[tuple[int, int]] = set()
    work = deque(network.injection_channel(processor) for processor in range(len(network.processors)))
    for channel in work:
        present[channel] = keys
    while work:
        channel = work.popleft()
        switch = network.channels[channel].sink
        if not network.is_switch(switch):
            continue
        taken = _taken(routing, channel)
        stuck = present[channel] & ~taken.any(axis=0)
        dead_ends.update((channel, int(key)) for key in np.flatnonzero(stuck))
        for port, outgoing in enumerate(network.output_channel[switch]):
            arriving = present[channel] & taken[port]
            if not arriving.any():
                continue
            path.add_edge(channel, outgoing)
            if (arriving & ~present[outgoing]).any():
                present[outgoing] |= arriving
                work.append(outgoing)
    return Dependencies(network, path, _splits(routing), atomic, tuple(sorted(dead_ends)))


def _sent_keys(routing: SpamRouting) -> np.ndarray:
    """LCAs that a header can carry: processors, and switches with destinations below two or more outputs."""
    network = routing.network
    keys = np.ones(network.vertices, dtype=bool)
    keys[: network.switches] = routing.reach.any(axis=2).sum(axis=1) >= 2
    return keys


def _taken(routing: SpamRouting, channel: int) -> np.ndarray:
    """Whether a header that arrived on ``channel`` may take a port, bool array, shape (ports, keys)."""
    network, labels = routing.network, routing.labels
    switch = network.channels[channel].sink
    arrival = labels.channel_class[channel]
    ports = np.arange(network.degree(switch))[:, np.newaxis]
    routes = routing.routes[switch, :, arrival]
    searching = (routes >> ports & 1).astype(bool)
    splitting = np.zeros(network.vertices, dtype=bool)
    splitting[switch] = True
    if arrival == TREE:
        splitting |= labels.ancestor[:, switch]
    leads_somewhere = routing.reach[switch, : len(ports)].any(axis=1, keepdims=True)
    return searching | (leads_somewhere & splitting & (routes == 0))


def _splits(routing: SpamRouting) -> dict[tuple[int, ...], int]:
    """Tree outputs of each switch that one header may ask for together."""
    network = routing.network
    splits = {}
    for switch in range(network.switches):
        outputs = network.output_channel[switch]
        group = tuple(outputs[port] for port in range(len(outputs)) if routing.reach[switch, port].any())
        if len(group) > 1:
            splits[group] = switch
    return splits
