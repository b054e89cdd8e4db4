"""Receivers that stall: contents of the ejectors, and the cycles in which flits leave them.

The buffer of a channel into a processor is its ejector. Its ``count`` is such that it is full at the depth of all other
buffers, so links treat both alike.
"""

from sim_model.engines.cycle.endpoints import EJECTOR_FLITS, holds_back
from sim_model.engines.cycle.occupied_outputs import unblock
from sim_model.loops.compiled import compiled, compiled_apart


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
