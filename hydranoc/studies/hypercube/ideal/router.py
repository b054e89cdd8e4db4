"""One cycle of a node: VC allocation to headers, transfers over links, and delivery."""

from hydranoc.studies.hypercube.ideal.events import begin_worm, list_port, present_head
from hydranoc.studies.hypercube.ideal.queues import begin_message, take_message
from hydranoc.studies.hypercube.ideal.state import DELIVERY, FLITS_DELIVERED, FLITS_SENT, NONE, RANDOM
from sim_model.loops.bits import first_at_or_after, lowest_bit
from sim_model.loops.compiled import compiled

TAIL = 1
RANDOM_BITS = 32
RANDOM_MASK = (1 << RANDOM_BITS) - 1


@compiled
def give_vcs(cycle, node, state):
    """Allocate VCs to all headers of a node. The first header changes from cycle to cycle."""
    record = state.nodes[node]
    heads, turn = record.heads, cycle % state.inputs_of_node
    record.heads = 0
    while heads != 0:
        port = first_at_or_after(heads, turn)
        heads ^= 1 << port
        header = state.inputs[node, port]
        if header.remaining == 0:
            if record.deliveries == state.delivery_vcs > 0:
                record.heads |= 1 << port
                continue
            record.deliveries += 1
            header.output = DELIVERY
            begin_worm(cycle, node, port, state)
            continue
        ways = record.free & state.candidates[header.remaining]
        if ways == 0:
            escape = record.free & state.escapes[header.remaining]
            if escape == 0:
                record.heads |= 1 << port
                continue
            vc = lowest_bit(escape)
        else:
            vc = _choose(ways, state)
        record.free ^= 1 << vc
        header.output = vc
        output = state.outputs[node, vc]
        output.input, output.start = port, cycle + state.hop_cycles
        begin_worm(cycle, node, port, state)


@compiled
def _choose(ways, state):
    """Choose a VC at random, by the rule of the cube. With four VCs and a high load rules differ by 6 %."""
    if not state.chooses_dimensions:
        return _any_of(ways, state.counters)
    dimensions, rest = 0, ways
    while rest != 0:
        dimension = state.dimension_of[lowest_bit(rest)]
        dimensions |= 1 << dimension
        rest &= ~state.vcs_of[dimension]
    return lowest_bit(ways & state.vcs_of[_any_of(dimensions, state.counters)])


@compiled
def _any_of(mask, counters):
    """Return the position of a 1 at random, in a mask that is not 0: xorshift with 32 bits."""
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
    """Move a flit over every link of a node that can. Returns the number of flits."""
    record = state.nodes[node]
    ready, moved = record.ready, 0
    while ready != 0:
        dimension = state.dimension_of[lowest_bit(ready)]
        rivals = ready & state.vcs_of[dimension]
        ready ^= rivals
        link = state.links[node, dimension]
        vc = first_at_or_after(rivals, link.turn)
        link.turn = vc + 1  # behind the last VC: equivalent to the first
        move_flit(cycle, node, vc, state)
        moved += 1
    return moved


@compiled
def move_flit(cycle, node, vc, state):
    """Move the next flit of the worm that holds an output VC."""
    dimension = state.dimension_of[vc]
    state.links[node, dimension].flits += 1
    neighbour = node ^ 1 << dimension
    output = state.outputs[node, vc]
    port = output.input
    flit = _take_flit(cycle, node, port, state)
    state.slots[neighbour, vc, output.sent & state.slot_mask] = flit
    list_port(state.arrivals, cycle + state.link_cycles, neighbour, vc)
    output.sent += 1
    output.room -= 1
    if flit & TAIL:
        output.input = NONE
        if output.room >= state.least_room:
            state.nodes[node].free |= 1 << vc
    if flit & TAIL or output.room == 0 or state.inputs[node, port].flits == 0:
        state.nodes[node].ready &= ~(1 << vc)


@compiled
def deliver(cycle, node, state):
    """Deliver a flit of every worm that is at its destination. Returns the number of flits."""
    delivering, taken = state.nodes[node].delivering, 0
    while delivering != 0:
        port = lowest_bit(delivering)
        delivering &= delivering - 1
        deliver_flit(cycle, node, port, state)
        taken += 1
    return taken


@compiled
def deliver_flit(cycle, node, port, state):
    """Deliver the next flit of a worm at its destination."""
    record = state.nodes[node]
    flit = _take_flit(cycle, node, port, state)
    if flit & TAIL or state.inputs[node, port].flits == 0:
        record.delivering &= ~(1 << port)
    if flit & TAIL:
        record.deliveries -= 1
        take_message(cycle, flit >> 1, state)
    state.counters[FLITS_DELIVERED] += 1


@compiled
def _take_flit(cycle, node, port, state):
    """Take the flit at the front of an input. Behind a tail, the header of the next worm moves to the front."""
    channel = state.inputs[node, port]
    channel.flits -= 1
    if port >= state.vcs:
        return _take_from_queue(node, port, state)
    flit = state.slots[node, port, channel.taken & state.slot_mask]
    channel.taken += 1
    list_port(state.credits, cycle + state.credit_cycles, node ^ 1 << state.dimension_of[port], port)
    if flit & TAIL:
        channel.output = NONE
        if channel.flits > 0:
            following = state.slots[node, port, channel.taken & state.slot_mask]
            present_head(node, port, following >> 1, state)
    return flit


@compiled
def _take_from_queue(node, port, state):
    """Take the next flit of the first message of a queue."""
    channel = state.inputs[node, port]
    message = channel.first
    state.counters[FLITS_SENT] += 1
    if channel.flits > 0:
        return message << 1
    channel.output = NONE
    channel.first = state.messages[message].next
    if channel.first != NONE:
        begin_message(node, port, state)
    return message << 1 | TAIL
