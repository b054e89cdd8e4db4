"""The loop of ``host_rules``: hosts of a network, cycle by cycle, compiled."""

from typing import NamedTuple

import numpy as np

from sim_model.engines.cycle.state import NEVER, NONE
from sim_model.loops.bits import MESSAGE_SHIFT, TAIL
from sim_model.loops.compiled import compiled, compiled_loop
from topology.common.host_pattern import PERIOD_CYCLES

# Columns of ``hosts``.
PHASE = 0  # of the source's pauses; never changes
FIRST = 1  # of its places in ``ready``; never changes
READY = 2  # messages in its heap
WAKE = 3  # cycle in which it does something next, or NEVER
IDLE_FROM = 4  # first cycle in which its injector is idle
SENDING = 5  # 1 while the injector has a message
PREPARING = 6  # message, or NONE
OFFER = 7  # earliest cycle of that message's offer
HOST_COLUMNS = 8


class HostState(NamedTuple):
    """Messages, and hosts by injector; all arrays are int64."""

    startup_cycles: int
    injection: np.ndarray  # channels out of injectors
    delivery: np.ndarray  # channels into processors
    processor: np.ndarray  # at the end of each of these
    source: np.ndarray  # by message, processor
    injector: np.ndarray  # by message
    first_copy: np.ndarray  # [messages + 1], of each message in the next two
    destination: np.ndarray  # processors
    copies_left: np.ndarray  # tails that are to arrive
    first_child: np.ndarray  # [messages + 1], of each parent in the next two
    child: np.ndarray  # messages that wait for it
    delay: np.ndarray  # cycles from its event to their start
    earliest: np.ndarray  # by message, cycle of its start as far as it is known
    parents_left: np.ndarray  # by message
    hosts: np.ndarray  # [injectors, HOST_COLUMNS]
    ready: np.ndarray  # heaps of messages with a known start, one per injector
    pauses: np.ndarray  # [PERIOD_CYCLES], cycles until the source does not pause, by position in the ring


@compiled
def _is_before(state, one, other):
    """Return True if a message goes before another one of its host."""
    first, second = state.earliest[one], state.earliest[other]
    return first < second or (first == second and one < other)


@compiled
def _add_ready(state, message):
    """Add a message whose start is known to the heap of its host."""
    host, ready = state.hosts[state.injector[message]], state.ready
    first, place = host[FIRST], host[READY]
    host[READY] += 1
    host[WAKE] = min(host[WAKE], state.earliest[message])
    while place > 0:
        above = (place - 1) >> 1
        if not _is_before(state, message, ready[first + above]):
            break
        ready[first + place] = ready[first + above]
        place = above
    ready[first + place] = message


@compiled
def _take_ready(state, host):
    """Remove the first message of a host's heap."""
    ready, first, place = state.ready, host[FIRST], 0
    host[READY] -= 1
    count = host[READY]
    last = ready[first + count]
    while 2 * place + 1 < count:
        below = 2 * place + 1
        if below + 1 < count and _is_before(state, ready[first + below + 1], ready[first + below]):
            below += 1
        if not _is_before(state, ready[first + below], last):
            break
        ready[first + place] = ready[first + below]
        place = below
    ready[first + place] = last


@compiled
def _happens(state, cycle, message, processor):
    """Schedule the messages that wait for a tail which arrived at a processor, or left it."""
    for number in range(state.first_child[message], state.first_child[message + 1]):
        child = state.child[number]
        if state.source[child] == processor:
            state.earliest[child] = max(state.earliest[child], cycle + state.delay[number])
            state.parents_left[child] -= 1
            if state.parents_left[child] == 0:
                _add_ready(state, child)


@compiled
def _arrive(state, cycle, message, processor):
    """Count a tail at a processor."""
    for copy in range(state.first_copy[message], state.first_copy[message + 1]):
        if state.destination[copy] == processor:
            state.copies_left[copy] -= 1
            if state.copies_left[copy] == 0:
                _happens(state, cycle, message, processor)


@compiled
def _act(state, cycle, host):
    """Run one cycle of a host that is awake; return the message that it offers, or NONE."""
    host[WAKE] = NEVER
    if host[SENDING]:
        return NONE  # its tail wakes it
    if cycle < host[IDLE_FROM]:
        host[WAKE] = host[IDLE_FROM]
        return NONE
    if host[PREPARING] == NONE:
        if host[READY] == 0:
            return NONE
        message = state.ready[host[FIRST]]
        if state.earliest[message] > cycle:
            host[WAKE] = state.earliest[message]
            return NONE
        _take_ready(state, host)
        host[PREPARING], host[OFFER] = message, cycle + state.startup_cycles
    due = max(host[OFFER], cycle)
    due += state.pauses[(host[PHASE] + due) % PERIOD_CYCLES]
    if cycle < due:
        host[WAKE] = due
        return NONE
    message = host[PREPARING]
    host[PREPARING], host[SENDING] = NONE, 1
    return message


@compiled_loop
def add_given(state):
    """Add all messages that wait for no other one."""
    for message in range(len(state.source)):
        if state.parents_left[message] == 0:
            _add_ready(state, message)


@compiled_loop
def offer_messages(state, first_cycle, flits, offers):
    """Write row, injector and message of all offers in a recording; return their number."""
    count = 0
    for row in range(flits.shape[0]):
        cycle = first_cycle + row
        for position in range(len(state.delivery)):
            flit = flits[row, state.delivery[position]]
            if flit >= 0 and flit & TAIL:
                _arrive(state, cycle, flit >> MESSAGE_SHIFT, state.processor[position])
        for injector in range(len(state.injection)):
            flit = flits[row, state.injection[injector]]
            if flit >= 0 and flit & TAIL:
                host, message = state.hosts[injector], flit >> MESSAGE_SHIFT
                host[SENDING], host[IDLE_FROM], host[WAKE] = 0, cycle + 1, min(host[WAKE], cycle + 1)
                _happens(state, cycle, message, state.source[message])
        for injector in range(len(state.injection)):
            host = state.hosts[injector]
            if host[WAKE] <= cycle:
                message = _act(state, cycle, host)
                if message != NONE:
                    offers[count, 0], offers[count, 1], offers[count, 2] = row, injector, message
                    count += 1
    return count
