"""Requests of a manager's interface, as in ``rtl/axi4``: address ports, slots, store of writes, request sender.

All functions step a part by one cycle, from its registers and the wires of the parts before it.
"""

from sim_model.axi4.state import DATA, MAX_SLOTS, NO_SLOT, READS, REQUESTS, SAME_ID, WRITES
from sim_model.axi4.streams import is_ready, step_source
from sim_model.engines.cycle.records import NONE
from sim_model.loops.bits import lowest_bit
from sim_model.loops.compiled import compiled

IDLE, COPY, HEAD, BODY, NEXT, DRAIN = range(6)
"""States of the request sender."""
MAX_BURSTS = 7
"""Complete bursts that a store of whole bursts holds."""


@compiled
def step_sender(number, ends, requests):
    """Send a word of a request, or drop a beat of a write without destination; set the wires of what it takes."""
    manager, source = ends.managers[number], ends.request_sources[number]
    ready = is_ready(source, requests)
    manager.was_sending = manager.sending
    manager.aw_start = manager.aw_pop = manager.aw_again = manager.ar_start = manager.ar_pop = 0
    manager.beat_pop = manager.rewinds = manager.write_failed = 0
    message, is_last = NONE, False
    state = manager.state
    if state == IDLE:
        _choose(number, ends)
    elif state == HEAD:
        message = manager.write_request if manager.writes else manager.read_request
        is_last = manager.writes == 0 and manager.position == ends.request_words - 1
        if ready:
            _take_field(manager, ends)
    elif state == BODY:
        if manager.valid:
            message = manager.write_request
            request = ends.requests[message]
            is_last = manager.front_beat == request.first_beat + request.beats - 1
            if ready:
                _take_beat(manager, request, is_last)
    elif state == DRAIN:
        _drain(number, ends)
    else:
        manager.position = 0
        _begin_request(manager, state, ends)
    by_set = message != NONE and ends.transactions[ends.requests[message].transaction].by_set != 0
    step_source(source, message, is_last, by_set, ends.key_cycles, requests)
    if manager.piece_ended:
        manager.due = 1


@compiled
def _choose(number, ends):
    """Choose a read or a write, in turn."""
    manager = ends.managers[number]
    aw, ar = ends.ports[2 * number + WRITES], ends.ports[2 * number + READS]
    manager.position = 0
    can_write = aw.granted != 0 and _is_startable(manager, ends)
    can_read = ar.granted != 0 and ends.transactions[ar.transaction].found != 0
    if manager.reading:
        can_read = manager.due != 0
    if can_write and not (can_read and manager.write_last):
        manager.writes = manager.write_last = 1
        write = ends.transactions[aw.transaction]
        if not write.found:
            manager.state = DRAIN
            return
        manager.aw_start = ends.repeats
        manager.write_request = write.request
        manager.sending = ends.requests[write.request].pieces_follow
        manager.state = COPY if write.is_multicast and ends.copies else HEAD
    elif can_read:
        manager.writes = manager.write_last = manager.due = 0
        manager.read_request = (
            manager.read_request + 1 if manager.reading else ends.transactions[ar.transaction].request
        )
        manager.state = HEAD


@compiled
def _take_field(manager, ends):
    """End a word of fields that the network takes."""
    manager.position += 1
    if manager.position < ends.request_words:
        return
    if manager.writes:
        request = ends.requests[manager.write_request]
        manager.state = BODY
        if not request.copies_follow and not request.pieces_follow:
            manager.aw_pop = 1
            manager.sending = 0
            if not ends.repeats:
                manager.aw_start = 1
    else:
        manager.state = IDLE
        manager.ar_start = 0 if manager.reading else 1
        manager.reading = ends.requests[manager.read_request].pieces_follow
        manager.ar_pop = 0 if manager.reading else 1


@compiled
def _take_beat(manager, request, is_last):
    """End a beat that the network takes."""
    manager.beat_pop = 1
    if not is_last:
        return
    manager.state = NEXT if manager.sending else IDLE
    if request.copies_follow:
        manager.rewinds = 1
        manager.write_request += 1
        manager.state = COPY


@compiled
def _begin_request(manager, state, ends):
    """Begin another request of a write: a copy, or the first one of another piece."""
    if state == NEXT:
        manager.aw_again = 1
        manager.write_request += 1
        is_multicast = ends.transactions[ends.requests[manager.write_request].transaction].is_multicast
        manager.state = COPY if is_multicast and ends.copies else HEAD
    else:
        manager.state = HEAD


@compiled
def _drain(number, ends):
    """Drop a beat of a write without destination; the last one together with the answer."""
    manager = ends.managers[number]
    manager.write_failed = 1
    if not manager.valid:
        return
    is_last = manager.front_beat == ends.transactions[manager.front_write].beats - 1
    if is_last and manager.answered != NONE:
        return
    manager.beat_pop = 1
    if is_last:
        manager.aw_start = manager.aw_pop = 1
        manager.state = IDLE


