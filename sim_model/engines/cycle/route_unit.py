"""The route unit of a router: reads one header flit per cycle and turns headers into requests."""

from sim_model.engines.cycle.discards import discard
from sim_model.engines.cycle.state import NONE
from sim_model.loops.bits import first_at_or_after, lowest_bit, message_of
from sim_model.loops.compiled import compiled
from sim_model.loops.lookups import candidates_of, ports_to


@compiled
def scan_header(cycle, switch, waiting, state, routing):
    """Step the route unit of a router by one cycle.

    Parameters:
        waiting (int): Mask of the inputs that have a flit, old or arriving, and are neither queued nor active; not 0.

    Returns:
        changes (int): Registers that changed; 0 only if nothing did.
        complete (int): Input whose request is complete and has to be queued at the end of this cycle, or NONE.
    """
    eligible, delayed = _eligible(switch, waiting, state, routing)
    if eligible == 0:
        return delayed, NONE
    port = first_at_or_after(eligible, routing.routers[switch].turn)
    routing.routers[switch].turn = port + 1 if port + 1 < state.vertices[switch].inputs else 0
    number = state.input_channel[switch, port]
    message = message_of(state.slots[number, state.channels[number].front])
    if look_at_flit(switch, number, message, state, routing):
        if routing.inputs[number].request == 0:
            discard(cycle, number, routing.discards)
        return delayed + 1, port
    return delayed + 1, NONE


@compiled
def _eligible(switch, waiting, state, routing):
    """Return the mask of the inputs that may use the route unit, and the number of delays that counted."""
    full_delay = max(routing.tables.routing_cycles - 2, 0)
    # Flits that arrive in this very cycle count only with look-ahead.
    hidden = 0 if routing.tables.routing_cycles == 1 else state.vertices[switch].arrived
    eligible = 0
    delayed = 0
    rest = waiting
    while rest != 0:
        port = lowest_bit(rest)
        rest &= rest - 1
        number = state.input_channel[switch, port]
        header = routing.inputs[number]
        present = state.channels[number].count - (hidden >> port & 1)
        if header.scanned == 0 and header.delay < full_delay:
            if present > 0:
                header.delay += 1
                delayed += 1
        elif header.scanned < present:
            eligible |= 1 << port
    return eligible, delayed


@compiled
def look_at_flit(switch, number, message, state, routing):
    """Read the next header flit of the message at an input channel. Returns whether its request is complete."""
    header, tables = routing.inputs[number], routing.tables
    flit_number = header.scanned
    header.scanned = flit_number + 1
    if flit_number < tables.key_flits - 1:
        return False
    if flit_number == tables.key_flits - 1:
        candidates = candidates_of(tables.routes, switch, tables.key[message], header.channel_class)
        if candidates != 0:
            header.request = _choose(switch, candidates, state, routing)
            return True
        if not tables.first_multicast_key <= tables.key[message] < tables.end_multicast_key:
            return True  # without any output
        header.cursor = state.jobs[message].first_destination
    if tables.part_processors == 0:
        first_beyond = (flit_number + 1) * tables.flit_bits - tables.fixed_bits
        _add_reached(switch, header, message, first_beyond, state, routing)
        return flit_number == tables.multicast_flits - 1
    if flit_number < tables.unicast_flits:
        return False
    _add_reached(switch, header, message, _end_of_part(header.cursor, state, tables), state, routing)
    return header.cursor == state.jobs[message].end_destination


@compiled
def _choose(switch, candidates, state, routing):
    """Return the selected output as a mask: the lowest one without a request, or else the lowest (search phase)."""
    requested = routing.routers[switch].owned
    rest = routing.routers[switch].queued
    while rest != 0:
        requested |= routing.inputs[state.input_channel[switch, lowest_bit(rest)]].request
        rest &= rest - 1
    free = candidates & ~requested
    mask = free if free != 0 else candidates
    return mask & -mask


@compiled
def _end_of_part(position, state, tables):
    """Return the processor behind the last one of the part that contains the next destination."""
    size = tables.part_processors
    return (state.deliveries[position].destination // size + 1) * size


@compiled
def _add_reached(switch, header, message, first_beyond, state, routing):
    """Split phase: add the outputs that lead to the destinations named in a flit, from the cursor to a processor."""
    tables = routing.tables
    position = header.cursor
    end = state.jobs[message].end_destination
    outputs = 0
    while position < end and state.deliveries[position].destination < first_beyond:
        outputs |= ports_to(tables.reach_ports, switch, state.deliveries[position].destination)
        position += 1
    header.cursor = position
    header.request |= outputs


@compiled
def forget_header(header):
    """Reset the header state of an input after its tail has been copied: the next flit is a head."""
    header.request = 0
    header.scanned = 0
    header.delay = 0


@compiled
def end_cycle(vertex):
    """Add the inputs in which flits arrived to the nonempty ones, at the end of a cycle."""
    vertex.nonempty |= vertex.arrived
    vertex.arrived = 0
