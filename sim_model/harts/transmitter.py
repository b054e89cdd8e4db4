"""A transmitter in its slot: one word from the packet memory, and the choice of the next packet (Sec. 3)."""

from sim_model.engines.cycle.state import FLITS_IN_NETWORK, NONE
from sim_model.engines.hosts import count_arrival
from sim_model.harts.packets import give_back, put_on_bus, send_header
from sim_model.harts.page_sets import first_page, is_any, next_page, take_page
from sim_model.harts.state import COPIES, ENDED
from sim_model.loops.bits import INDEX_SHIFT, MESSAGE_SHIFT, TAIL
from sim_model.loops.compiled import compiled, compiled_apart
from topology.harts.frame import SLOTS
from topology.harts.header import HOST


@compiled
def step_transmitter(cycle, switch, port, state, family):
    """Run one slot of a transmitter. Returns a number that is 0 if nothing has changed.

    If the page ahead is for any packet, all waiting packets take turns; otherwise those of a sufficient level.
    """
    vertex = state.vertices[switch]
    number = vertex.first_output + port
    transmitter = family.transmitters[number]
    changes = 0
    waiting = family.waiting[switch, port]
    wish = 0
    if is_any(waiting):
        ahead = 1 if port == HOST else page_ahead(cycle, number, family)
        idle = transmitter.page == NONE and not transmitter.owned and cycle >= transmitter.free_cycle
        starts = idle and ahead != NONE and not vertex.occupied >> port & 1
        if starts:
            first = ahead == 1
            page = first_page(waiting, transmitter.turn) if first else _entitled(switch, waiting, transmitter, family)
            _start(switch, port, number, page, family)
        elif port != HOST:
            wish = _highest_level(switch, waiting, family) + 1
    if transmitter.page != NONE and not vertex.occupied >> port & 1:
        packet = family.packets[switch * family.pages + transmitter.page]
        _send_word(number, transmitter, packet, state.counters, family)
        changes += 1
        if transmitter.position == packet.flits:
            _end(cycle, switch, port, transmitter, packet, state, family)
    if wish != transmitter.wish:
        transmitter.wish_before = transmitter.wish
        transmitter.wish_changed_cycle = cycle
        transmitter.wish = wish
        changes += 1
    return changes


@compiled
def page_ahead(cycle, number, family):
    """Return the kept page of the next node: NONE, one for a packet of the wished level (0), or for any (1)."""
    receiver = family.receivers[number]
    unseen = cycle - receiver.changed_cycle < family.link_cycles
    landing = receiver.landing_before if unseen else receiver.landing
    if landing == NONE:
        return NONE
    return receiver.for_any


@compiled
def _highest_level(switch, waiting, family):
    """Return the most links that any of the packets in a set of pages has travelled."""
    highest = 0
    page = next_page(waiting, NONE)
    while page != NONE:
        highest = max(highest, family.packets[switch * family.pages + page].hops)
        page = next_page(waiting, page)
    return highest


@compiled
def _entitled(switch, waiting, transmitter, family):
    """Return the page of the next packet in turn of the level for which the page ahead is kept."""
    lowest = NONE
    page = next_page(waiting, NONE)
    while page != NONE:
        if family.packets[switch * family.pages + page].hops + 1 >= transmitter.wish:
            if page >= transmitter.turn:
                return page
            if lowest == NONE:
                lowest = page
        page = next_page(waiting, page)
    return lowest


@compiled
def _start(switch, port, number, page, family):
    """Begin with a stored packet."""
    packet, transmitter = family.packets[switch * family.pages + page], family.transmitters[number]
    take_page(page, family.waiting[switch, port])
    transmitter.page = page
    transmitter.position = 0
    transmitter.turn = page + 1 if page + 1 < family.pages else 0
    head = family.heads[number]
    send_header(family.operation[packet.message], packet, port, head, family)
    if family.nodes[switch].corrupting and packet.direction != HOST and port != HOST:
        head.spoilt = 1


@compiled
def _send_word(number, transmitter, packet, counters, family):
    """Send one word from the packet memory."""
    tail = TAIL if transmitter.position == packet.flits - 1 else 0
    put_on_bus(number, packet.message << MESSAGE_SHIFT | transmitter.position << INDEX_SHIFT | tail, family)
    transmitter.position += 1
    counters[FLITS_IN_NETWORK] += 1


@compiled
def _end(cycle, switch, port, transmitter, packet, state, family):
    """End a send after its tail: the transmitter is free after the gap, and the page after its last send."""
    node = family.nodes[switch]
    if port == HOST:
        node.logged = _log(cycle + 2, switch, packet, family)
    transmitter.free_cycle = cycle + SLOTS + family.gap_cycles
    packet.sends -= 1
    if packet.sends == 0:
        state.counters[FLITS_IN_NETWORK] -= packet.flits
        family.ended[family.counters[ENDED]] = switch * family.pages + transmitter.page
        family.counters[ENDED] += 1
    transmitter.page = NONE


@compiled
def hand_over(cycle, switch, page, packet, state, family):
    """Deliver a packet to a host that gets it where it is stored (``memory_hosts``)."""
    _log(cycle, switch, packet, family)
    count_arrival(cycle, switch, packet.message, state)
    packet.outputs &= ~(1 << HOST)
    packet.sends -= 1
    if packet.sends == 0:
        state.counters[FLITS_IN_NETWORK] -= packet.flits
        give_back(switch, page, family)


@compiled
def _log(cycle, switch, packet, family):
    """Log a delivered packet or copy. Returns its position in the log."""
    position = family.counters[COPIES]
    if position == len(family.log):
        return NONE  # more than can ever arrive; the deliveries count them as duplicates
    entry = family.log[position]
    family.counters[COPIES] += 1
    entry.message = packet.message
    entry.node = switch
    entry.direction = packet.direction
    entry.hops = packet.hops
    entry.stage = packet.stage
    entry.spoilt = packet.spoilt
    entry.stored_cycle = packet.stored_cycle
    entry.cycle = cycle
    return position


@compiled_apart
def postpone_deliveries(cycle, state, family):
    """Delay logged deliveries of packets whose tail a stalling host has left on its channel."""
    for switch in range(state.switches):
        vertex, logged = state.vertices[switch], family.nodes[switch].logged
        if logged == NONE or not vertex.occupied >> HOST & 1:
            continue
        if state.channels[vertex.first_output + HOST].register & TAIL:
            family.log[logged].cycle = cycle + 1
