"""Endpoints of the plane: one step of an endpoint and its host, from the registers at the start of the cycle."""

from sim_model.collective_plane.folding import natural, wide
from sim_model.collective_plane.hosts import (
    choose_beat,
    end_arrival,
    end_barrier,
    find_next,
    may_begin,
    pauses,
    request_barriers,
    send_beat,
    stalls,
    take_result,
)
from sim_model.collective_plane.resets import reset_member
from sim_model.collective_plane.state import (
    ERROR,
    FIFO_BEATS,
    FLUSHED,
    GROUP_SHIFT,
    HOP,
    LAST,
)
from sim_model.collective_plane.switches import announce_up, put_up
from sim_model.loops.bits import first_at_or_after, lowest_bit
from sim_model.loops.compiled import compiled


@compiled
def step_endpoint(processor, cycle, now, following, trace, line, state):
    """Step an endpoint and its host by one cycle.

    Parameters:
        now, following (int): Entries of this cycle and the next one in rings of slots.
        trace, line (PlaneTrace and int): Line of the recording for inputs; none if there is no such line.

    Returns:
        int: 0 only if nothing changed.
    """
    endpoint = state.endpoints[processor]
    flushed = state.counters[FLUSHED]
    changes = 0
    taken = 0
    ready_before = endpoint.ready
    # from registers
    if endpoint.beats > 0 or endpoint.requested != 0:
        changes += _send(processor, following, flushed, state)
    if endpoint.done != 0:
        changes += 1
        _take_barriers(processor, cycle, state)
    takes = 0 if stalls(processor, cycle, state) else 1
    if endpoint.valid != 0:
        changes += 1
        if takes != 0:
            taken = 1 << endpoint.group
            _take_beat(processor, cycle, state)
    # host
    if cycle >= endpoint.wake_cycle:
        find_next(processor, cycle, state)
    requested = 0
    if endpoint.streams | endpoint.barriers | endpoint.offered != 0:
        if pauses(processor, cycle, state):
            changes += may_begin(processor, state)
        else:
            requested = request_barriers(processor, cycle, state)
            if endpoint.offered == 0:
                changes += choose_beat(processor, state)
        if endpoint.offered != 0:
            if line < len(trace.beat_marks):
                _record_beat(processor, trace, line, state)
            if ready_before != 0:
                changes += 1
                send_beat(processor, cycle, state)
    if requested != 0:
        changes += 1
    if line < len(trace.beat_marks):
        trace.requests[line, processor] = requested
        trace.takes[line, processor] = takes
    # from the link
    changes += _receive(processor, now, following, taken, flushed, state)
    if endpoint.valid == 0 and endpoint.stored & ~flushed != 0:
        _load_result(processor, flushed, state)
    rest = flushed
    while rest != 0:
        reset_member(processor, lowest_bit(rest), state)
        rest &= rest - 1
    endpoint.ready = 1 if endpoint.beats < FIFO_BEATS else 0
    return changes


@compiled
def _send(processor, following, flushed, state):
    """Load the link register from the FIFO or a requested barrier. Returns 1 if there is a word."""
    endpoint = state.endpoints[processor]
    able = endpoint.credited & ~flushed
    starting = able & ~endpoint.closed
    barriers = endpoint.requested & starting & ~endpoint.sending
    stream = False
    group = 0
    if endpoint.beats > 0:
        beat = state.beats[processor * FIFO_BEATS + endpoint.first_beat]
        group = beat.group
        if endpoint.sending >> group & 1 != 0:
            stream = able >> group & 1 != 0
        else:
            stream = starting >> group & 1 != 0 and beat.before == 0
        if barriers != 0:
            barriers &= ~_held_back(processor, state)
    if stream and (barriers == 0 or endpoint.stream_had == 0):
        endpoint.stream_had = 1
        _send_from_stream(processor, group, following, state)
        return 1
    if barriers != 0:
        endpoint.stream_had = 0
        _send_barrier(processor, lowest_bit(barriers), following, state)
        return 1
    return 0


