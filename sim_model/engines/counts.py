"""Counts of each channel, in all engines, equal to those of the hardware (``rtl/generator/channel_counters.py``).

On a channel a cycle is a flit that moves, a stalled one (a flit waits in the output register for a place in the buffer
or stage behind it), a bubble (no flit, in the middle of a message), or idle, which is not counted. ``ChannelCounts`` is
the list of counts. The cycle engine counts cycles by ``events``, the plane engine those of 64 routers at a time, and
the worm engine the flits whose times it finds.
"""

import numpy as np

from sim_model.engines.cycle.state import CYCLE, NONE, EngineState
from sim_model.loops.bits import TAIL
from sim_model.loops.compiled import compiled
from topology.common.counter_bus import COUNTED, ChannelCounts

KINDS = len(COUNTED)
FLITS, STALLED_CYCLES, BUBBLES = range(KINDS)
"""Positions in a row of ``tallies``."""
IN_MESSAGE = KINDS
"""Position behind them: 1 between the moves of a head and of its tail."""


@compiled
def events(valid, ready, tail, in_message):
    """Return the events of a cycle: bits of one channel, or of those of 64 routers.

    Parameters:
        valid, ready, tail (int): A flit is in the output register, has room behind it, and is a tail.
        in_message (int): The cycle is after the move of a head, and not after that of its tail.

    Returns:
        tuple of int: 1 for each count that goes up, in the order of ``COUNTED``; and behind them ``in_message`` of the
            next cycle.
    """
    moves = valid & ready
    return moves, valid & ~ready, in_message & ~valid, moves & ~tail | in_message & ~moves


@compiled
def count_cycles(cycles, state):
    """Count a cycle that is about to run, or several equal ones in which nothing moves, from registers and buffers."""
    depth, has_stages = state.buffer_depth_flits, state.link_stages > 0
    for number in range(len(state.tallies)):
        channel, tally = state.channels[number], state.tallies[number]
        valid = state.vertices[channel.source].occupied >> channel.source_port & 1
        staged = has_stages and state.stages[number].last != 0
        full = state.stages[number].full & 1 if staged else (1 if channel.count == depth else 0)
        happens = events(valid, full ^ 1, channel.register & TAIL, tally[IN_MESSAGE])
        for kind in range(KINDS):
            tally[kind] += cycles * happens[kind]
        tally[IN_MESSAGE] = happens[IN_MESSAGE]


def counts_by_cycles(state: EngineState) -> ChannelCounts:
    """Return a copy of the counts so far in the cycle engine."""
    return ChannelCounts(*state.tallies[:, :KINDS].T.copy())


@compiled
def count_flits(number, flits, stalled_cycles, cycles, state):
    """Count flits of a worm that moved over a channel within some cycles, those before its head excluded."""
    tally = state.tallies[number]
    tally[FLITS] += flits
    tally[STALLED_CYCLES] += stalled_cycles
    tally[BUBBLES] += cycles - flits - stalled_cycles


@compiled
def count_flit(number, cycle, channel, state):
    """Count the flit of a worm in an output register, while the channel still holds the move of the flit before.

    It was loaded in cycle ``load_cycle`` and moves in ``cycle``: so it was stalled in all cycles between these two.
    """
    begun = channel.load_cycle if channel.head_last else channel.move_cycle
    count_flits(number, 1, cycle - channel.load_cycle - 1, cycle - begun, state)


def counts_by_worms(channels: np.recarray, state: EngineState) -> ChannelCounts:
    """Return the counts up to the next cycle to run; a flit that waits, or is waited for, is not in the tallies yet.

    Parameters:
        channels (records): ``WormState.channels``.
    """
    last = int(state.counters[CYCLE]) - 1
    waits = channels.loaded > channels.moved
    worm_flits = np.where(channels.sending == NONE, 0, state.jobs.flits[channels.sending])
    begun = (channels.unloaded > 0) & (channels.unloaded < worm_flits)
    bubbles = np.where(begun, last - channels.move_cycle, 0)
    bubbles[waits] = np.where(channels.head_last, 0, channels.load_cycle - channels.move_cycle)[waits]
    counts = counts_by_cycles(state)
    counts.stalled_cycles[waits] += last - channels.load_cycle[waits]
    return counts._replace(bubbles=counts.bubbles + bubbles)
