"""Delayed events: flits to buffers, credits to outputs, worms through a router's pipeline, messages to hosts."""

from hydranoc.studies.hypercube.ideal.state import DELIVERY, NONE
from sim_model.loops.compiled import compiled

NODE_SHIFT = 6
PORT_MASK = (1 << NODE_SHIFT) - 1


@compiled
def list_event(events, cycle, event):
    """List an event for a cycle that is not over."""
    position = cycle & (len(events.counts) - 1)
    count = events.counts[position]
    events.listed[position, count] = event
    events.counts[position] = count + 1


@compiled
def list_port(events, cycle, node, port):
    """List an event at an input or output for a cycle that is not over."""
    list_event(events, cycle, node << NODE_SHIFT | port)


@compiled
def present_head(node, port, message, state):
    """Present a header at the front of an input for the node's next allocation of VCs."""
    state.inputs[node, port].remaining = node ^ state.messages[message].destination
    state.nodes[node].heads |= 1 << port


@compiled
def begin_worm(cycle, node, port, state):
    """Start a worm that has its VC, or that of its destination; it may move after the delay of a hop."""
    if state.hop_cycles == 0:
        _move_worm(node, port, state)
    else:
        list_port(state.worms, cycle + state.hop_cycles, node, port)


@compiled
def move_worms(cycle, state):
    """Release worms that have passed a router's pipeline, at the start of a cycle."""
    events = state.worms
    position = cycle & (len(events.counts) - 1)
    for number in range(events.counts[position]):
        event = events.listed[position, number]
        _move_worm(event >> NODE_SHIFT, event & PORT_MASK, state)
    events.counts[position] = 0


@compiled
def _move_worm(node, port, state):
    """Mark the header of a worm as ready to leave: its VC was allocated with room."""
    output = state.inputs[node, port].output
    if output == DELIVERY:
        state.nodes[node].delivering |= 1 << port
    else:
        state.nodes[node].ready |= 1 << output


@compiled
def arrive(cycle, state):
    """Store arriving flits in their buffers, for the next cycle on."""
    events = state.arrivals
    position = cycle & (len(events.counts) - 1)
    for number in range(events.counts[position]):
        event = events.listed[position, number]
        node, port = event >> NODE_SHIFT, event & PORT_MASK
        vc = state.inputs[node, port]
        vc.flits += 1
        if vc.flits > 1:
            continue
        if vc.output == NONE:
            message = state.slots[node, port, vc.taken & state.slot_mask] >> 1
            present_head(node, port, message, state)
        elif vc.output == DELIVERY:
            state.nodes[node].delivering |= 1 << port
        elif state.outputs[node, vc.output].room > 0:
            state.nodes[node].ready |= 1 << vc.output
    events.counts[position] = 0


@compiled
def return_credits(cycle, state):
    """Return credits to outputs, for the next cycle on."""
    events = state.credits
    position = cycle & (len(events.counts) - 1)
    for number in range(events.counts[position]):
        event = events.listed[position, number]
        node, port = event >> NODE_SHIFT, event & PORT_MASK
        vc = state.outputs[node, port]
        vc.room += 1
        if vc.input != NONE:
            if state.inputs[node, vc.input].flits > 0 and vc.start <= cycle + 1:
                state.nodes[node].ready |= 1 << port
        elif vc.room >= state.least_room:
            state.nodes[node].free |= 1 << port
    events.counts[position] = 0
