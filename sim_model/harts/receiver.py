"""A receiver in its slot: one word from a link or the host to packet memory, transmitter, or both (Sec. 3)."""

from sim_model.engines.cycle.discards import discard
from sim_model.engines.cycle.links import pop
from sim_model.engines.cycle.state import FLITS_IN_NETWORK, NONE
from sim_model.harts.packets import (
    copy_header,
    is_honest,
    may_cut_through,
    onward_outputs,
    put_on_bus,
    relay_outputs,
    set_due,
    step_tags,
)
from sim_model.harts.page_sets import add_page, is_any
from sim_model.harts.transmitter import page_ahead
from sim_model.loops.bits import TAIL, index_of, message_of, sink_bit
from sim_model.loops.compiled import compiled
from topology.harts.frame import PROCESSOR_SLOT, SLOTS
from topology.harts.header import HOST
from topology.harts.routing import UNICAST


@compiled
def step_receiver(cycle, switch, port, state, family):
    """Run one slot of a receiver. Returns a number that is 0 if nothing has changed."""
    number = state.input_channel[switch, port]
    receiver, vertex = family.receivers[number], state.vertices[switch]
    had_landing = receiver.landing != NONE
    changes = 0
    if vertex.nonempty >> port & 1:
        flit = state.slots[number, state.channels[number].front]
        head = index_of(flit) == 0
        if head and had_landing:
            _decide(cycle, switch, port, message_of(flit), state, family)
        if had_landing or not head:
            pass_word(number, receiver, vertex, state, family)
            changes += 1
            if flit & TAIL:
                _end(cycle, switch, receiver, family, vertex.first_output)
    if not had_landing:
        changes += _keep_page(cycle, switch, port, receiver, state, family)
    return changes


@compiled
def pass_word(number, receiver, vertex, state, family):
    """Move one word to the packet memory, to a transmitter, to both, or drop it."""
    counters = state.counters
    flit = pop(number, sink_bit(state.channels[number]), vertex, state)
    counters[FLITS_IN_NETWORK] -= 1
    if receiver.page != NONE:
        counters[FLITS_IN_NETWORK] += 1
    if receiver.transmitter != NONE:
        put_on_bus(vertex.first_output + receiver.transmitter, flit, family)
        counters[FLITS_IN_NETWORK] += 1


@compiled
def _keep_page(cycle, switch, port, receiver, state, family):
    """Reserve a page for the next packet, if enough are left for those that have travelled farther."""
    node = family.nodes[switch]
    wish = 0
    if port != HOST:
        transmitter = family.transmitters[state.input_channel[switch, port]]
        unseen = cycle - transmitter.wish_changed_cycle < family.link_cycles
        wish = transmitter.wish_before if unseen else transmitter.wish
    if not family.classed:
        wish = family.levels
    if node.free < family.levels - wish + 1:
        return 0
    _set_landing(cycle, receiver, family.free[switch, node.first_free])
    receiver.for_any = 1 if node.free > family.levels or not family.classed else 0
    node.first_free = node.first_free + 1 if node.first_free + 1 < family.pages else 0
    node.free -= 1
    return 1


@compiled
def _set_landing(cycle, receiver, page):
    receiver.landing_before = receiver.landing
    receiver.changed_cycle = cycle
    receiver.landing = page


@compiled
def can_start(cycle, switch, output, state, family):
    """Return whether an arriving packet may have a transmitter: it is idle, has no queue, and has a page ahead."""
    number = state.vertices[switch].first_output + output
    transmitter = family.transmitters[number]
    if transmitter.owned or transmitter.page != NONE or cycle < transmitter.free_cycle:
        return False
    if is_any(family.waiting[switch, output]):
        return False
    return page_ahead(cycle, number, family) == 1


