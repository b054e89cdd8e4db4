"""Unroutable worms: they are drained, counted, and their channels recorded (docs/look_up/bad_input.md)."""

from typing import NamedTuple

import numpy as np

from sim_model.engines.cycle.state import NONE
from sim_model.loops.compiled import compiled
from topology.common.channels import ChannelNetwork
from topology.common.input_errors import COUNT_BITS, MAX_COUNTED, REPORT_CYCLES, sum_cycles, watched_channels

RECENT_CYCLES = 32  # more than the hardware needs to add up


class Discards(NamedTuple):
    """Worms discarded so far."""

    sum_cycles: int  # that the hardware takes to add up the bits of all inputs; never changes
    first_cycle: np.ndarray  # int64[channels], when the first unroutable worm was read, or NONE
    recent_cycle: np.ndarray  # int64[RECENT_CYCLES], a cycle of this number modulo RECENT_CYCLES
    recent_worms: np.ndarray  # int64[RECENT_CYCLES], worms that were discarded in it
    worms: np.ndarray  # int64[1], all of them


def make_discards(network: ChannelNetwork) -> Discards:
    """Return the records before any discard."""
    return Discards(
        sum_cycles=sum_cycles(len(watched_channels(network))),
        first_cycle=np.full(len(network.channels), NONE),
        recent_cycle=np.full(RECENT_CYCLES, NONE),
        recent_worms=np.zeros(RECENT_CYCLES, dtype=np.int64),
        worms=np.zeros(1, dtype=np.int64),
    )


@compiled
def discard(cycle, channel, discards):
    """Count an unroutable worm from a channel."""
    slot = cycle % RECENT_CYCLES
    if discards.recent_cycle[slot] != cycle:
        discards.recent_cycle[slot] = cycle
        discards.recent_worms[slot] = 0
    discards.recent_worms[slot] += 1
    discards.worms[0] += 1
    if discards.first_cycle[channel] == NONE:
        discards.first_cycle[channel] = cycle


@compiled
def worms_until(cycle, discards):
    """Return the worms discarded up to a cycle which is less than ``RECENT_CYCLES`` ago."""
    worms = discards.worms[0]
    for slot in range(len(discards.recent_cycle)):
        if discards.recent_cycle[slot] > cycle:
            worms -= discards.recent_worms[slot]
    return worms


@compiled
def record_discards(cycle, discards, signals, first):
    """Write the values of ``errors_unroutable``, ``errors_misframed`` and ``errors_discarded`` in a cycle.

    Nothing is misframed: injectors send whole worms.

    Parameters:
        signals (uint8 array): Row of a recording.
        first (int): Position of the first of the three.
    """
    channels = len(discards.first_cycle)
    for channel in range(channels):
        seen = discards.first_cycle[channel]
        if seen != NONE and seen + REPORT_CYCLES <= cycle:
            signals[first + channel] = 1
    worms = min(worms_until(cycle - REPORT_CYCLES - discards.sum_cycles, discards), MAX_COUNTED)
    for bit in range(COUNT_BITS):
        signals[first + 2 * channels + bit] = worms >> bit & 1
