"""Injection queues: messages that are generated, and copies of broadcasts that are sent on."""

from sim_model.hypercube.ideal.events import list_event, present_head
from sim_model.hypercube.ideal.state import (
    END_WATCHED,
    FIRST_WATCHED,
    NEXT_GENERATION,
    NONE,
    OUTSTANDING,
    WATCHED_LEFT,
)
from sim_model.loops.compiled import compiled


@compiled
def generate(cycle, state):
    """All messages that are generated in a cycle enter their queues; their headers may leave at once."""
    number = state.counters[NEXT_GENERATION]
    while number < len(state.generations) and state.generations[number].cycle == cycle:
        generation = state.generations[number]
        first = generation.first_message
        if generation.first_dimension == NONE:
            _enqueue(generation.source, generation.queue, first, state)
        else:
            _send_copies(generation.source, generation.first_dimension, first, 0, state.dimensions, state)
        number += 1
    state.counters[NEXT_GENERATION] = number


@compiled
def take_message(cycle, message, state):
    """A node has taken the tail of a message, of which its host hears in this cycle or later."""
    list_event(state.tails, cycle + state.host_cycles, message)


@compiled
def receive_messages(cycle, state):
    """Hosts have messages, at the end of a cycle."""
    events = state.tails
    position = cycle & (len(events.counts) - 1)
    for number in range(events.counts[position]):
        _receive(cycle, events.listed[position, number], state)
    events.counts[position] = 0


@compiled
def _receive(cycle, message, state):
    """A host has a message; from the next cycle on, the copies that it owes to others are in its queues."""
    counters = state.counters
    counters[OUTSTANDING] -= 1
    state.messages[message].arrival_cycle = cycle
    number = state.messages[message].generation
    generation = state.generations[number]
    generation.missing -= 1
    if generation.missing == 0 and counters[FIRST_WATCHED] <= number < counters[END_WATCHED]:
        counters[WATCHED_LEFT] -= 1
    base, first = generation.first_dimension, generation.first_message
    if base != NONE:
        edge = state.edges[base, message - first]
        node = state.messages[message].destination
        _send_copies(node, base, first, edge.first_child, edge.children, state)


@compiled
def _send_copies(node, base, first_message, first_edge, count, state):
    """Copies over consecutive edges of a tree enter the queues of their dimensions."""
    for edge in range(first_edge, first_edge + count):
        queue = state.edges[base, edge].dimension
        if queue >= state.injection_channels:
            queue %= state.injection_channels
        _enqueue(node, queue, first_message + edge, state)


@compiled
def _enqueue(node, queue, message, state):
    """A message enters a queue, and may leave it when its node has its next turn."""
    state.counters[OUTSTANDING] += 1
    port = state.lanes + queue
    channel = state.inputs[node, port]
    if channel.first == NONE:
        channel.first = message
        begin_message(node, port, state)
    else:
        state.messages[channel.last].next = message
    channel.last = message


@compiled
def begin_message(node, port, state):
    """The message at the front of a queue has its header there."""
    channel = state.inputs[node, port]
    channel.flits = state.flits
    present_head(node, port, channel.first, state)