@compiled
def _held_back(processor, state):
    """Return the groups whose barriers come behind a packet in the FIFO."""
    endpoint = state.endpoints[processor]
    held = 0
    for position in range(endpoint.beats):
        beat = state.beats[processor * FIFO_BEATS + ((endpoint.first_beat + position) & (FIFO_BEATS - 1))]
        if beat.is_first != 0 and beat.before == 0:
            held |= 1 << beat.group
    return held


@compiled
def _send_from_stream(processor, group, following, state):
    endpoint = state.endpoints[processor]
    beat = state.beats[processor * FIFO_BEATS + endpoint.first_beat]
    bit = 1 << group
    if endpoint.sending & bit != 0:
        _put(processor, group, beat.word, LAST if beat.last != 0 else 0, following, state)
        endpoint.beats -= 1
        endpoint.first_beat ^= 1
        if beat.last != 0:
            endpoint.sending &= ~bit
    else:
        endpoint.sending |= bit
        if state.built >> beat.operator & 1 != 0:
            _put(processor, group, beat.operator, 0, following, state)
        else:
            _put(processor, group, state.lowest_built, ERROR, following, state)
        beat.is_first = 0
        _begin(processor, group, state)


@compiled
def _send_barrier(processor, group, following, state):
    endpoint = state.endpoints[processor]
    member = state.members[endpoint.first_member + group]
    member.requests -= 1
    if member.requests == 0:
        endpoint.requested &= ~(1 << group)
    for position in range(endpoint.beats):
        beat = state.beats[processor * FIFO_BEATS + ((endpoint.first_beat + position) & (FIFO_BEATS - 1))]
        if beat.is_first != 0 and beat.group == group:
            beat.before -= 1
    _put(processor, group, state.lowest_built, LAST, following, state)
    _begin(processor, group, state)


@compiled
def _begin(processor, group, state):
    """Count an operation that is under way."""
    endpoint = state.endpoints[processor]
    member = state.members[endpoint.first_member + group]
    member.under_way += 1
    if member.under_way >= state.window:
        endpoint.closed |= 1 << group


@compiled
def _finish(processor, group, state):
    """Count an operation whose result is with the user."""
    endpoint = state.endpoints[processor]
    member = state.members[endpoint.first_member + group]
    member.under_way -= 1
    if member.under_way < state.window:
        endpoint.closed &= ~(1 << group)


@compiled
def _put(processor, group, word, marks, following, state):
    """Load the link register, at the cost of a credit."""
    endpoint = state.endpoints[processor]
    member = state.members[endpoint.first_member + group]
    put_up(endpoint.first_queue + group, word, marks | group << GROUP_SHIFT, state)
    announce_up(natural(following * state.switch_count) + endpoint.home, group, endpoint.port, state)
    member.credits -= 1
    if member.credits == 0:
        endpoint.credited &= ~(1 << group)


@compiled
def _take_barriers(processor, cycle, state):
    """Give the user the barriers that are done in this cycle."""
    endpoint = state.endpoints[processor]
    rest = wide(endpoint.done)
    while rest != 0:
        group = lowest_bit(rest)
        rest &= rest - 1
        end_barrier(processor, group, endpoint.done_error >> group & 1, cycle, state)
        _finish(processor, group, state)
    endpoint.done = 0
    endpoint.done_error = 0


@compiled
def _take_beat(processor, cycle, state):
    """Give the user the beat in the result register."""
    endpoint = state.endpoints[processor]
    endpoint.valid = 0
    is_last = endpoint.marks & LAST
    is_wrong = 1 if endpoint.marks & ERROR != 0 else 0
    take_result(processor, endpoint.group, endpoint.word, is_last, is_wrong, cycle, state)
    if is_last != 0:
        _finish(processor, endpoint.group, state)


