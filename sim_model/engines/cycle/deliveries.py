"""Ejectors: every flit that reaches a processor is checked and every tail is counted."""

from sim_model.engines.cycle.hosts import release_children
from sim_model.engines.cycle.state import DISORDERED, NONE, STRAY
from sim_model.loops.bits import NEXT_FLIT, TAIL, index_of
from sim_model.loops.compiled import compiled


@compiled
def check_order(flit, channel, counters):
    """Check that a flit that moves into a processor is the next one of its message."""
    body = flit & ~TAIL
    if body != channel.expected and (channel.expected != NONE or index_of(flit) != 0):
        counters[DISORDERED] += 1
    channel.expected = NONE if flit & TAIL else body + NEXT_FLIT


@compiled
def count_arrival(cycle, processor, message, state):
    """Count the tail of a message at its destination; the last tail due releases the messages that wait for it."""
    position = _find(processor, state.jobs[message], state.deliveries)
    if position == NONE:
        state.counters[STRAY] += 1
        return
    delivery = state.deliveries[position]
    delivery.copies += 1
    if delivery.copies == delivery.wanted:
        delivery.arrival_cycle = cycle
        release_children(cycle, processor, message, state)


@compiled
def _find(processor, job, deliveries):
    """Return the position of a message's destination, by bisection; NONE if it is no destination."""
    low = job.first_destination
    high = job.end_destination
    while low < high:
        middle = (low + high) // 2
        if deliveries[middle].destination < processor:
            low = middle + 1
        else:
            high = middle
    if low < job.end_destination and deliveries[low].destination == processor:
        return low
    return NONE