@compiled
def _decide(cycle, switch, port, message, state, family):
    """Decide on a header: reserve a transmitter, a page, or both, or neither if the packet is unroutable."""
    number = state.input_channel[switch, port]
    receiver, head = family.receivers[number], family.heads[number]
    operation = family.operation[message]
    packet = family.packets[switch * family.pages + receiver.landing]
    if port == HOST:
        head.stage = 0
        head.tag = 0
        head.distance = 0
        head.hops = 0
        head.spoilt = 0
        head.m0 = family.tags[message, 0]
        head.m1 = family.tags[message, 1]
        head.m2 = family.tags[message, 2]
    copy_header(head, packet)
    packet.message = message
    packet.direction = port
    packet.forwarded = 1
    packet.flits = state.jobs[message].flits
    if port != HOST:
        packet.hops += 1
        if operation != UNICAST:
            packet.distance -= 1
    if operation == UNICAST:
        _decide_unicast(cycle, switch, receiver, packet, state, family)
    elif port == HOST or not family.guard or is_honest(switch, port, operation, message, head, family):
        _decide_broadcast(cycle, switch, port, operation, receiver, packet, state, family)
    if receiver.page != NONE:
        _set_landing(cycle, receiver, NONE)
    elif receiver.transmitter == NONE:
        discard(cycle, number, family.discards)
    if receiver.transmitter != NONE:
        _start(switch, receiver.transmitter, operation, packet, state, family)


@compiled
def _decide_unicast(cycle, switch, receiver, packet, state, family):
    first, second = onward_outputs(packet)
    dead = family.nodes[switch].dead
    if first == NONE:
        receiver.outputs = 1 << HOST
        receiver.page = receiver.landing
        return
    if packet.hops >= family.levels:
        return  # no packet has to go farther: dropped
    if second != NONE and dead >> second & 1:
        second = NONE
    if dead >> first & 1:
        first = second
        second = NONE
    if first == NONE:
        return  # unroutable: dropped
    if can_start(cycle, switch, first, state, family):
        receiver.transmitter = first
    elif second != NONE and can_start(cycle, switch, second, state, family):
        receiver.transmitter = second
    else:
        if second != NONE and is_any(family.waiting[switch, first]) and not is_any(family.waiting[switch, second]):
            first = second
        receiver.outputs = 1 << first
        receiver.page = receiver.landing
        packet.forwarded = 0


@compiled
def _decide_broadcast(cycle, switch, port, operation, receiver, packet, state, family):
    """RELAY: keep a copy, and send it straight on if it has steps left."""
    dead = family.nodes[switch].dead
    at_end = packet.hops >= family.levels
    if port != HOST and (packet.stage == 0 or (at_end and packet.distance != 0)):
        return  # there is no such copy: dropped
    receiver.page = receiver.landing
    if port != HOST and packet.distance != 0 and not dead >> port & 1:
        if may_cut_through(operation, packet) and can_start(cycle, switch, port, state, family):
            receiver.transmitter = port
        else:
            packet.forwarded = 0
    receiver.outputs = relay_outputs(operation, packet, family) & ~dead
    if at_end:
        receiver.outputs = 1 << HOST
    if receiver.outputs == 0:
        receiver.page = NONE


@compiled
def _start(switch, output, operation, packet, state, family):
    """Give a transmitter to a receiver; the header goes ahead on its channel."""
    number = state.vertices[switch].first_output + output
    family.transmitters[number].owned = 1
    head = family.heads[number]
    copy_header(packet, head)
    if operation == UNICAST:
        step_tags(head, output)
    if family.nodes[switch].corrupting and packet.direction != HOST:
        head.spoilt = 1


@compiled
def _end(cycle, switch, receiver, family, first_output):
    """End a packet after its tail: the network processor sees the page, the transmitter is free after the gap."""
    if receiver.page != NONE:
        packet = family.packets[switch * family.pages + receiver.page]
        rest = receiver.outputs
        packet.outputs = rest
        packet.sends = 0
        while rest != 0:
            rest &= rest - 1
            packet.sends += 1
        packet.stored_cycle = cycle
        packet.fresh = family.relay_frames + (1 if packet.direction == HOST else 0)
        add_page(receiver.page, family.fresh[switch])
        set_due(switch, PROCESSOR_SLOT, family)
        receiver.page = NONE
    if receiver.transmitter != NONE:
        transmitter = family.transmitters[first_output + receiver.transmitter]
        transmitter.owned = 0
        transmitter.free_cycle = cycle + SLOTS + family.gap_cycles
        receiver.transmitter = NONE
