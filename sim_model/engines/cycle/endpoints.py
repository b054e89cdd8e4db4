"""Host back-pressure (docs/look_up/timing.md, "Host back-pressure"): sources that pause, receivers that stall.

There are no records of sources if none ever pauses, and none of receivers if none ever stalls. None of this code runs
then.

The buffer of a channel into a processor is its ejector. Its ``count`` is such that it is full at the depth of all other
buffers, so links treat both alike.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from sim_model.engines.cycle.occupied_outputs import await_move, unblock
from sim_model.engines.cycle.records import NONE, make_records
from sim_model.loops.bits import index_of, message_of, source_bit
from sim_model.loops.compiled import compiled, compiled_apart
from sim_model.messages.header_lengths import header_lengths
from sim_model.messages.messages import Messages
from topology.common.channels import ChannelNetwork
from topology.common.host_pattern import (
    PERIOD_CYCLES,
    RECEIVER,
    SOURCE,
    HostBehaviour,
    first_positions,
    ring_of_levels,
)

EJECTOR_FLITS = 2
"""Capacity of an ejector between its channel and the user, in flits."""

SOURCE_FIELDS = (
    "phase",  # position in the ring of patterns in cycle 0; never changes
    "offered",  # 1 if a word of the message in the injector was on offer at the end of the last cycle
    "waiting",  # 1 while the injector, its register empty, waits for a word
)
RECEIVER_FIELDS = (
    "channel",  # never changes, like the next one
    "phase",
    "held",  # flits in the ejector at the start of the cycle
    "blocked_until",  # cycle in which the last blockade that has begun ends
)
BLOCKADE_FIELDS = ("receiver", "start_cycle", "end_cycle")


class EndpointState(NamedTuple):
    """Pauses of sources and stalls of receivers."""

    ring: np.ndarray  # uint8[PERIOD_CYCLES], what is held against the levels; empty if no host ever holds back
    pause_level: int
    stall_level: int
    header_flits: np.ndarray  # int64[messages]
    sources: np.recarray  # SOURCE_FIELDS, by injector
    receivers: np.recarray  # RECEIVER_FIELDS, by position in the network's delivery channels
    blockades: np.recarray  # BLOCKADE_FIELDS


def make_endpoints(
    network: ChannelNetwork,
    messages: Messages,
    hosts: HostBehaviour,
    header_flits: Callable[[Sequence[int]], int],
) -> EndpointState:
    """Return all hosts in their state before cycle 0.

    Raises:
        ValueError: If a processor that the network does not have is blocked.
    """
    sources = len(network.injection_channels) if hosts.pause_level else 0
    receivers = len(network.delivery_channels) if hosts.stalls else 0
    offsets = messages.offsets[: len(messages) * bool(sources) + 1]
    return EndpointState(
        ring=ring_of_levels(hosts),
        pause_level=hosts.pause_level,
        stall_level=hosts.stall_level,
        header_flits=header_lengths(offsets, messages.destinations, header_flits),
        sources=make_records(
            sources, SOURCE_FIELDS, phase=first_positions(hosts.seed, ((SOURCE, i) for i in range(sources)))
        ),
        receivers=make_records(
            receivers,
            RECEIVER_FIELDS,
            channel=network.delivery_channels[:receivers],
            phase=first_positions(hosts.seed, ((RECEIVER, i) for i in range(receivers))),
        ),
        blockades=_make_blockades(network, hosts),
    )


def _make_blockades(network: ChannelNetwork, hosts: HostBehaviour) -> np.recarray:
    last = len(network.processors) - 1
    for blockade in hosts.blocked:
        if blockade.processor > last:
            raise ValueError(f"Blocked processor is {blockade.processor!r}; it must be 0 to {last}")
    rows = [
        (receiver, blockade.start_cycle, blockade.end_cycle)
        for blockade in hosts.blocked
        for receiver, processor in enumerate(network.delivery_processors)
        if processor == blockade.processor
    ]
    columns = dict(zip(BLOCKADE_FIELDS, zip(*rows, strict=True), strict=True)) if rows else {}
    return make_records(len(rows), BLOCKADE_FIELDS, **columns)


@compiled
def holds_back(cycle, phase, level, ring):
    """Return whether an endpoint pauses or stalls in a cycle."""
    return ring[(phase + cycle) % PERIOD_CYCLES] < level


@compiled_apart
def await_word(injector, state):
    """Load the next flit of an injector: a header flit at once, a word when the source offers one."""
    endpoints, channel = state.endpoints, state.channels[state.hosts[injector].channel]
    if index_of(channel.register) >= endpoints.header_flits[message_of(channel.register)]:
        endpoints.sources[injector].waiting = 1
        state.vertices[channel.source].occupied &= ~source_bit(channel)


@compiled_apart
def step_sources(cycle, state):
    """Step all sources by one cycle. Returns a number that is 0 only if none of them changes, now or later.

    An offered word stays valid until it is taken, as in AXI4-Stream.
    """
    endpoints, hosts = state.endpoints, state.hosts
    changes = 0
    for injector in range(len(endpoints.sources)):
        if hosts[injector].sending == NONE:
            continue
        source = endpoints.sources[injector]
        if not source.offered:
            changes += 1
            if not holds_back(cycle, source.phase, endpoints.pause_level, endpoints.ring):
                source.offered = 1
        if source.waiting and source.offered:
            changes += 1
            source.waiting = 0
            source.offered = 0
            channel = state.channels[hosts[injector].channel]
            state.vertices[channel.source].occupied |= source_bit(channel)
            await_move(hosts[injector].channel, state)
    return changes


@compiled_apart
def offers_later(cycle, injector, endpoints):
    """Return whether a host may not offer its injector a message yet; if it may, words follow in the next cycle."""
    source = endpoints.sources[injector]
    if holds_back(cycle, source.phase, endpoints.pause_level, endpoints.ring):
        return True
    source.offered = 0
    return False


@compiled_apart
def step_receivers(cycle, state):
    """Step all receivers by one cycle, after the links. Returns a number that is 0 only if all ejectors are empty."""
    endpoints, channels = state.endpoints, state.channels
    depth = state.buffer_depth_flits
    begin_blockades(cycle, endpoints)
    changes = 0
    for position in range(len(endpoints.receivers)):
        receiver = endpoints.receivers[position]
        channel = channels[receiver.channel]
        if receiver.held > 0:
            changes += 1
            if not is_stalled(cycle, receiver, endpoints):
                if channel.count == depth:
                    unblock(receiver.channel, channel, state)
                channel.count -= 1
        receiver.held = channel.count - depth + EJECTOR_FLITS
    return changes


@compiled
def begin_blockades(cycle, endpoints):
    """Start the blockades that begin in this cycle."""
    for position in range(len(endpoints.blockades)):
        blockade = endpoints.blockades[position]
        if blockade.start_cycle <= cycle < blockade.end_cycle:
            receiver = endpoints.receivers[blockade.receiver]
            receiver.blocked_until = max(receiver.blocked_until, blockade.end_cycle)


@compiled
def is_stalled(cycle, receiver, endpoints):
    """Return whether a receiver stalls in this cycle."""
    if cycle < receiver.blocked_until:
        return True
    return holds_back(cycle, receiver.phase, endpoints.stall_level, endpoints.ring)