@compiled
def _is_startable(manager, ends):
    return manager.valid != 0 and (ends.whole == 0 or manager.bursts > 0)


@compiled
def step_port(number, direction, popped, starts, freed, ends):
    """Step an address port and the slots of its direction.

    Parameters:
        popped: The request in the port is dropped.
        starts: It becomes a transaction.
        freed: Mask of slots that become free.

    Returns:
        int: 1 if the manager's offer is taken.
    """
    port = ends.ports[2 * number + direction]
    taken = 1 if port.offer != NONE and port.ready else 0
    asked = port.decoded != 0 and not popped
    first_slot = (2 * number + direction) * MAX_SLOTS
    busy = port.busy
    free = ~busy & ((1 << ends.outstanding) - 1)
    has_conflict = asked and _has_conflict(port, first_slot, ends)
    if asked and not port.granted:
        ends.stalls[SAME_ID if has_conflict else NO_SLOT] += 1 if has_conflict or free == 0 else 0
    if starts:
        busy |= 1 << port.slot
        ends.slots[first_slot + port.slot].transaction = port.transaction
        ends.transactions[port.transaction].slot = port.slot
    granted = asked and not starts and free != 0 and not has_conflict
    if not port.granted:
        port.slot = lowest_bit(free) if free != 0 else 0
    port.granted = 1 if granted else 0
    port.busy = busy & ~freed
    held = port.held != 0 or taken != 0
    port.ready = 0 if held and not popped else 1
    port.decoded = 1 if port.held and not popped else 0
    port.held = 1 if held and not popped else 0
    if taken:
        port.transaction = port.offer
        port.offer = NONE
    return taken


@compiled
def _has_conflict(port, first_slot, ends):
    """Return whether a transaction of the same ID is under way that this one must not follow."""
    own = ends.transactions[port.transaction]
    rest = port.busy
    while rest != 0:
        other = ends.transactions[ends.slots[first_slot + lowest_bit(rest)].transaction]
        if other.id == own.id and (ends.pipelined == 0 or other.way != own.way):
            return True
        rest &= rest - 1
    return False


@compiled
def count_stalls(number, ends):
    """Count a cycle in which a request waits for data, or for the network."""
    manager = ends.managers[number]
    aw, ar = ends.ports[2 * number + WRITES], ends.ports[2 * number + READS]
    if aw.granted and not manager.aw_pop:
        ends.stalls[REQUESTS if _is_startable(manager, ends) else DATA] += 1
    if ar.granted and not manager.ar_pop and not manager.read_failed:
        ends.stalls[REQUESTS] += 1


@compiled
def step_store(manager, ends):
    """Step the store of writes, with the manager's beat in front of it. Returns 1 if the beat is taken."""
    taken = 1 if manager.w_offer != NONE and manager.w_ready else 0
    popped = manager.beat_pop != 0
    moved = manager.waits != 0 and (manager.valid == 0 or popped)
    fetched = 1 if manager.unread > 0 and (manager.waits == 0 or moved) else 0
    released = 1 if popped and not _is_kept(manager, ends) else 0
    enters, leaves = 0, 0
    if taken:
        write = ends.transactions[manager.w_offer]
        enters = 1 if manager.w_beat == write.beats - 1 else 0
        if manager.front_write == NONE:
            manager.front_write = manager.w_offer
            manager.front_beat = 0
    if popped:
        write = ends.transactions[manager.front_write]
        manager.front_beat += 1
        if manager.front_beat == write.beats and released:
            leaves = 1
            manager.front_write = write.next_write
            manager.front_beat = 0
    manager.w_ready = 1 if manager.stored < ends.write_beats - 2 else 0
    if ends.whole and manager.bursts >= MAX_BURSTS - 2:
        manager.w_ready = 0
    manager.bursts += enters - leaves
    manager.waits = 1 if fetched or (manager.waits and not moved) else 0
    manager.valid = 1 if moved or (manager.valid and not popped) else 0
    manager.stored += taken - (released if ends.copies else fetched)
    manager.unread += taken - fetched
    if manager.rewinds:
        manager.waits = manager.valid = 0
        manager.unread = manager.stored
        manager.front_beat = ends.requests[manager.write_request].first_beat
    return taken


@compiled
def _is_kept(manager, ends):
    """Return whether the beat that leaves comes again."""
    if ends.copies == 0 or manager.write_failed:
        return False
    # the request has changed behind the last beat of a copy
    return manager.rewinds != 0 or ends.requests[manager.write_request].copies_follow != 0
