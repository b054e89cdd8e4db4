"""Counts per channel of flits, stalled cycles and bubbles, from the times of flits (``engines/cycle/tallies.py``).

A flit that is loaded in cycle u is in the output register from u + 1 on; if it moves in t, it was stalled in t - u - 1
cycles. The other cycles between the moves of a head and of its tail are bubbles.
"""

import numpy as np

from sim_model.engines.cycle.state import CYCLE, NONE, EngineState
from sim_model.engines.worm.state import WormState
from sim_model.loops.compiled import compiled


@compiled
def count_flits(number, flits, stalled_cycles, cycles, state):
    """Count flits of a worm that moved over a channel within some cycles, those before its head excluded."""
    tally = state.tallies[number]
    tally.flits += flits
    tally.stalled_cycles += stalled_cycles
    tally.bubbles += cycles - flits - stalled_cycles


@compiled
def count_flit(number, cycle, channel, state):
    """Count the flit in an output register, which moves while the channel still holds the move of the one before."""
    begun = channel.load_cycle if channel.head_last else channel.move_cycle
    count_flits(number, 1, cycle - channel.load_cycle - 1, cycle - begun, state)


def counts_so_far(worms: WormState, state: EngineState) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return flits, stalled cycles and bubbles by channel, int64[channels] each, up to the next cycle to run.

    A flit that waits, or is waited for, has not been counted.
    """
    channels, tallies = worms.channels, state.tallies
    last = int(state.counters[CYCLE]) - 1
    waits = channels.loaded > channels.moved
    stalled_cycles = np.where(waits, last - channels.load_cycle, 0)
    worm_flits = np.where(channels.sending == NONE, 0, state.jobs.flits[channels.sending])
    begun = (channels.unloaded > 0) & (channels.unloaded < worm_flits)
    bubbles = np.where(begun, last - channels.move_cycle, 0)
    bubbles[waits] = np.where(channels.head_last, 0, channels.load_cycle - channels.move_cycle)[waits]
    return tallies.flits.copy(), tallies.stalled_cycles + stalled_cycles, tallies.bubbles + bubbles
