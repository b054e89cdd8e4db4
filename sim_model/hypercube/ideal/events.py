"""What is on its way: flits to buffers, credits to outputs, and headers through a router's pipeline."""

from sim_model.common.engine.compiled import compiled
from sim_model.hypercube.ideal.state import DELIVERY, NONE

NODE_SHIFT = 6
PORT_MASK = (1 << NODE_SHIFT) - 1


@compiled
def list_event(events, cycle, node, port):
    """Something happens to an input or output in a cycle that is not over."""
    position = cycle & (len(events.counts) - 1)
    count = events.counts[position]
    events.listed[position, count] = node << NODE_SHIFT | port
    events.counts[position] = count + 1


@compiled
def present_head(cycle, node, port, message, state):
    """A header is at the front of an input, and may look for a lane in a given cycle at the earliest."""
    state.inputs[node, port].remaining = node ^ state.messages[message].destination
    if state.hop_cycles == 0:
        state.nodes[node].heads |= 1 << port
    else:
        list_event(state.heads, cycle + state.hop_cycles, node, port)


@compiled
def admit_heads(cycle, state):
    """Headers that have passed a router's pipeline, at the start of a cycle."""
    events = state.heads
    position = cycle & (len(events.counts) - 1)
    for number in range(events.counts[position]):
        event = events.listed[position, number]
        state.nodes[event >> NODE_SHIFT].heads |= 1 << (event & PORT_MASK)
    events.counts[position] = 0


@compiled
def arrive(cycle, state):
    """Flits that are in their buffers from the next cycle on."""
    events = state.arrivals
    position = cycle & (len(events.counts) - 1)
    for number in range(events.counts[position]):
        event = events.listed[position, number]
        node, port = event >> NODE_SHIFT, event & PORT_MASK
        lane = state.inputs[node, port]
        lane.flits += 1
        if lane.flits > 1:
            continue
        if lane.output == NONE:
            message = state.slots[node, port, lane.taken & state.slot_mask] >> 1
            present_head(cycle + 1, node, port, message, state)
        elif lane.output == DELIVERY:
            state.nodes[node].delivering |= 1 << port
        elif state.outputs[node, lane.output].room > 0:
            state.nodes[node].ready |= 1 << lane.output
    events.counts[position] = 0


@compiled
def return_credits(cycle, state):
    """Room that outputs know of from the next cycle on."""
    events = state.credits
    position = cycle & (len(events.counts) - 1)
    for number in range(events.counts[position]):
        event = events.listed[position, number]
        node, port = event >> NODE_SHIFT, event & PORT_MASK
        lane = state.outputs[node, port]
        lane.room += 1
        if lane.input != NONE:
            if state.inputs[node, lane.input].flits > 0:
                state.nodes[node].ready |= 1 << port
        elif lane.room >= state.least_room:
            state.nodes[node].free |= 1 << port
    events.counts[position] = 0
