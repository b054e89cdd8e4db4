"""Responses at a manager's interface, as in ``rtl/axi4``: response receiver, collection of write responses, channel B.

All functions step a part by one cycle, from its registers and the wires of the parts before it.
"""

from sim_model.axi4.requests import NEXT
from sim_model.axi4.state import MAX_SLOTS, READ_BEATS, READS, WRITES
from sim_model.axi4.streams import front, step_sink, word_of
from sim_model.engines.cycle.records import NONE
from sim_model.loops.bits import TAIL, message_of
from sim_model.loops.compiled import compiled
from topology.axi4.words import DECERR

HEAD, BODY, ERROR = range(3)
"""States of the response receiver."""


@compiled
def step_receiver(number, r_ready, ends, responses):
    """Take a word of a response; set the wires of what has come or ended. Returns 1 for a handshake on R."""
    manager, sink = ends.managers[number], ends.response_sinks[number]
    ar = ends.ports[2 * number + READS]
    manager.answered, manager.ended = NONE, NONE
    manager.piece_ended = manager.read_failed = 0
    flit = front(sink, responses)
    if manager.receiving == HEAD:
        if ar.granted and not ends.transactions[ar.transaction].found:
            step_sink(sink, False, responses)
            manager.r_left = ends.transactions[ar.transaction].beats - 1
            manager.receiving = ERROR
            return 0
        is_held = manager.state == NEXT  # another piece of a write is counted
        step_sink(sink, not is_held, responses)
        if flit != NONE and not is_held:
            response = message_of(flit)
            if ends.transactions[ends.requests[ends.responses[response].request].transaction].is_write:
                manager.answered = response
            else:
                manager.r_response = response
                manager.receiving = BODY
        return 0
    if manager.receiving == BODY:
        step_sink(sink, r_ready, responses)
        if flit == NONE or not r_ready:
            return 0
        answer = ends.responses[manager.r_response]
        request = ends.requests[answer.request]
        _keep_worst(request.transaction, answer.answer, ends)
        if flit & TAIL:
            manager.receiving = HEAD
            if request.pieces_follow:
                manager.piece_ended = 1
            else:
                manager.ended = request.transaction
    else:
        step_sink(sink, False, responses)
        if not r_ready:
            return 0
        manager.r_left -= 1
        if manager.r_left < 0:
            ends.transactions[ar.transaction].response = DECERR
            manager.read_failed = 1
            manager.ended = ar.transaction
            manager.receiving = HEAD
    ends.counters[READ_BEATS] += 1
    return 1


@compiled
def _keep_worst(transaction, answer, ends):
    ends.transactions[transaction].response = max(ends.transactions[transaction].response, answer)


@compiled
def step_writes(number, b_ready, ends):
    """Collect the response of a write, and step channel B.

    Returns:
        int: Mask of slots that become free.
    """
    manager = ends.managers[number]
    first_slot, ring = (2 * number + WRITES) * MAX_SLOTS, ends.completes[number]
    loads = manager.complete_count > 0 and (manager.b_valid == 0 or b_ready)
    freed = 0
    manager.b_valid = 1 if loads or (manager.b_valid and not b_ready) else 0
    if loads:
        slot = ring[manager.complete_head]
        freed = 1 << slot
        manager.b_transaction = ends.slots[first_slot + slot].transaction
        ends.transactions[manager.b_transaction].response = ends.slots[first_slot + slot].worst
        manager.complete_head = (manager.complete_head + 1) % MAX_SLOTS
        manager.complete_count -= 1
    port = ends.ports[2 * number + WRITES]
    if manager.aw_start:
        slot = ends.slots[first_slot + port.slot]
        slot.worst = DECERR if manager.write_failed else 0
        slot.left = ends.transactions[port.transaction].receivers
        if manager.write_failed:
            _complete(manager, ring, port.slot)
    if manager.aw_again:
        write = ends.transactions[port.transaction]
        ends.slots[first_slot + write.slot].left += write.receivers
    if manager.answered != NONE:
        answer = ends.responses[manager.answered]
        transaction = ends.requests[answer.request].transaction
        number = ends.transactions[transaction].slot
        slot = ends.slots[first_slot + number]
        slot.worst = max(slot.worst, answer.answer)
        slot.left -= 1
        if slot.left == 0 and not (manager.was_sending and port.transaction == transaction):
            _complete(manager, ring, number)
    return freed


@compiled
def _complete(manager, ring, slot):
    ring[(manager.complete_head + manager.complete_count) % MAX_SLOTS] = slot
    manager.complete_count += 1


@compiled
def read_offer(number, ends, responses):
    """Return what channel R offers, packed as in a recording."""
    manager = ends.managers[number]
    if manager.receiving == BODY:
        sink = ends.response_sinks[number]
        flit = front(sink, responses)
        return NONE if flit == NONE else manager.r_response << 8 | (word_of(flit, sink, responses) - 1)
    if manager.receiving == ERROR:
        transaction = ends.ports[2 * number + READS].transaction
        return -2 - (transaction << 8 | (ends.transactions[transaction].beats - 1 - manager.r_left))
    return NONE
