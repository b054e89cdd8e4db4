"""Injection queues: messages that are generated, and copies of broadcasts that are sent on."""

from hydranoc.studies.hypercube.ideal.events import list_event, present_head
from hydranoc.studies.hypercube.ideal.state import (
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
    """Enter all messages that are generated in a cycle into their queues; their headers may leave at once."""
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
    """Schedule the reception of a message whose tail a node has taken, after the delay of the host."""
    list_event(state.tails, cycle + state.host_cycles, message)


@compiled
def receive_messages(cycle, state):
    """Receive messages in hosts, at the end of a cycle."""
    events = state.tails
    position = cycle & (len(events.counts) - 1)
    for number in range(events.counts[position]):
        _receive(cycle, events.listed[position, number], state)
    events.counts[position] = 0


@compiled
def _receive(cycle, message, state):
    """Receive a message in a host, and queue its copies for others, for the next cycle on."""
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
    """Enter copies over consecutive edges of a tree into the queues of their dimensions."""
    for edge in range(first_edge, first_edge + count):
        queue = state.edges[base, edge].dimension
        if queue >= state.injection_channels:
            queue %= state.injection_channels
        _enqueue(node, queue, first_message + edge, state)


@compiled
def _enqueue(node, queue, message, state):
    """Enter a message into a queue; it may leave in the node's next turn."""
    state.counters[OUTSTANDING] += 1
    port = state.vcs + queue
    channel = state.inputs[node, port]
    if channel.first == NONE:
        channel.first = message
        begin_message(node, port, state)
    else:
        state.messages[channel.last].next = message
    channel.last = message


@compiled
def begin_message(node, port, state):
    """Present the header of the message at the front of a queue."""
    channel = state.inputs[node, port]
    channel.flits = state.flits
    present_head(node, port, channel.first, state)
