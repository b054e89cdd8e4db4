"""Interface of a subordinate, as in ``rtl/axi4/subordinate.py``, with its memory: one step, from the registers."""

from sim_model.axi4.hosts import offer_responses, take_address, take_beat, takes
from sim_model.axi4.state import (
    AR,
    AW,
    PENDING,
    READS,
    RESPONSES,
    RING,
    SUBORDINATE,
    WRITE_BEATS,
    WRITES,
    B,
    R,
    W,
)
from sim_model.axi4.streams import front, is_blocked, is_ready, step_sink, step_source
from sim_model.axi4.timeout import step_timeout
from sim_model.engines.cycle.records import NONE
from sim_model.loops.bits import TAIL, message_of
from sim_model.loops.compiled import compiled

IDLE, HEAD, BODY = range(3)
"""States of the sender of responses."""


@compiled
def step_subordinate(number, cycle, row, trace, ends, requests, responses):
    """Step an interface and its memory by one cycle. Returns the number of handshakes."""
    own = ends.subordinates[number]
    offer_responses(number, cycle, ends)
    flit = front(ends.request_sinks[number], requests)
    port = len(ends.managers) + number
    aw_ready, w_ready = takes(cycle, port, AW, ends), takes(cycle, port, W, ends)
    ar_ready = takes(cycle, port, AR, ends)
    ready = is_ready(ends.response_sources[number], responses)
    if ends.timeout_cycles > 0:
        b_ready, r_ready = ready and own.state == HEAD and own.reads == 0, ready and own.state == BODY
        step_timeout(number, flit, aw_ready, w_ready, ar_ready, b_ready, r_ready, ends)
    if row < len(trace.manager_ready):
        _record(number, row, flit, ready, trace, ends)
        trace.subordinate_ready[row, number, AW] = 1 if aw_ready else 0
        trace.subordinate_ready[row, number, W] = 1 if w_ready else 0
        trace.subordinate_ready[row, number, AR] = 1 if ar_ready else 0
    handshakes = 0
    fresh, aw_valid, ar_valid = own.fresh, own.aw_valid, own.ar_valid
    response = own.response
    writes, reads = own.writes_queued - own.writes_answered, own.reads_queued - own.reads_answered
    has_room = writes < ends.pending and reads < ends.pending
    write_given, read_given = writes > 0, reads > 0
    if fresh:
        own.fresh = 0
        if aw_valid:
            ends.write_ring[number, own.writes_queued % RING] = response
            own.writes_queued += 1
        else:
            ends.read_ring[number, own.reads_queued % RING] = response
            own.reads_queued += 1
    if aw_valid:
        if aw_ready:
            handshakes += 1
            own.aw_valid = 0
            take_address(number, cycle, WRITES, ends)
        else:
            ends.stalls[SUBORDINATE] += 1
    if ar_valid:
        if ar_ready:
            handshakes += 1
            own.ar_valid = 0
            take_address(number, cycle, READS, ends)
        else:
            ends.stalls[SUBORDINATE] += 1
    handshakes += _step_requests(number, cycle, flit, w_ready, has_room, aw_valid | ar_valid, ends, requests)
    handshakes += _step_responses(number, ready, write_given, read_given, ends, responses)
    return handshakes


@compiled
def _step_requests(number, cycle, flit, w_ready, has_room, offered, ends, requests):
    """Take a word of a request. Returns the number of beats that the memory takes."""
    own, sink = ends.subordinates[number], ends.request_sinks[number]
    if own.in_body:
        step_sink(sink, w_ready, requests)
        if flit == NONE:
            return 0
        if not w_ready:
            ends.stalls[SUBORDINATE] += 1
            return 0
        is_last = flit & TAIL != 0
        take_beat(number, cycle, own.response, is_last, ends)
        ends.counters[WRITE_BEATS] += 1
        if is_last:
            own.in_body = 0
        return 1
    can_take = has_room and offered == 0
    step_sink(sink, can_take, requests)
    if flit == NONE:
        return 0
    if not can_take:
        if not has_room:
            ends.stalls[PENDING] += 1
        return 0
    own.position += 1
    if own.position == ends.request_words:
        own.position = 0
        own.fresh = 1
        request = message_of(flit)
        own.response = _response_to(number, request, ends)
        if ends.transactions[ends.requests[request].transaction].is_write:
            own.aw_valid = 1
            own.in_body = 1
        else:
            own.ar_valid = 1
    return 0


@compiled
def _response_to(number, request, ends):
    """Return the response of a subordinate to a request."""
    response = ends.requests[request].first_response
    while ends.responses[response].subordinate != number:
        response += 1
    return response


@compiled
def _step_responses(number, ready, write_given, read_given, ends, responses):
    """Send a word of a response. Returns the number of handshakes on B and R."""
    own, source = ends.subordinates[number], ends.response_sources[number]
    write = ends.write_ring[number, own.writes_answered % RING]
    read = ends.read_ring[number, own.reads_answered % RING]
    if own.state == IDLE:
        step_source(source, NONE, False, False, 0, responses)
        can_write = own.b_valid != 0 and write_given
        can_read = own.r_valid != 0 and read_given
        own.reads = 1 if can_read and not (can_write and own.read_last) else 0
        if can_write or can_read:
            own.state = HEAD
        return 0
    if own.state == HEAD:
        step_source(source, read if own.reads else write, own.reads == 0, False, 0, responses)
        own.read_last = own.reads
        if not ready:
            ends.stalls[RESPONSES] += 1 if is_blocked(source, responses) else 0
            return 0
        if own.reads:
            own.state = BODY
            return 0
        own.state = IDLE
        own.writes_answered += 1
        own.b_valid = 0
        return 1
    beats = ends.requests[ends.responses[read].request].beats
    is_last = own.r_beat == beats - 1
    step_source(source, read if own.r_valid else NONE, is_last, False, 0, responses)
    if own.r_valid == 0:
        return 0
    if not ready:
        ends.stalls[RESPONSES] += 1
        return 0
    own.r_valid = 0
    own.r_beat += 1
    if is_last:
        own.r_beat = 0
        own.reads_answered += 1
        own.state = IDLE
    return 1


@compiled
def _record(number, row, flit, ready, trace, ends):
    """Record what interface and memory show at the start of a cycle, except for the memory's ``ready``."""
    own = ends.subordinates[number]
    offers, readies = trace.subordinate_offers, trace.subordinate_ready
    if own.aw_valid:
        offers[row, number, AW] = own.response << 8
    if own.ar_valid:
        offers[row, number, AR] = own.response << 8
    if own.in_body and flit != NONE:
        offers[row, number, W] = own.response << 8 | own.w_beat
    if own.b_valid:
        offers[row, number, B] = ends.write_ring[number, own.writes_answered % RING] << 8
    if own.r_valid:
        offers[row, number, R] = ends.read_ring[number, own.reads_answered % RING] << 8 | own.r_beat
    readies[row, number, B] = 1 if ready and own.state == HEAD and own.reads == 0 else 0
    readies[row, number, R] = 1 if ready and own.state == BODY else 0
