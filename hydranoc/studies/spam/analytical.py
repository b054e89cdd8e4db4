"""Latency without contention, from the tables alone (docs/look_up/timing_spam.md)."""

from collections.abc import Sequence
from dataclasses import dataclass

from topology.common.link_stages import LinkStages
from topology.spam.routing import SpamRouting


@dataclass(frozen=True)
class Path:
    """The path of an uncontended header to one destination.

    Members:
        channels: Channels in order, injection and delivery included.
        search_switches, split_switches (int): Switches on the way where the header is in its search and in its split
            phase.
    """

    channels: tuple[int, ...]
    search_switches: int
    split_switches: int


def uncontended_paths(routing: SpamRouting, source: int, destinations: Sequence[int]) -> dict[int, Path]:
    """Return the path to every destination: in the search phase the lowest candidate port, then down the tree.

    Parameters:
        destinations: Processors; the source and repeats are dropped.

    Returns:
        By destination.
    """
    network = routing.network
    wanted = routing.destinations_of(source, destinations)
    lca = routing.labels.lowest_common_ancestor(wanted)
    channels = [network.injection_channel(source)]
    search_switches = 0
    while network.is_switch(network.channels[channels[-1]].sink):
        switch = network.channels[channels[-1]].sink
        candidates = int(routing.routes[switch, lca, routing.labels.channel_class[channels[-1]]])
        if candidates == 0:
            break
        search_switches += 1
        port = (candidates & -candidates).bit_length() - 1
        channels.append(network.output_channel[switch][port])
    return {destination: _split(routing, tuple(channels), search_switches, destination) for destination in wanted}


def _split(routing: SpamRouting, channels: tuple[int, ...], search_switches: int, destination: int) -> Path:
    """Follow the reach sets down to one destination."""
    network = routing.network
    split_switches = 0
    while network.is_switch(network.channels[channels[-1]].sink):
        switch = network.channels[channels[-1]].sink
        port = int(routing.reach[switch, :, destination].argmax())
        channels = (*channels, network.output_channel[switch][port])
        split_switches += 1
    return Path(channels, search_switches, split_switches)


def closed_form_latency(
    routing: SpamRouting,
    source: int,
    destinations: Sequence[int],
    flits: int,
    *,
    buffer_flits: int = 2,
    routing_cycles: int = 1,
    startup_cycles: int = 0,
    link_cycles: int = 1,
) -> dict[int, int]:
    """Return cycles from start to the arrival of the tail at every destination, in an otherwise empty network.

    ``startup + R (h - 1) + h + (C - 1) (h - 2) + L - 1 + (K - 1) s + (H - 1) b`` with links of C cycles, each of
    its own C if the network gives it; with buffers of 1 flit, L - 1 counts double.

    Exact for unicasts and for the last destination of a multicast (the paper's latency). A nearer destination may
    get its tail later than this, but not later than the last one: branches take turns with bubbles while the
    headers on longer branches are routed.

    Parameters:
        destinations: Processors; the source and repeats are dropped.
        flits: Length L of the message, header included.
        buffer_flits, routing_cycles (int): As for ``SpamModel``.
        startup_cycles: Start-up of the host.
        link_cycles: Cycles C of a link between switches whose length the network does not give; those from and to
            processors take one.

    Returns:
        Cycles by destination.
    """
    header = routing.header
    depth_flits = header.buffer_depth_flits(buffer_flits)
    cycles_per_flit = 2 if depth_flits == 1 else 1
    links = LinkStages(routing.network, link_cycles)
    header_flits = routing.header_flits(routing.destinations_of(source, destinations))
    latency = {}
    for destination, path in uncontended_paths(routing, source, destinations).items():
        hops = len(path.channels)
        stages = sum(map(links.stages_of, path.channels))
        extra = (header.key_flits - 1) * path.search_switches + (header_flits - 1) * path.split_switches
        latency[destination] = (
            startup_cycles + routing_cycles * (hops - 1) + hops + stages + cycles_per_flit * (flits - 1) + extra
        )
    return latency
