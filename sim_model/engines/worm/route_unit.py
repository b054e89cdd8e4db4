"""The route unit of a router, which runs only in cycles with a header flit to read."""

from sim_model.engines.calendar import postpone, schedule
from sim_model.engines.cycle.discards import discard
from sim_model.engines.cycle.occupied_outputs import INTO_PROCESSOR
from sim_model.engines.cycle.route_unit import look_at_flit
from sim_model.engines.cycle.state import NEVER, NONE
from sim_model.engines.worm.state import ALIVE, CHANNEL_KINDS, LAST_CHANGE, READY
from sim_model.loops.bits import first_at_or_after, lowest_bit, sink_bit
from sim_model.loops.compiled import compiled

NEVER_ALL = 1 << 32  # heads of a message of which one is unroutable


@compiled
def scan_header(cycle, switch, worms, state, family):
    """Step a route unit by one cycle. Returns the input whose request becomes complete, or NONE."""
    eligible = 0
    rest = worms.ready[switch]
    while rest != 0:
        port = lowest_bit(rest)
        rest &= rest - 1
        if worms.ready_cycle[state.input_channel[switch, port]] <= cycle:
            eligible |= 1 << port
    if eligible == 0:
        return NONE
    worms.counters[LAST_CHANGE] = cycle
    port = first_at_or_after(eligible, family.routers[switch].turn)
    family.routers[switch].turn = port + 1 if port + 1 < state.vertices[switch].inputs else 0
    if eligible & (eligible - 1):
        postpone(CHANNEL_KINDS * len(worms.channels) + switch, cycle + 1, state.calendar)
    number = state.input_channel[switch, port]
    worms.ready[switch] ^= 1 << port
    worms.ready_cycle[number] = NEVER
    if not look_at_flit(switch, number, worms.channels[number].front, state, family):
        await_header_flit(number, cycle + 1, worms, state, family)
        return NONE
    request, message = family.inputs[number].request, worms.channels[number].front
    if request == 0:
        discard(cycle, number, family.discards)
        worms.heads[message] += NEVER_ALL
    while request & (request - 1):
        request &= request - 1
        worms.counters[ALIVE] += 1
        worms.heads[message] += 1
    return port


@compiled
def await_header_flit(number, earliest, worms, state, family):
    """Schedule the next header flit of an input for the route unit, on arrival but not before a cycle."""
    channel = worms.channels[number]
    flit = channel.front_begin + family.inputs[number].scanned
    if flit >= channel.moved:
        channel.awaited = flit
    else:
        seen = worms.moves[number, flit & worms.mask] + channel.later_cycles + _hidden(family)
        _set_ready(number, max(earliest, seen), worms, state, family)


@compiled
def header_flit_moves(number, cycle, worms, state, family):
    """Pass the awaited header flit, which moves into the buffer, to the route unit."""
    worms.channels[number].awaited = NONE
    _set_ready(number, cycle + _hidden(family), worms, state, family)


@compiled
def _hidden(family):
    """Return the delay until an arriving flit is visible: 0 with look-ahead, else 1."""
    return 0 if family.tables.routing_cycles == 1 else 1


@compiled
def _set_ready(number, cycle, worms, state, family):
    if family.inputs[number].scanned == 0:
        cycle += max(family.tables.routing_cycles - 2, 0)
    worms.ready_cycle[number] = cycle
    channel = state.channels[number]
    worms.ready[channel.sink] |= sink_bit(channel)
    schedule(READY * len(worms.channels) + number, cycle, state.calendar)


@compiled
def next_worm(number, earliest, worms, state, family):
    """Advance to the next worm in a buffer, which is visible from a cycle on."""
    channel = worms.channels[number]
    channel.copying = 0
    channel.granted = 0
    channel.front = NONE
    if channel.first_in_line != channel.end_of_line:
        _come_to_front(number, earliest, worms, state, family)


@compiled
def send_worm(number, message, worms, state, family):
    """Start a worm on a channel, and append it to the queue of the buffer."""
    channel = worms.channels[number]
    channel.sending = message
    channel.unloaded = state.jobs[message].flits
    if state.channels[number].role == INTO_PROCESSOR:
        worms.heads[message] -= 1
        return
    worms.line[number, channel.end_of_line & worms.mask] = message
    channel.end_of_line += 1
    if channel.front == NONE:
        _come_to_front(number, 0, worms, state, family)


@compiled
def _come_to_front(number, earliest, worms, state, family):
    channel = worms.channels[number]
    message = worms.line[number, channel.first_in_line & worms.mask]
    channel.first_in_line += 1
    channel.front = message
    channel.front_begin = channel.popped
    channel.front_end = channel.popped + state.jobs[message].flits
    await_header_flit(number, earliest, worms, state, family)
