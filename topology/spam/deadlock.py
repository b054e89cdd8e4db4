"""Dependencies of SPAM worms, from the routing tables of hardware and model, and the evidence without deadlock."""

from functools import partial
from typing import Any

import numpy as np

from topology.common.channel_order import NoOrder, rising_order
from topology.common.deadlock import Dependencies, walk_dependencies
from topology.spam.graph import CROSS, TREE, SpamLabels
from topology.spam.routing import SpamRouting


def last_first(labels: SpamLabels) -> list[int]:
    """Return the channels in an order where those behind one come before it: tree, cross and then up channels.

    Any other order gives the same result after more rounds.
    """

    def rank(channel: int) -> tuple[int, int, int]:
        kind, sink = labels.channel_class[channel], labels.network.channels[channel].sink
        if kind in (TREE, CROSS):
            return int(kind == CROSS), -int(labels.level[sink]), -sink
        return 2, int(labels.level[sink]), sink

    return sorted(range(len(labels.network.channels)), key=rank)


def spam_dependencies(routing: SpamRouting, *, atomic: bool = True) -> Dependencies:
    """Return the dependencies of all headers that any processor may send.

    Parameters:
        atomic: True if the routers enqueue the requests of a header as one.
    """
    path, dead_ends = walk_dependencies(
        routing.network, _sent_keys(routing), partial(_taken, routing), last_first(routing.labels)[::-1]
    )
    return Dependencies(routing.network, path, _splits(routing), atomic, dead_ends)


def _sent_keys(routing: SpamRouting) -> np.ndarray:
    """Return the LCAs that a header can carry: processors, and switches with destinations below two or more outputs."""
    network = routing.network
    keys = np.ones(network.vertices, dtype=bool)
    keys[: network.switches] = routing.reach.any(axis=2).sum(axis=1) >= 2
    return keys


def _taken(routing: SpamRouting, channel: int) -> np.ndarray:
    """Return whether a header that arrived on ``channel`` may take a port, bool array, shape (ports, keys)."""
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


def branch_channels(routing: SpamRouting) -> list[int]:
    """Return the channels to which a worm that splits may be sent."""
    outputs = routing.network.output_channel
    return [outputs[switch][port] for switch, port in np.argwhere(routing.reach.any(axis=2)).tolist()]


def _splits(routing: SpamRouting) -> dict[tuple[int, ...], int]:
    """Return the tree outputs of each switch that one header may request together."""
    network = routing.network
    splits = {}
    for switch in range(network.switches):
        outputs = network.output_channel[switch]
        group = tuple(outputs[port] for port in range(len(outputs)) if routing.reach[switch, port].any())
        if len(group) > 1:
            splits[group] = switch
    return splits


def spam_evidence(routing: SpamRouting, *, atomic: bool = True) -> dict[str, Any]:
    """Return fields of the certificate.

    Parameters:
        atomic: True if the routers enqueue the requests of a header as one.

    Returns:
        dict: ``order``: names of all channels. ``nesting``: by name of each channel of the tree that leads down, the
            one in which it is nested, from whose end it starts; None for those of the root.

    Raises:
        NoOrder: If there is none, or routers do not enqueue as they should.
    """
    dependencies = spam_dependencies(routing, atomic=atomic)
    if dependencies.dead_ends:
        raise NoOrder("some headers are unroutable")
    if not atomic:
        raise NoOrder("branches of a worm are enqueued one by one")
    network = routing.network
    names = [channel.name for channel in network.channels]
    order = rising_order(range(len(names)), dependencies.path.edges)
    branches = branch_channels(routing)
    into = {network.channels[branch].sink: names[branch] for branch in branches}
    return {
        "order": [names[channel] for channel in order],
        "nesting": {names[branch]: into.get(network.channels[branch].source) for branch in branches},
    }
