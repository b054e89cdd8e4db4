"""Links: flits leave output registers for the buffer at the sink, or for the processor."""

from sim_model.engines.cycle.endpoints import await_word
from sim_model.engines.cycle.occupied_outputs import (
    BETWEEN_SWITCHES,
    FROM_PROCESSOR,
    INTO_PROCESSOR,
    load_register,
    unblock,
)
from sim_model.engines.cycle.stages import enter_stages, move_through_stages
from sim_model.engines.cycle.state import DISORDERED, FLIT_HOPS, FLITS_IN_NETWORK, NONE
from sim_model.engines.cycle.wakeups import ROW_MASK, ROW_SHIFT, wake
from sim_model.engines.hosts import count_arrival, free_injector, send_messages
from sim_model.loops.bits import INDEX_SHIFT, MESSAGE_SHIFT, NEXT_FLIT, TAIL, index_of, message_of, sink_bit, source_bit
from sim_model.loops.compiled import compiled


@compiled
def move_flits(cycle, state, trace, row):
    """Move flits on all links for one cycle. Returns 0 only if no flit moved.

    An emptied register can be loaded again in the same cycle; the flit has been copied by then.
    """
    moved = _move_between_switches(cycle, state, trace, row)
    moved += _move_from_processors(cycle, state, trace, row)
    moved += _move_into_processors(cycle, state, trace, row)
    state.counters[FLIT_HOPS] += moved
    if state.link_stages > 0:
        moved += move_through_stages(cycle, state, trace, row)
    return moved


@compiled
def _move_between_switches(cycle, state, trace, row):
    """Move flits into the buffers at their sinks, or into the first register stages of links that have some."""
    depth, channels, vertices = state.buffer_depth_flits, state.channels, state.vertices
    recording = row < len(trace.flits)
    has_stages, waking = state.link_stages > 0, state.registers_wake
    movers, waiting = state.movers[BETWEEN_SWITCHES], state.mover_counts[BETWEEN_SWITCHES]
    state.mover_counts[BETWEEN_SWITCHES] = 0
    moved = waiting
    for position in range(waiting):
        number = movers[position]
        channel = channels[number]
        source = vertices[channel.source]
        staged = has_stages and state.stages[number].last != 0
        if state.stages[number].full & 1 if staged else channel.count == depth:
            source.blocked |= source_bit(channel)
            moved -= 1
            continue
        source.occupied ^= source_bit(channel)
        if waking:
            wake(channel.source, cycle, state.alarms)
        if recording:
            trace.flits[row, number] = channel.register
        if staged:
            enter_stages(number, channel, state)
        else:
            _enter_buffer(cycle, number, channel, state)
    return moved


@compiled
def _move_from_processors(cycle, state, trace, row):
    """Move flits out of injectors, which load the next flits of their messages at once."""
    depth, channels, vertices = state.buffer_depth_flits, state.channels, state.vertices
    recording = row < len(trace.flits)
    pausing = len(state.endpoints.sources) > 0
    first_injection = vertices[state.switches].first_output  # channels are numbered by source, and processors come last
    movers, waiting = state.movers[FROM_PROCESSOR], state.mover_counts[FROM_PROCESSOR]
    kept = 0
    moved = waiting
    loaded = 0
    for position in range(waiting):
        number = movers[position]
        channel = channels[number]
        source = vertices[channel.source]
        if channel.count == depth:
            source.blocked |= source_bit(channel)
            moved -= 1
            continue
        if recording:
            trace.flits[row, number] = channel.register
        _enter_buffer(cycle, number, channel, state)
        if channel.register & TAIL:
            source.occupied ^= source_bit(channel)
            free_injector(cycle, number - first_injection, state)
            continue
        channel.register = _following(channel.register, state.jobs)
        loaded += 1
        if pausing:
            await_word(number - first_injection, state)
            if source.occupied & source_bit(channel) == 0:
                continue
        movers[kept] = number
        kept += 1
    state.mover_counts[FROM_PROCESSOR] = kept
    state.counters[FLITS_IN_NETWORK] += loaded
    return moved


