"""Register stages on links between switches (docs/look_up/timing.md): buffers of two flits with a registered ``ready``.

The flits on a link form one queue, whose first ones are in the buffer of the sink. So a flit is written once, and only
two masks with a bit per stage change: whether it holds a flit, and whether it is full.
"""

from sim_model.engines.cycle.occupied_outputs import unblock
from sim_model.engines.cycle.wakeups import wake
from sim_model.loops.bits import lowest_bit, sink_bit
from sim_model.loops.compiled import compiled


@compiled
def enter_stages(number, channel, state):
    """Move a flit from the output register of a channel into the first register stage."""
    link = state.stages[number]
    state.slots[number, (channel.front + channel.count + link.flits) & state.slot_mask] = channel.register
    link.flits += 1
    link.entering = 1
    state.staged_inputs[channel.sink] |= sink_bit(channel)


@compiled
def move_through_stages(cycle, state, trace, row):
    """Step all register stages by one cycle, after the output registers. Returns the number of links with a move."""
    changes = 0
    for switch in range(state.switches):
        rest = state.staged_inputs[switch]
        while rest != 0:
            port = lowest_bit(rest)
            rest &= rest - 1
            changes += _move_on_link(cycle, state.input_channel[switch, port], state, trace, row)
    return changes


@compiled
def _move_on_link(cycle, number, state, trace, row):
    """Step the register stages of a link by one cycle, all from their state at its start."""
    link, channel = state.stages[number], state.channels[number]
    last = link.last
    stalled = link.full >> 1 | (last if channel.count == state.buffer_depth_flits else 0)
    leaving = link.holding & ~stalled
    entering = (leaving & ~last) << 1 | link.entering
    link.entering = 0
    if leaving | entering == 0:
        return 0
    if leaving & link.full & 1:
        unblock(number, channel, state)
    if row < len(trace.flits):
        _record(number, leaving, state, trace, row)
    held = link.holding
    link.holding = held & ~leaving | link.full | entering
    link.full = (link.full | held & entering) & ~leaving
    if leaving & last:
        _arrive(cycle, link, channel, state)
    return 1


@compiled
def _arrive(cycle, link, channel, state):
    """Move a flit from the last register stage into the buffer."""
    sink = state.vertices[channel.sink]
    link.flits -= 1
    channel.count += 1
    sink.arrived |= sink_bit(channel)
    wake(channel.sink, cycle, state.alarms)
    if link.flits == 0:
        state.staged_inputs[channel.sink] &= ~sink_bit(channel)


@compiled
def _record(number, leaving, state, trace, row):
    """Write the flits that leave stages of a link into a recording, before they do."""
    link, channel = state.stages[number], state.channels[number]
    position = channel.front + channel.count
    for stage in range(state.link_stages - 1, -1, -1):
        if leaving >> stage & 1:
            trace.flits[row, link.first_hop + stage] = state.slots[number, position & state.slot_mask]
        position += (link.holding >> stage & 1) + (link.full >> stage & 1)
