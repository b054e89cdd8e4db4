"""Hosts beside planes: injection and delivery of messages."""

# Offsets of planes are names that ``loop.py`` puts into the scope of these functions, as constants.
# ruff: noqa: F821
# pyright: reportUndefinedVariable=false

from sim_model.engines.cycle.deliveries import count_arrival
from sim_model.engines.cycle.hosts import free_injector, wake_host
from sim_model.engines.cycle.state import NEVER, NONE
from sim_model.engines.plane.layout import BIT_MASK, WORD_SHIFT
from sim_model.engines.plane.state import ALIVE, CHANGED, DUE
from sim_model.engines.worm.calendar import WHEEL_MASK, cancel, enter
from sim_model.loops.bits import lowest_bit
from sim_model.loops.compiled import compiled


@compiled
def expect_host(host, cycle, planes, state):
    """Schedule a host for its ``wake_cycle`` in place of an earlier entry; it is due at once if that is now."""
    wake_cycle, entered = state.hosts[host].wake_cycle, planes.calendar.entries[host].cycle
    if entered == wake_cycle:
        return
    if entered != NEVER:
        cancel(host, planes.calendar)
    if wake_cycle > cycle:
        if wake_cycle != NEVER:
            enter(host, wake_cycle, planes.calendar)
    else:
        _fall_due(host, cycle, planes)


@compiled
def _fall_due(host, cycle, planes):
    if planes.due_cycle[host] != cycle:
        planes.due_cycle[host] = cycle
        planes.due[planes.counters[DUE]] = host
        planes.counters[DUE] += 1


@compiled
def take_hosts(cycle, planes):
    """Add the hosts with an entry for this cycle to the due ones."""
    host = planes.calendar.first[cycle & WHEEL_MASK]
    while host != NONE:
        following = planes.calendar.entries[host].following
        if planes.calendar.entries[host].cycle == cycle:
            cancel(host, planes.calendar)
            _fall_due(host, cycle, planes)
        host = following


def step_hosts(cycle, planes, state):
    """Step the hosts that are due by one cycle."""
    for position in range(planes.counters[DUE]):
        host = planes.due[position]
        if state.hosts[host].wake_cycle <= cycle:
            message = wake_host(cycle, host, state)
            if message != NONE:
                inject(host, message, planes, state)
                planes.awake[cycle + 1 & 1, host >> WORD_SHIFT] = 1
            expect_host(host, cycle, planes, state)
    planes.counters[DUE] = 0


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
        expect_host(host, cycle, planes, state)
    while tails != 0:
        host = word << WORD_SHIFT | lowest_bit(tails)
        tails &= tails - 1
        count_arrival(cycle, host, leave(planes.worms[SLOTS, host]), state)
        planes.counters[ALIVE] -= 1
        expect_host(host, cycle, planes, state)
    return moved, ended, arrived