@compiled
def _move_into_processors(cycle, state, trace, row):
    """Move flits into processors, through ejectors if receivers can stall."""
    depth, channels, vertices = state.buffer_depth_flits, state.channels, state.vertices
    recording = row < len(trace.flits)
    kept = 1 if len(state.endpoints.receivers) > 0 else 0
    movers, waiting = state.movers[INTO_PROCESSOR], state.mover_counts[INTO_PROCESSOR]
    state.mover_counts[INTO_PROCESSOR] = 0
    moved = waiting
    for position in range(waiting):
        number = movers[position]
        channel = channels[number]
        source = vertices[channel.source]
        if channel.count == depth:
            source.blocked |= source_bit(channel)
            moved -= 1
            continue
        source.occupied ^= source_bit(channel)
        if recording:
            trace.flits[row, number] = channel.register
        wake(channel.source, cycle, state.alarms)
        channel.count += kept
        _check_order(channel.register, channel, state.counters)
        if channel.register & TAIL:
            count_arrival(cycle, channel.sink - state.switches, message_of(channel.register), state)
    state.counters[FLITS_IN_NETWORK] -= moved
    return moved


@compiled
def _check_order(flit, channel, counters):
    """Check that a flit that moves into a processor is the next one of its message."""
    body = flit & ~TAIL
    if body != channel.expected and (channel.expected >= 0 or index_of(flit) != 0):
        counters[DISORDERED] += 1
    channel.expected = NONE - 1 - body if flit & TAIL else body + NEXT_FLIT


@compiled
def load_heads(cycle, state, trace, row):
    """Step the hosts, and load the heads of accepted messages into their injectors. Returns how many."""
    accepted = send_messages(cycle, state)
    for position in range(accepted):
        injector = state.senders[position]
        number, message = state.hosts[injector].channel, state.hosts[injector].sending
        channel = state.channels[number]
        tail = TAIL if state.jobs[message].flits == 1 else 0
        state.vertices[channel.source].occupied |= source_bit(channel)
        load_register(number, message << MESSAGE_SHIFT | tail, state)
        state.counters[FLITS_IN_NETWORK] += 1
        if row < len(trace.accepted_message):
            trace.accepted_message[row, injector] = message
    return accepted


@compiled
def _enter_buffer(cycle, number, channel, state):
    """Store the flit in the output register of a channel in the buffer at its sink."""
    state.slots[number, (channel.front + channel.count) & state.slot_mask] = channel.register
    channel.count += 1
    _note_arrival(cycle, channel, state.arrivals, state)


@compiled
def _note_arrival(cycle, channel, rows, state):
    """Mark the arrival of a flit at an input of a switch. The compiler drops the other branch."""
    if rows is None:
        state.vertices[channel.sink].arrived |= sink_bit(channel)
        wake(channel.sink, cycle, state.alarms)
    else:
        place = (channel.sink >> ROW_SHIFT) * rows.row_words + (channel.sink & ROW_MASK)
        rows.words[place] |= sink_bit(channel)


@compiled
def pop(number, bit, vertex, state):
    """Take the first flit out of the buffer of channel ``number`` at ``vertex``, whose input has the mask ``bit``."""
    flit = take_first(number, state)
    # in any case: whether it is so cannot be foreseen
    vertex.nonempty &= ~(bit if state.channels[number].count == 0 else 0)
    return flit


@compiled
def take_first(number, state):
    """Take the first flit out of the buffer of a channel; the caller updates whether more are left."""
    channel = state.channels[number]
    flit = state.slots[number, channel.front]
    channel.front = (channel.front + 1) & state.slot_mask
    if channel.count == state.buffer_depth_flits:
        unblock(number, channel, state)
    channel.count -= 1
    return flit


@compiled
def _following(flit, jobs):
    """Return the flit after one that is not a tail."""
    message = flit >> MESSAGE_SHIFT
    last = message << MESSAGE_SHIFT | (jobs[message].flits - 1) << INDEX_SHIFT
    following = flit + NEXT_FLIT
    return following | TAIL if following == last else following
