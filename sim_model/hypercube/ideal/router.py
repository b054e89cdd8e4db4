"""One cycle of a node: headers take lanes, links move flits, and the node takes what is its own."""

from sim_model.common.engine.bits import first_at_or_after, lowest_bit
from sim_model.common.engine.compiled import compiled
from sim_model.hypercube.ideal.events import list_event, present_head
from sim_model.hypercube.ideal.queues import begin_message, receive
from sim_model.hypercube.ideal.state import DELIVERY, FLITS_DELIVERED, FLITS_SENT, NONE, RANDOM

TAIL = 1
RANDOM_BITS = 32
RANDOM_MASK = (1 << RANDOM_BITS) - 1


@compiled
def give_lanes(cycle, node, state):
    """All headers of a node look for a lane. Who is first changes from cycle to cycle."""
    record = state.nodes[node]
    heads, turn = record.heads, cycle % state.inputs_of_node
    record.heads = 0
    while heads != 0:
        port = first_at_or_after(heads, turn)
        heads ^= 1 << port
        header = state.inputs[node, port]
        if header.remaining == 0:
            header.output = DELIVERY
            record.delivering |= 1 << port
            continue
        ways = record.free & state.candidates[header.remaining]
        lane = _any_of(ways, state.counters) if ways != 0 else state.escapes[header.remaining]
        if ways == 0:
            if record.free & lane == 0:
                record.heads |= 1 << port
                continue
            lane = lowest_bit(lane)
        record.free ^= 1 << lane
        header.output = lane
        record.ready |= 1 << lane
        state.outputs[node, lane].input = port


@compiled
def _any_of(mask, counters):
    """Position of a 1 at random, in a mask that is not 0: xorshift with 32 bits.

    Each lane has the same chance, so that a dimension with more free lanes has more. The same chance for each dimension
    would cost 6 % of the latency at a high load.
    """
    count, rest = 0, mask
    while rest != 0:
        rest &= rest - 1
        count += 1
    number = counters[RANDOM]
    number ^= number << 13 & RANDOM_MASK
    number ^= number >> 17
    number ^= number << 5 & RANDOM_MASK
    counters[RANDOM] = number
    for _ in range(number * count >> RANDOM_BITS):
        mask &= mask - 1
    return lowest_bit(mask)


@compiled
def move_flits(cycle, node, state):
    """Every link of a node moves a flit if it can. Returns how many moved."""
    record = state.nodes[node]
    ready, moved = record.ready, 0
    while ready != 0:
        dimension = state.dimension_of[lowest_bit(ready)]
        rivals = ready & state.lanes_of[dimension]
        ready ^= rivals
        link = state.links[node, dimension]
        lane = first_at_or_after(rivals, link.turn)
        link.turn = lane + 1  # behind the last lane nobody is found, which is as good as the first
        link.flits += 1
        _move_flit(cycle, node, node ^ 1 << dimension, lane, state)
        moved += 1
    return moved


@compiled
def _move_flit(cycle, node, neighbour, lane, state):
    """The next flit of the worm that has an output lane."""
    output = state.outputs[node, lane]
    port = output.input
    flit = _take_flit(cycle, node, port, state)
    state.slots[neighbour, lane, output.sent & state.slot_mask] = flit
    list_event(state.arrivals, cycle + state.link_cycles, neighbour, lane)
    output.sent += 1
    output.room -= 1
    if flit & TAIL:
        output.input = NONE
        if output.room >= state.least_room:
            state.nodes[node].free |= 1 << lane
    if flit & TAIL or output.room == 0 or state.inputs[node, port].flits == 0:
        state.nodes[node].ready &= ~(1 << lane)


@compiled
def deliver(cycle, node, state):
    """A node takes a flit of every worm that is at its destination. Returns how many."""
    record = state.nodes[node]
    delivering, taken = record.delivering, 0
    while delivering != 0:
        port = lowest_bit(delivering)
        delivering &= delivering - 1
        flit = _take_flit(cycle, node, port, state)
        if flit & TAIL or state.inputs[node, port].flits == 0:
            record.delivering &= ~(1 << port)
        if flit & TAIL:
            receive(cycle, node, flit >> 1, state)
        taken += 1
    state.counters[FLITS_DELIVERED] += taken
    return taken


@compiled
def _take_flit(cycle, node, port, state):
    """The flit at the front of an input. Behind a tail, the header of the next worm comes to the front."""
    channel = state.inputs[node, port]
    channel.flits -= 1
    if port >= state.lanes:
        return _take_from_queue(cycle, node, port, state)
    flit = state.slots[node, port, channel.taken & state.slot_mask]
    channel.taken += 1
    list_event(state.credits, cycle + state.credit_cycles, node ^ 1 << state.dimension_of[port], port)
    if flit & TAIL:
        channel.output = NONE
        if channel.flits > 0:
            following = state.slots[node, port, channel.taken & state.slot_mask]
            present_head(cycle + 1, node, port, following >> 1, state)
    return flit


@compiled
def _take_from_queue(cycle, node, port, state):
    """The next flit of the first message of a queue."""
    channel = state.inputs[node, port]
    message = channel.first
    state.counters[FLITS_SENT] += 1
    if channel.flits > 0:
        return message << 1
    channel.output = NONE
    channel.first = state.messages[message].next
    if channel.first != NONE:
        begin_message(cycle + 1, node, port, state)
    return message << 1 | TAIL
