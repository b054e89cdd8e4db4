"""Proof that every SPAM message reaches its destinations, on any of its route candidates.

For every channel and routing key: does a header there, by every choice that the tables leave it, come to the
vertex that its key names? The answer is the least solution of "a header arrives if it has an output and
arrives behind all of them", so a header that could run in circles does not count as arriving.
"""

import numpy as np

from topology.spam.deadlock import last_first
from topology.spam.routing import SpamRouting


def unreached_pairs(routing: SpamRouting) -> list[tuple[int, int]]:
    """Return pairs (source, destination) of processors for which some message may fail to arrive; empty if right.

    A pair counts as reached if a unicast arrives, and if a multicast whose destinations have any of the destination's
    ancestors as LCA arrives there and is split so that exactly one copy comes to the destination.
    """
    network, switches = routing.network, routing.network.switches
    arrives = _arrives(routing)
    split = _split_arrives(routing)
    branching = routing.reach.any(axis=2).sum(axis=1) >= 2
    meeting = branching[:, np.newaxis] & routing.labels.ancestor[:switches, switches:]
    splits_wrong = (meeting & ~split).any(axis=0)
    missing = []
    for source in range(len(network.processors)):
        start: np.ndarray = np.all(arrives[list(network.injection_channels_of(source))], axis=0)
        never_meets = meeting[~start[:switches]].any(axis=0)
        lost = ~start[switches:] | splits_wrong | never_meets
        lost[source] = False
        missing += [(source, int(destination)) for destination in np.flatnonzero(lost)]
    return missing


def _arrives(routing: SpamRouting) -> np.ndarray:
    """Return whether a header on a channel certainly reaches its key's vertex, bool, shape (channels, keys)."""
    network = routing.network
    sinks = np.array([channel.sink for channel in network.channels])
    arrives = np.zeros((len(sinks), network.vertices), dtype=bool)
    arrives[np.arange(len(sinks)), sinks] = True
    order = [channel for channel in last_first(routing.labels) if sinks[channel] < network.switches]
    changed = True
    while changed:
        changed = False
        for channel in order:
            outputs = _outputs(routing, channel)
            behind = arrives[list(network.output_channel[sinks[channel]])]
            found = outputs.any(axis=0) & (behind | ~outputs).all(axis=0)
            if (found & ~arrives[channel]).any():
                arrives[channel] |= found
                changed = True
    return arrives


def _outputs(routing: SpamRouting, channel: int) -> np.ndarray:
    """Return the outputs to which a header that arrived on a channel may be sent, bool, shape (ports, keys)."""
    network, labels = routing.network, routing.labels
    switch = network.channels[channel].sink
    ports = np.arange(network.degree(switch))[:, np.newaxis]
    routes = routing.routes[switch, :, labels.channel_class[channel]]
    return (routes >> ports & 1).astype(bool)


def _split_arrives(routing: SpamRouting) -> np.ndarray:
    """Return whether a worm that splits at a switch brings one copy to a destination, bool[switches, processors]."""
    network = routing.network
    arrives = np.zeros((network.switches, len(network.processors)), dtype=bool)
    depth_first = sorted(range(network.switches), key=lambda switch: -int(routing.labels.level[switch]))
    for switch in depth_first:
        copies = routing.reach[switch].sum(axis=0)
        for port in np.flatnonzero(routing.reach[switch].any(axis=1)).tolist():
            sink = network.neighbours[switch][port]
            if network.is_switch(sink):
                behind = arrives[sink]
            else:
                behind = np.arange(len(network.processors)) == sink - network.switches
            arrives[switch] |= routing.reach[switch, port] & behind & (copies == 1)
    return arrives
