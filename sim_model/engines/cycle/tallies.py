"""Counts per channel, equal to those of the hardware's channel counters (``rtl/generator/channel_counters.py``)."""

from sim_model.loops.bits import TAIL, source_bit
from sim_model.loops.compiled import compiled


@compiled
def count_channels(state, cycles):
    """Count a cycle that is about to run, or several equal ones in which nothing moves that can move.

    On every channel a cycle is a flit that moves, a stalled one (a flit waits in the output register for a place in
    the buffer or stage behind it), a bubble (no flit, in the middle of a message), or idle, which is not counted.
    """
    depth, channels, vertices = state.buffer_depth_flits, state.channels, state.vertices
    has_stages = state.link_stages > 0
    for number in range(len(state.tallies)):
        channel, tally = channels[number], state.tallies[number]
        staged = has_stages and state.stages[number].last != 0
        if vertices[channel.source].occupied & source_bit(channel) == 0:
            tally.bubbles += cycles * tally.in_message
        elif state.stages[number].full & 1 if staged else channel.count == depth:
            tally.stalled_cycles += cycles
        else:
            tally.flits += cycles
            if cycles:
                tally.in_message = 0 if channel.register & TAIL else 1
