"""Occupancy of channels by messages, from recordings of the golden model.

A message *holds* a channel from the cycle in which its head moves on it to the one in which its tail does. Before that
its head waits at the channel's source, a switch reached by another channel, or a processor.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sim_model.engines.cycle.state import NONE, Trace
from sim_model.loops.bits import INDEX_MASK, INDEX_SHIFT, MESSAGE_SHIFT, TAIL
from topology.common.channels import ChannelNetwork
from topology.common.link_stages import LinkStages

ArrivalPorts = Callable[[np.ndarray], np.ndarray]
"""Variants of heads -> input ports by which they arrived at the switches that they leave, or -1 for all of them."""


class Holds(NamedTuple):
    """Columns of H holds, int64[H] each, in the order of their heads and then of channels.

    Members:
        channel, message (int64[H])
        head_cycle (int64[H]): Cycle in which the head moves on the channel.
        tail_cycle (int64[H]): Cycle in which the tail moves on it; -1 if not recorded.
        since_cycle (int64[H]): Cycle in which the head reached the source of the channel; -1 on channels from
            processors.
        before (int64[H]): Position of the hold of the channel by which it arrived there; -1 on channels from
            processors.
    """

    channel: np.ndarray
    message: np.ndarray
    head_cycle: np.ndarray
    tail_cycle: np.ndarray
    since_cycle: np.ndarray
    before: np.ndarray


class _Moves(NamedTuple):
    """Flits of one kind: channel, cycle, packed flit, variant."""

    channel: np.ndarray
    cycle: np.ndarray
    flit: np.ndarray
    variant: np.ndarray


class HoldRecorder:
    """Collector of heads and tails from consecutive recordings from cycle 0 on.

    Parameters:
        links: The network with the register stages of its links.
        arrival_ports: See ``Family.arrival_ports``; None if a message visits a switch only once.
    """

    def __init__(self, links: LinkStages, arrival_ports: ArrivalPorts | None = None):
        self._links, self._network = links, links.network
        self._arrival_ports = arrival_ports
        self._heads: list[_Moves] = []
        self._tails: list[_Moves] = []

    def add(self, trace: Trace, first_cycle: int) -> int:
        """Add a recording that begins in ``first_cycle``, and return the number of heads that moved."""
        channels = len(self._network.channels)
        flits, variants = trace.flits[:, :channels], trace.variants[:, :channels]
        moved = flits != NONE
        heads = moved & (flits >> INDEX_SHIFT & INDEX_MASK == 0)
        for found, kind in ((heads, self._heads), (moved & (flits & TAIL != 0), self._tails)):
            rows, columns = np.nonzero(found)
            kind.append(_Moves(columns, rows + first_cycle, flits[rows, columns], variants[rows, columns]))
        return len(self._heads[-1].cycle)

    def holds(self) -> Holds:
        """Return all holds so far."""
        heads, tails = _by_channel(self._heads), _by_channel(self._tails)
        tail_cycle = np.full(len(heads.cycle), NONE, dtype=np.int64)
        # heads and tails alternate on a channel, so only its last head may be without a tail
        ended = _rank(heads.channel) < np.bincount(tails.channel, minlength=len(self._network.channels))[heads.channel]
        tail_cycle[ended] = tails.cycle
        order = np.lexsort((heads.channel, heads.cycle))
        heads = _Moves(*(column[order] for column in heads))
        message = heads.flit >> MESSAGE_SHIFT
        before = self._before(heads, message)
        return Holds(heads.channel, message, heads.cycle, tail_cycle[order], self._since(heads, before), before)

    def _before(self, heads: _Moves, message: np.ndarray) -> np.ndarray:
        """Return the hold by which each head arrived: its message's last one into the switch that it leaves."""
        network = self._network
        source, sink = (np.array([getattr(c, end) for c in network.channels]) for end in ("source", "sink"))
        arrived_at, left_from = sink[heads.channel], source[heads.channel]
        ports = np.array([NONE]) if self._arrival_ports is None else self._arrival_ports(heads.variant)
        if (ports != NONE).any():
            known = (ports != NONE) & (left_from < network.switches)
            left_from, arrived_at = left_from.copy(), heads.channel + network.vertices
            left_from[known] = network.vertices + _input_channels(network, left_from[known], ports[known])
        places = network.vertices + len(network.channels)
        # in the order of message, place and cycle; heads are already in the order of cycles
        arrivals = np.lexsort((heads.cycle, arrived_at, message))
        span = int(heads.cycle[-1]) + 1 if len(heads.cycle) else 1
        keys = (message * places + arrived_at)[arrivals] * span + heads.cycle[arrivals]
        wanted = (message * places + left_from) * span
        last = np.searchsorted(keys, wanted + heads.cycle) - 1
        found = (last >= 0) & (keys[last] >= wanted) if len(keys) else np.zeros(0, dtype=bool)
        return np.where(found, arrivals[last] if len(keys) else NONE, NONE)

    def _since(self, heads: _Moves, before: np.ndarray) -> np.ndarray:
        """Return the cycle of each head at its channel's source, after the previous link's register stages."""
        stages = np.array([self._links.stages_of(channel) for channel in range(len(self._network.channels))])
        return np.where(before != NONE, heads.cycle[before] + stages[heads.channel[before]], NONE)


def _by_channel(parts: list[_Moves]) -> _Moves:
    """Return all moves, by channel and then in the order of cycles."""
    if not parts:
        return _Moves(*(np.zeros(0, dtype=np.int64) for _ in _Moves._fields))
    moves = _Moves(*(np.concatenate(columns).astype(np.int64) for columns in zip(*parts, strict=True)))
    order = np.lexsort((moves.cycle, moves.channel))
    return _Moves(*(column[order] for column in moves))


def _rank(channel: np.ndarray) -> np.ndarray:
    """Return the position of each entry among those of its channel, in a list that is sorted by channel."""
    return np.arange(len(channel)) - np.searchsorted(channel, channel)


def _input_channels(network: ChannelNetwork, switches: np.ndarray, ports: np.ndarray) -> np.ndarray:
    pairs = zip(switches.tolist(), ports.tolist(), strict=True)
    return np.array([network.input_channel[switch][port] for switch, port in pairs], dtype=np.int64)
