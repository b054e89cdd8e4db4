"""Hosts of a hypercube beside planes: injection and delivery of messages."""

from sim_model.engines.hosts import count_arrival, free_injector, send_messages
from sim_model.engines.plane.lines import join, leave
from sim_model.engines.plane.state import ALIVE, CHANGED
from sim_model.hypercube.planes.layout import BIT_MASK, WORD_SHIFT, CubeLayout
from sim_model.loops.bits import lowest_bit
from sim_model.loops.compiled import compiled


@compiled
def inject_messages(cycle, planes, state, at: CubeLayout):
    """Step the hosts by one cycle, and load the heads of accepted messages into their injectors."""
    for position in range(send_messages(cycle, state)):
        injector = state.senders[position]
        inject(injector, state.hosts[injector].sending, planes, state, at)
        planes.awake[cycle + 1 & 1, injector // at.CHANNELS >> WORD_SHIFT] = 1


@compiled
def inject(injector, message, planes, state, at: CubeLayout):
    """Accept a message in an injector, and load its head."""
    planes.counters[ALIVE] += 1
    planes.counters[CHANGED] = 1
    switch = injector // at.CHANNELS
    place = at.FIRST_HOST + injector - switch * at.CHANNELS
    word, bit = switch >> WORD_SHIFT, planes.bit[switch & BIT_MASK]
    behind = state.jobs[message].flits - 1
    row, unloaded = planes.rows[word], planes.unloaded[word]
    row[at.INJECTOR_VALID + place] |= bit
    row[at.INJECTOR_LAST + place] = row[at.INJECTOR_LAST + place] & ~bit | (bit if behind == 0 else 0)
    for weight in range(len(unloaded) // at.WIDTH):
        unloaded[weight * at.WIDTH + place] |= bit if behind >> weight & 1 else 0
    join(planes.injected[injector], message)


@compiled
def move_from_injectors(row, unloaded, depth, at: CubeLayout):
    """Move flits out of injectors, which load the next ones."""
    valid = at.vector_at(row, at.INJECTOR_VALID)
    moved = valid & ~at.vector_at(row, at.HELD + (depth - 1) * at.WIDTH)
    ended = moved & at.vector_at(row, at.INJECTOR_LAST)
    at.put(row, at.MOVED, moved)
    at.put(row, at.MOVED_TAIL, ended)
    at.put(row, at.INJECTOR_VALID, valid & ~ended)
    less, left = moved & ~ended, at.splat(0)
    for place in range(0, len(unloaded), at.WIDTH):
        number = at.vector_at(unloaded, place)
        at.put(unloaded, place, number ^ less)
        left = left | number ^ less
        less = less & ~number
    at.put(row, at.INJECTOR_LAST, ~left)
    return moved


@compiled
def free_injectors(cycle, word, row, state, at: CubeLayout):
    """Free the injectors whose tail has left."""
    places = at.places_of(at.vector_at(row, at.MOVED_TAIL))
    while places != 0:
        place = lowest_bit(places)
        places &= places - 1
        ended = row[at.MOVED_TAIL + place]
        while ended != 0:
            switch = word << WORD_SHIFT | lowest_bit(ended)
            ended &= ended - 1
            free_injector(cycle, switch * at.CHANNELS + place - at.FIRST_HOST, state)


@compiled
def move_to_hosts(cycle, word, row, planes, state, at: CubeLayout):
    """Move flits into processors. Returns the bits of these, and whether any other flit is on its way there."""
    arrived, tails = row[at.REGISTER], row[at.REGISTER_TAIL]
    row[at.REGISTER], row[at.REGISTER_TAIL] = row[at.DELIVERED], row[at.DELIVERED_TAIL]
    while tails != 0:
        switch = word << WORD_SHIFT | lowest_bit(tails)
        tails &= tails - 1
        count_arrival(cycle, switch, leave(planes.delivered[switch]), state)
        planes.counters[ALIVE] -= 1
    return arrived, arrived | row[at.REGISTER]
