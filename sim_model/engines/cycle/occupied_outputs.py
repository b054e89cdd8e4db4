"""Output registers whose flits may move in the next cycle: lists of channels, one for each role.

A register whose flit has no room is on no list until there is room. So the cost of a cycle grows with the moving flits,
not with the network. Each role has a loop of its own without branches for the role.
"""

from sim_model.loops.bits import enter, source_bit
from sim_model.loops.compiled import compiled

# Roles of channels.
BETWEEN_SWITCHES, FROM_PROCESSOR, INTO_PROCESSOR = 0, 1, 2
ROLES = 3


@compiled
def load_register(number, flit, state):
    """Load a flit into the output register of a channel, which the caller marks as occupied."""
    channel = state.channels[number]
    channel.register = flit
    _append(number, channel, state)


@compiled
def await_move(number, state):
    """List a channel whose output register has been filled, or has room behind it again."""
    _append(number, state.channels[number], state)


@compiled
def unblock(number, channel, state):
    """List a channel whose flit waited for the room that has become free behind its output register."""
    source = state.vertices[channel.source]
    if source.blocked & source_bit(channel):
        source.blocked ^= source_bit(channel)
        _append(number, channel, state)


@compiled
def _append(number, channel, state):
    enter(state.movers[channel.role], state.mover_counts[channel.role], number)
    state.mover_counts[channel.role] += 1
