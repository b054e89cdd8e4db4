"""Hosts of a hypercube beside planes: injection and delivery of messages."""

# Names in capitals are offsets of planes, which the loop has as constants.
# ruff: noqa: F821
# pyright: reportUndefinedVariable=false

from sim_model.engines.hosts import count_arrival, free_injector, send_messages
from sim_model.engines.plane.state import ALIVE, CHANGED
from sim_model.hypercube.planes.layout import BIT_MASK, WORD_SHIFT
from sim_model.loops.bits import lowest_bit


def inject_messages(cycle, planes, state):
    """Step the hosts by one cycle, and load the heads of accepted messages into their injectors."""
    for position in range(send_messages(cycle, state)):
        injector = state.senders[position]
        inject(injector, state.hosts[injector].sending, planes, state)
        planes.awake[cycle + 1 & 1, injector // CHANNELS >> WORD_SHIFT] = 1


def inject(injector, message, planes, state):
    """Accept a message in an injector, and load its head."""
    planes.counters[ALIVE] += 1
    planes.counters[CHANGED] = 1
    switch = injector // CHANNELS
    place = FIRST_HOST + injector - switch * CHANNELS
    word, bit = switch >> WORD_SHIFT, planes.bit[switch & BIT_MASK]
    behind = state.jobs[message].flits - 1
    row, unloaded = planes.rows[word], planes.unloaded[word]
    row[INJECTOR_VALID + place] |= bit
    row[INJECTOR_LAST + place] = row[INJECTOR_LAST + place] & ~bit | (bit if behind == 0 else 0)
    for weight in range(len(unloaded) // WIDTH):
        unloaded[weight * WIDTH + place] |= bit if behind >> weight & 1 else 0
    join(planes.injected[injector], message)


def move_from_injectors(row, unloaded, depth):
    """Move flits out of injectors, which load the next ones."""
    valid = vector_at(row, INJECTOR_VALID)
    moved = valid & ~vector_at(row, HELD + (depth - 1) * WIDTH)
    ended = moved & vector_at(row, INJECTOR_LAST)
    put(row, MOVED, moved)
    put(row, MOVED_TAIL, ended)
    put(row, INJECTOR_VALID, valid & ~ended)
    less, left = moved & ~ended, splat(0)
    for place in range(0, len(unloaded), WIDTH):
        number = vector_at(unloaded, place)
        put(unloaded, place, number ^ less)
        left = left | number ^ less
        less = less & ~number
    put(row, INJECTOR_LAST, ~left)
    return moved


def free_injectors(cycle, word, row, state):
    """Free the injectors whose tail has left."""
    places = places_of(vector_at(row, MOVED_TAIL))
    while places != 0:
        place = lowest_bit(places)
        places &= places - 1
        ended = row[MOVED_TAIL + place]
        while ended != 0:
            switch = word << WORD_SHIFT | lowest_bit(ended)
            ended &= ended - 1
            free_injector(cycle, switch * CHANNELS + place - FIRST_HOST, state)


def move_to_hosts(cycle, word, row, planes, state):
    """Move flits into processors. Returns the bits of these, and whether any other flit is on its way there."""
    arrived, tails = row[REGISTER], row[REGISTER_TAIL]
    row[REGISTER], row[REGISTER_TAIL] = row[DELIVERED], row[DELIVERED_TAIL]
    while tails != 0:
        switch = word << WORD_SHIFT | lowest_bit(tails)
        tails &= tails - 1
        count_arrival(cycle, switch, leave(planes.delivered[switch]), state)
        planes.counters[ALIVE] -= 1
    return arrived, arrived | row[REGISTER]
