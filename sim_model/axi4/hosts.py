"""Hosts of AXI4 ends: managers that offer their transactions in order, and memories.

Hosts pause and stall as ``topology/common/host_pattern.py`` defines. Channel c of port p is source or receiver number
5 p + c; ports are those of the managers, then those of the subordinates. A source that pauses offers nothing new; an
offer stays until it is taken.
"""

from sim_model.axi4.state import AR, AW, READS, RING, WRITES, B, R, W
from sim_model.engines.cycle.endpoints import holds_back
from sim_model.engines.cycle.records import NONE
from sim_model.loops.compiled import compiled


@compiled
def pauses(cycle, port, channel, ends):
    """Return whether a source offers nothing new in a cycle."""
    return ends.pause_level > 0 and holds_back(cycle, ends.phases[port, channel], ends.pause_level, ends.ring)


@compiled
def takes(cycle, port, channel, ends):
    """Return whether a receiver is ready in a cycle."""
    for position in range(len(ends.blockades)):
        blocked = ends.blockades[position, 0] == port
        if blocked and ends.blockades[position, 1] <= cycle < ends.blockades[position, 2]:
            return False
    if ends.stall_level == 0:
        return True
    return not holds_back(cycle, ends.phases[port, channel], ends.stall_level, ends.ring)


@compiled
def offer_requests(number, cycle, ends):
    """Offer the next transaction of a manager and the next beat of its writes, at the start of a cycle."""
    manager = ends.managers[number]
    following = manager.next
    if following < manager.end and manager.outstanding < ends.host_outstanding:
        transaction = ends.transactions[following]
        port = ends.ports[2 * number + (WRITES if transaction.is_write else READS)]
        channel = AW if transaction.is_write else AR
        if transaction.start_cycle <= cycle and port.offer == NONE and not pauses(cycle, number, channel, ends):
            port.offer = following
            transaction.offered_cycle = cycle
            manager.outstanding += 1
            manager.next += 1
    following = manager.w_next
    is_due = manager.w_offer == NONE and following != NONE and following < manager.next
    if is_due and not pauses(cycle, number, W, ends):
        manager.w_offer = following


@compiled
def end_beat(manager, ends):
    """Remove the beat that the interface has taken from channel W."""
    write = ends.transactions[manager.w_offer]
    manager.w_offer = NONE
    manager.w_beat += 1
    if manager.w_beat == write.beats:
        manager.w_beat = 0
        manager.w_next = write.next_write


@compiled
def end_transaction(manager, transaction, cycle, ends):
    """Note that a manager has taken all of a transaction's response."""
    ends.transactions[transaction].done_cycle = cycle
    manager.outstanding -= 1


@compiled
def offer_responses(number, cycle, ends):
    """Offer the next responses of a memory, at the start of a cycle."""
    memory = ends.subordinates[number]
    port = len(ends.managers) + number
    given = memory.writes_answered
    complete = min(memory.aw_taken, memory.w_taken)
    if memory.b_valid == 0 and given < complete and ends.b_due[number, given % RING] <= cycle:
        memory.b_valid = 0 if pauses(cycle, port, B, ends) else 1
    given = memory.reads_answered
    is_due = memory.r_valid == 0 and given < memory.ar_taken and ends.r_due[number, given % RING] <= cycle
    if is_due and not pauses(cycle, port, R, ends):
        memory.r_valid = 1
        _read_beat(ends.responses[ends.read_ring[number, given % RING]].first_place + memory.r_beat, ends)


@compiled
def _read_beat(place, ends):
    for lane in range(ends.memory.shape[1]):
        ends.read[place, lane] = ends.memory[ends.places[place], lane]


@compiled
def take_address(number, cycle, direction, ends):
    """Take a request at a memory."""
    memory = ends.subordinates[number]
    if direction == READS:
        ends.r_due[number, memory.ar_taken % RING] = cycle + ends.memory_cycles
        memory.ar_taken += 1
    else:
        memory.aw_taken += 1
        if memory.aw_taken <= memory.w_taken:
            ends.b_due[number, (memory.aw_taken - 1) % RING] = cycle + ends.memory_cycles


@compiled
def take_beat(number, cycle, response, is_last, ends):
    """Store a beat in a memory."""
    memory = ends.subordinates[number]
    if len(ends.memory) > 0:
        answer = ends.responses[response]
        place = ends.places[answer.first_place + memory.w_beat]
        request = ends.requests[answer.request]
        beat = ends.transactions[request.transaction].first_beat + request.first_beat + memory.w_beat
        for lane in range(ends.memory.shape[1]):
            kept = ends.memory[place, lane] & ~ends.masks[beat, lane]
            ends.memory[place, lane] = kept | ends.written[beat, lane] & ends.masks[beat, lane]
    memory.w_beat += 1
    if is_last:
        memory.w_beat = 0
        memory.w_taken += 1
        if memory.w_taken <= memory.aw_taken:
            ends.b_due[number, (memory.w_taken - 1) % RING] = cycle + ends.memory_cycles
