"""Hosts of a hypercube beside planes: injection and delivery of messages."""

# Names in capitals are offsets of planes, which the loop has as constants.
# ruff: noqa: F821
# pyright: reportUndefinedVariable=false

from sim_model.engines.cycle.deliveries import count_arrival
from sim_model.engines.cycle.hosts import free_injector, wake_host
from sim_model.engines.cycle.state import NONE
from sim_model.engines.plane.hosts import expect_host
from sim_model.engines.plane.state import ALIVE, CHANGED, DUE
from sim_model.hypercube.planes.layout import BIT_MASK, WORD_SHIFT
from sim_model.loops.bits import lowest_bit


def step_hosts(cycle, planes, state):
    """Step the hosts that are due by one cycle."""
    for position in range(planes.counters[DUE]):
        injector = planes.due[position]
        if state.hosts[injector].wake_cycle <= cycle:
            message = wake_host(cycle, injector, state)
            if message != NONE:
                inject(injector, message, planes, state)
                planes.awake[cycle + 1 & 1, injector // CHANNELS >> WORD_SHIFT] = 1
            expect_host(injector, cycle, planes, state)
    planes.counters[DUE] = 0


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


def free_injectors(cycle, word, row, planes, state):
    """Free the injectors whose tail has left."""
    places = places_of(vector_at(row, MOVED_TAIL))
    while places != 0:
        place = lowest_bit(places)
        places &= places - 1
        ended = row[MOVED_TAIL + place]
        while ended != 0:
            switch = word << WORD_SHIFT | lowest_bit(ended)
            ended &= ended - 1
            injector = switch * CHANNELS + place - FIRST_HOST
            free_injector(cycle, injector, state)
            expect_hosts_of(cycle, switch, planes, state)


def move_to_hosts(cycle, word, row, planes, state):
    """Move flits into processors. Returns the bits of these, and whether any other flit is on its way there."""
    arrived, tails = row[REGISTER], row[REGISTER_TAIL]
    row[REGISTER], row[REGISTER_TAIL] = row[DELIVERED], row[DELIVERED_TAIL]
    while tails != 0:
        switch = word << WORD_SHIFT | lowest_bit(tails)
        tails &= tails - 1
        count_arrival(cycle, switch, leave(planes.delivered[switch]), state)
        planes.counters[ALIVE] -= 1
        expect_hosts_of(cycle, switch, planes, state)
    return arrived, arrived | row[REGISTER]


def expect_hosts_of(cycle, switch, planes, state):
    """Schedule the hosts of a processor, whose messages may have been released."""
    for injector in range(switch * CHANNELS, (switch + 1) * CHANNELS):
        expect_host(injector, cycle, planes, state)
