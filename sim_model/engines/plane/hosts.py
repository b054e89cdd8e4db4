"""Hosts beside planes: injection and delivery of messages."""

# Offsets of planes are names that ``loop.py`` puts into the scope of these functions, as constants.
# ruff: noqa: F821
# pyright: reportUndefinedVariable=false

from sim_model.engines.hosts import count_arrival, free_injector, send_messages
from sim_model.engines.plane.layout import BIT_MASK, WORD_SHIFT
from sim_model.engines.plane.state import ALIVE, CHANGED
from sim_model.loops.bits import lowest_bit


def inject_messages(cycle, planes, state):
    """Step the hosts by one cycle, and load the heads of accepted messages into their injectors."""
    for position in range(send_messages(cycle, state)):
        host = state.senders[position]
        inject(host, state.hosts[host].sending, planes, state)
        planes.awake[cycle + 1 & 1, host >> WORD_SHIFT] = 1


def inject(host, message, planes, state):
    """Accept a message in an injector, and load its head."""
    planes.counters[ALIVE] += 1
    planes.counters[CHANGED] = 1
    word, bit = host >> WORD_SHIFT, planes.bit[host & BIT_MASK]
    behind = state.jobs[message].flits - 1
    row = planes.rows[word]
    row[INJECTOR_VALID] |= bit
    row[INJECTOR_LAST] = row[INJECTOR_LAST] & ~bit | (bit if behind == 0 else 0)
    for place in range(planes.unloaded.shape[1]):
        planes.unloaded[word, place] |= bit if behind >> place & 1 else 0
    join(planes.worms[HOST, host], message)


def move_to_and_from_hosts(cycle, word, row, planes, state):
    """Move flits out of injectors, which load the next ones, and into processors.

    Returns
    -------
    moved, ended, arrived : int
        Routers that a flit enters, that a tail enters, and whose processor a flit reaches.
    """
    moved = row[INJECTOR_VALID] & ~row[HELD + (planes.depth - 1) * SLOTS + HOST]
    ended = moved & row[INJECTOR_LAST]
    row[INJECTOR_VALID] &= ~ended
    less, left = moved & ~ended, 0
    for place in range(planes.unloaded.shape[1]):
        number = planes.unloaded[word, place]
        planes.unloaded[word, place] = number ^ less
        left |= number ^ less
        less &= ~number
    row[INJECTOR_LAST] = ~left
    arrived, tails = row[REGISTER], row[REGISTER_TAIL]
    row[REGISTER], row[REGISTER_TAIL] = row[DELIVERED], row[DELIVERED_TAIL]
    left = ended
    while left != 0:
        host = word << WORD_SHIFT | lowest_bit(left)
        left &= left - 1
        free_injector(cycle, host, state)
    while tails != 0:
        host = word << WORD_SHIFT | lowest_bit(tails)
        tails &= tails - 1
        count_arrival(cycle, host, leave(planes.worms[SLOTS, host]), state)
        planes.counters[ALIVE] -= 1
    return moved, ended, arrived
