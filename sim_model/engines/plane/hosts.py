"""Hosts beside planes: injection and delivery of messages."""

from sim_model.engines.hosts import count_arrival, free_injector, send_messages
from sim_model.engines.plane.layout import BIT_MASK, WORD_SHIFT, PlaneLayout
from sim_model.engines.plane.lines import join, leave
from sim_model.engines.plane.state import ALIVE, CHANGED
from sim_model.loops.bits import lowest_bit
from sim_model.loops.compiled import compiled


@compiled
def inject_messages(cycle, planes, state, at: PlaneLayout):
    """Step the hosts by one cycle, and load the heads of accepted messages into their injectors."""
    for position in range(send_messages(cycle, state)):
        host = state.senders[position]
        inject(host, state.hosts[host].sending, planes, state, at)
        planes.awake[cycle + 1 & 1, host >> WORD_SHIFT] = 1


@compiled
def inject(host, message, planes, state, at: PlaneLayout):
    """Accept a message in an injector, and load its head."""
    planes.counters[ALIVE] += 1
    planes.counters[CHANGED] = 1
    word, bit = host >> WORD_SHIFT, planes.bit[host & BIT_MASK]
    behind = state.jobs[message].flits - 1
    row = planes.rows[word]
    row[at.INJECTOR_VALID + at.HOST] |= bit
    row[at.INJECTOR_LAST + at.HOST] = row[at.INJECTOR_LAST + at.HOST] & ~bit | (bit if behind == 0 else 0)
    for place in range(planes.unloaded.shape[1]):
        planes.unloaded[word, place] |= bit if behind >> place & 1 else 0
    join(planes.worms[at.HOST, host], message)


@compiled
def move_to_and_from_hosts(cycle, word, row, planes, state, at: PlaneLayout):
    """Move flits out of injectors, which load the next ones, and into processors.

    Returns:
        moved, ended, arrived : int: Routers that a flit enters, that a tail enters, and whose processor a flit reaches.
    """
    moved = row[at.INJECTOR_VALID + at.HOST] & ~row[at.HELD + (planes.depth - 1) * at.SLOTS + at.HOST]
    ended = moved & row[at.INJECTOR_LAST + at.HOST]
    row[at.INJECTOR_VALID + at.HOST] &= ~ended
    less, left = moved & ~ended, 0
    for place in range(planes.unloaded.shape[1]):
        number = planes.unloaded[word, place]
        planes.unloaded[word, place] = number ^ less
        left |= number ^ less
        less &= ~number
    row[at.INJECTOR_LAST + at.HOST] = ~left
    arrived, tails = row[at.REGISTER], row[at.REGISTER_TAIL]
    row[at.REGISTER], row[at.REGISTER_TAIL] = row[at.DELIVERED], row[at.DELIVERED_TAIL]
    left = ended
    while left != 0:
        host = word << WORD_SHIFT | lowest_bit(left)
        left &= left - 1
        free_injector(cycle, host, state)
    while tails != 0:
        host = word << WORD_SHIFT | lowest_bit(tails)
        tails &= tails - 1
        count_arrival(cycle, host, leave(planes.worms[at.SLOTS, host]), state)
        planes.counters[ALIVE] -= 1
    return moved, ended, arrived
