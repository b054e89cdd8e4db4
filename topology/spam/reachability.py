"""Proof that every SPAM message comes to its destinations, whatever outputs its header is given.

For every channel and routing key: does a header there, by every choice that the tables leave it, come to the
vertex that its key names? The answer is the least solution of "a header arrives if it has an output and
arrives behind all of them", so a header that could run in circles does not count as arriving.
"""

import numpy as np

from topology.spam.routing import SpamRouting


def unreached_pairs(routing: SpamRouting) -> list[tuple[int, int]]:
    """Pairs (source, destination) of processors for which some message may fail to arrive; empty for a right network.

    A pair counts as reached if a unicast arrives, and if a multicast whose destinations have any of the destination's
    ancestors as LCA arrives there and is split so that exactly one copy comes to the destination.
    """
    network = routing.network
    arrives = _arrives(routing)
    split = _split_arrives(routing)
    branching = routing.reach.any(axis=2).sum(axis=1) >= 2
    missing = []
    for source in range(len(network.processors)):
        start: np.ndarray = np.all(arrives[list(network.injection_channels_of(source))], axis=0)
        for destination in range(len(network.processors)):
            if destination == source:
                continue
            vertex = network.processor_vertex(destination)
            meeting = branching & routing.labels.ancestor[: network.switches, vertex]
            splits_right = (start[: network.switches] & split[:, destination])[meeting].all()
            if not (start[vertex] and splits_right):
                missing.append((source, destination))
    return missing


def _arrives(routing: SpamRouting) -> np.ndarray:
    """Whether a header on a channel certainly comes to its key's vertex, bool, shape (channels, keys)."""
    network = routing.network
    sinks = np.array([channel.sink for channel in network.channels])
    arrives = np.zeros((len(sinks), network.vertices), dtype=bool)
    arrives[np.arange(len(sinks)), sinks] = True
    taken = {int(channel): _outputs(routing, int(channel)) for channel in np.flatnonzero(sinks < network.switches)}
    changed = True
    while changed:
        changed = False
        for channel, outputs in taken.items():
            behind = arrives[list(network.output_channel[sinks[channel]])]
            found = outputs.any(axis=0) & (behind | ~outputs).all(axis=0)
            if (found & ~arrives[channel]).any():
                arrives[channel] |= found
                changed = True
    return arrives


def _outputs(routing: SpamRouting, channel: int) -> np.ndarray:
    """Outputs among which a header that arrived on a channel may be sent, bool, shape (ports, keys)."""
    network, labels = routing.network, routing.labels
    switch = network.channels[channel].sink
    ports = np.arange(network.degree(switch))[:, np.newaxis]
    routes = routing.routes[switch, :, labels.channel_class[channel]]
    return (routes >> ports & 1).astype(bool)


def _split_arrives(routing: SpamRouting) -> np.ndarray:
    """Whether a worm that splits at a switch brings one copy to a destination, bool, shape (switches, processors)."""
    network = routing.network
    arrives = np.zeros((network.switches, len(network.processors)), dtype=bool)
    depth_first = sorted(range(network.switches), key=lambda switch: -int(routing.labels.level[switch]))
    for switch in depth_first:
        for destination in range(len(network.processors)):
            ports = np.flatnonzero(routing.reach[switch, :, destination])
            if len(ports) != 1:
                continue
            sink = network.neighbours[switch][ports[0]]
            at_home = sink == network.processor_vertex(destination)
            arrives[switch, destination] = at_home or (network.is_switch(sink) and arrives[sink, destination])
    return arrives