@compiled
def _receive(processor, now, following, taken, flushed, state):
    """Store the word and count the credit that arrive in this cycle, and return credits.

    Parameters:
        taken: Mask of the group of the result beat that the user took in this cycle; 0 for none.

    Returns:
        int: 0 only if nothing changed.
    """
    endpoint = state.endpoints[processor]
    out = state.outputs[natural(now * state.switch_count) + endpoint.home]
    changes = 0
    header = 0
    if out.branches >> endpoint.port & 1 != 0:
        changes += HOP
        group = out.marks >> GROUP_SHIFT
        bit = 1 << group
        if endpoint.receiving & bit != 0:
            if flushed & bit == 0:
                _store(processor, group, out, state)
            if out.marks & LAST != 0:
                endpoint.receiving &= ~bit
                end_arrival(processor, group, 0, state)
        else:
            header = bit
            if out.marks & LAST != 0:
                endpoint.done |= bit
                end_arrival(processor, group, 1, state)
                if out.marks & ERROR != 0:
                    endpoint.done_error |= bit
            else:
                endpoint.receiving |= bit
    if out.credited >> endpoint.port & 1 != 0:
        changes += 1
        state.members[endpoint.first_member + out.credit_group].credits += 1
        endpoint.credited |= 1 << out.credit_group
    pulses = (endpoint.owing | taken | header) & ~flushed
    if pulses != 0:
        changes += 1
        _return_credits(endpoint, pulses, following, state)
        _keep_credits(endpoint, taken & header & ~flushed, endpoint.owing & ~(taken | header | flushed), state)
    return changes


@compiled
def _store(processor, group, out, state):
    """Store a word of a result, in the output register if that is empty and no word waits for it."""
    endpoint = state.endpoints[processor]
    if endpoint.valid | endpoint.stored == 0:
        endpoint.valid = 1
        endpoint.group = group
        endpoint.word = out.word
        endpoint.marks = out.marks
        endpoint.result_turn = group
        return
    member = state.members[endpoint.first_member + group]
    place = natural((endpoint.first_member + group) << state.result_bits) + (member.result_tail & state.result_mask)
    entry = state.results[place]
    entry.word = out.word
    entry.marks = out.marks
    member.result_tail += 1
    endpoint.stored |= 1 << group


@compiled
def _return_credits(endpoint, pulses, following, state):
    """Load the credit registers of some groups."""
    above = natural(following * state.switch_count) + endpoint.home
    state.returned_groups[above] |= pulses
    while pulses != 0:
        group = lowest_bit(pulses)
        pulses &= pulses - 1
        state.returned[natural(above * state.groups) + group] |= 1 << endpoint.port


@compiled
def _keep_credits(endpoint, more, fewer, state):
    """Count the credits that fall due beside the one that is returned in this cycle.

    Parameters:
        more, fewer (int): Masks of groups with two that fall due now, and with none.
    """
    rest = more | fewer
    while rest != 0:
        group = lowest_bit(rest)
        rest &= rest - 1
        member = state.members[endpoint.first_member + group]
        member.owed += 1 if more >> group & 1 != 0 else -1
        if member.owed != 0:
            endpoint.owing |= 1 << group
        else:
            endpoint.owing &= ~(1 << group)


@compiled
def _load_result(processor, flushed, state):
    """Load the result register from the first group, in turn, that has a word."""
    endpoint = state.endpoints[processor]
    group = first_at_or_after(endpoint.stored & ~flushed, endpoint.result_turn + 1)
    member = state.members[endpoint.first_member + group]
    place = natural((endpoint.first_member + group) << state.result_bits) + (member.result_head & state.result_mask)
    entry = state.results[place]
    endpoint.valid = 1
    endpoint.group = group
    endpoint.word = entry.word
    endpoint.marks = entry.marks
    endpoint.result_turn = group
    member.result_head += 1
    if member.result_head == member.result_tail:
        endpoint.stored &= ~(1 << group)


@compiled
def _record_beat(processor, trace, line, state):
    """Record the offered beat."""
    endpoint = state.endpoints[processor]
    member = state.members[endpoint.first_member + endpoint.offered_group]
    job = state.jobs[member.next]
    is_last = LAST if member.sent == job.words - 1 else 0
    trace.beat_words[line, processor] = state.words[job.first_word + member.sent * job.stride]
    trace.beat_marks[line, processor] = is_last | endpoint.offered_group << GROUP_SHIFT
    trace.beat_operators[line, processor] = job.operator
