"""Links: flits leave output registers for the buffer at the sink, or for the processor."""

from sim_model.common.engine.bits import INDEX_SHIFT, MESSAGE_SHIFT, NEXT_FLIT, TAIL, lowest_bit, message_of
from sim_model.common.engine.compiled import compiled
from sim_model.common.engine.deliveries import check_order, count_arrival
from sim_model.common.engine.hosts import free_injector
from sim_model.common.engine.sources import await_word
from sim_model.common.engine.stages import enter_stages, move_through_stages
from sim_model.common.engine.state import FLIT_HOPS, FLITS_IN_NETWORK


@compiled
def move_flits(cycle, state, trace, row):
    """One cycle of all links. Returns 0 only if no flit moved.

    An emptied register can be loaded again in the same cycle; the flit has been copied by then.
    """
    moved = _move_from_switches(cycle, state, trace, row) + _move_from_injectors(cycle, state, trace, row)
    state.counters[FLIT_HOPS] += moved
    if state.link_stages > 0:
        moved += move_through_stages(state, trace, row)
    return moved


@compiled
def _move_from_switches(cycle, state, trace, row):
    switches, depth, slot_mask = state.switches, state.buffer_depth_flits, state.slot_mask
    channels, slots, vertices = state.channels, state.slots, state.vertices
    counters = state.counters
    recording = row < len(trace.flits)
    has_stages = state.link_stages > 0
    kept = 1 if len(state.endpoints.receivers) > 0 else 0
    moved = 0
    ejected = 0
    for switch in range(switches):
        rest = vertices[switch].occupied & ~vertices[switch].blocked
        while rest != 0:
            port = lowest_bit(rest)
            rest &= rest - 1
            number = vertices[switch].first_output + port
            channel = channels[number]
            staged = has_stages and state.stages[number].last != 0
            if state.stages[number].full & 1 if staged else channel.count == depth:
                vertices[switch].blocked |= 1 << port
                continue
            moved += 1
            vertices[switch].occupied ^= 1 << port
            vertices[switch].awake = 1
            if recording:
                trace.flits[row, number] = channel.register
            if staged:
                enter_stages(number, channel, state)
            elif channel.sink < switches:
                slots[number, (channel.front + channel.count) & slot_mask] = channel.register
                channel.count += 1
                vertices[channel.sink].arrived |= channel.sink_bit
            else:
                ejected += 1
                channel.count += kept
                check_order(channel.register, channel, counters)
                if channel.register & TAIL:
                    count_arrival(cycle, channel.sink - switches, message_of(channel.register), state)
    counters[FLITS_IN_NETWORK] -= ejected
    return moved


@compiled
def _move_from_injectors(cycle, state, trace, row):
    """Like the switches, but the injector loads the next flit of its message at once."""
    switches, depth, slot_mask = state.switches, state.buffer_depth_flits, state.slot_mask
    channels, slots, vertices, jobs = state.channels, state.slots, state.vertices, state.jobs
    recording = row < len(trace.flits)
    pausing = len(state.endpoints.sources) > 0
    first_injection = vertices[switches].first_output  # channels are numbered by source, and processors come last
    moved = 0
    loaded = 0
    for vertex in range(switches, len(vertices)):
        rest = vertices[vertex].occupied & ~vertices[vertex].blocked
        while rest != 0:
            port = lowest_bit(rest)
            rest &= rest - 1
            number = vertices[vertex].first_output + port
            channel = channels[number]
            if channel.count == depth:
                vertices[vertex].blocked |= 1 << port
                continue
            moved += 1
            if recording:
                trace.flits[row, number] = channel.register
            slots[number, (channel.front + channel.count) & slot_mask] = channel.register
            channel.count += 1
            vertices[channel.sink].arrived |= channel.sink_bit
            if channel.register & TAIL:
                vertices[vertex].occupied ^= 1 << port
                free_injector(cycle, number - first_injection, state)
            else:
                channel.register = _following(channel.register, jobs)
                loaded += 1
                if pausing:
                    await_word(number - first_injection, state)
    state.counters[FLITS_IN_NETWORK] += loaded
    return moved


@compiled
def pop(number, bit, vertex, depth, channels, slots, vertices):
    """Take the first flit out of the buffer of channel ``number`` at ``vertex``, whose input has the mask ``bit``."""
    channel = channels[number]
    flit = slots[number, channel.front]
    channel.front = (channel.front + 1) & (slots.shape[1] - 1)
    if channel.count == depth:
        vertices[channel.source].blocked &= ~channel.source_bit
    channel.count -= 1
    if channel.count == 0:
        vertex.nonempty &= ~bit
    return flit


@compiled
def _following(flit, jobs):
    """The flit after one that is not a tail."""
    message = flit >> MESSAGE_SHIFT
    last = message << MESSAGE_SHIFT | (jobs[message].flits - 1) << INDEX_SHIFT
    following = flit + NEXT_FLIT
    return following | TAIL if following == last else following
