"""Output registers whose flits may move in the next cycle: lists of channels, one for each role.

A register whose flit found no room is on no list; it comes back when there is room. So a cycle costs what moves in it,
and not what the network has, and each role has a loop of its own that asks nothing which the role decides.
"""

from sim_model.loops.bits import source_bit
from sim_model.loops.compiled import compiled
from sim_model.loops.lists import enter

# Roles of channels.
BETWEEN_SWITCHES, FROM_PROCESSOR, INTO_PROCESSOR = 0, 1, 2
ROLES = 3


@compiled
def load_register(number, flit, state):
    """A flit goes into the output register of a channel, which the caller marks as occupied."""
    channel = state.channels[number]
    channel.register = flit
    _append(number, channel, state)


@compiled
def await_move(number, state):
    """The flit in the output register of a channel, which was not there or had no room, may move."""
    _append(number, state.channels[number], state)


@compiled
def unblock(number, channel, state):
    """There is room again behind an output register; if a flit waits for it, that may move."""
    source = state.vertices[channel.source]
    if source.blocked & source_bit(channel):
        source.blocked ^= source_bit(channel)
        _append(number, channel, state)


@compiled
def _append(number, channel, state):
    enter(state.movers[channel.role], state.mover_counts[channel.role], number)
    state.mover_counts[channel.role] += 1
