"""Hosts of a plane: sources that offer contributions, receivers that take results.

A host offers the contributions to each group in their order: a packet on the stream, or a pulse on the request wire of
a barrier. A pausing host begins no offer, but an offered beat stays until it is taken.

A packet begins only if no contribution to another group with an earlier start, or the same start and a lower group,
waits. So the packets of all hosts to all groups come in one order, without which the one stream of a host would let
groups wait for each other in a circle.
"""

from sim_model.collective_plane.folding import wide
from sim_model.collective_plane.state import FIFO_BEATS, LEFT, SILENT, STRAY
from sim_model.engines.cycle.endpoints import holds_back
from sim_model.engines.cycle.records import NEVER, NONE
from sim_model.loops.bits import first_at_or_after, lowest_bit
from sim_model.loops.compiled import compiled


@compiled
def find_next(processor, cycle, state):
    """Update the groups whose next contribution may start, and the cycle in which the next of the others may."""
    endpoint = state.endpoints[processor]
    streams = 0
    barriers = 0
    wake_cycle = NEVER
    for group in range(state.groups):
        member = state.members[endpoint.first_member + group]
        if member.next == member.end:
            continue
        job = state.jobs[member.next]
        if job.held != 0:
            continue
        if job.after != NONE:
            awaited = state.jobs[job.after]
            if awaited.done_cycle == NONE:
                continue  # its end wakes the host
            job.start_cycle = max(job.start_cycle, awaited.done_cycle + job.delay_cycles)
            job.after = NONE
        if job.start_cycle > cycle:
            wake_cycle = min(wake_cycle, job.start_cycle)
        elif job.words == 0:
            barriers |= 1 << group
        else:
            streams |= 1 << group
    endpoint.streams = streams
    endpoint.barriers = barriers
    endpoint.wake_cycle = wake_cycle


@compiled
def request_barriers(processor, cycle, state):
    """Pulse the request wires of groups whose next contribution is a barrier. Returns their mask."""
    endpoint = state.endpoints[processor]
    requested = 0
    rest = wide(endpoint.barriers)
    while rest != 0:
        group = lowest_bit(rest)
        rest &= rest - 1
        member = state.members[endpoint.first_member + group]
        if member.barriers_out == state.window:
            continue
        requested |= 1 << group
        endpoint.requested |= 1 << group
        member.requests += 1
        member.barriers_out += 1
        state.jobs[member.next].first_cycle = cycle
        member.next += 1
        endpoint.wake_cycle = 0
    return requested


@compiled
def may_begin(processor, state):
    """Return 1 if a host may begin an offer as soon as it does not pause, else 0."""
    endpoint = state.endpoints[processor]
    if endpoint.streams != 0 and endpoint.offered == 0:
        return 1
    rest = wide(endpoint.barriers)
    while rest != 0:
        if state.members[endpoint.first_member + lowest_bit(rest)].barriers_out < state.window:
            return 1
        rest &= rest - 1
    return 0


@compiled
def choose_beat(processor, state):
    """Offer the next beat of the stream, if there is one. Returns 1 if it is offered, else 0."""
    endpoint = state.endpoints[processor]
    if endpoint.streams == 0:
        return 0
    if state.interleaved != 0:
        group = first_at_or_after(wide(endpoint.streams), endpoint.host_turn + 1)
        endpoint.host_turn = group
    elif endpoint.in_packet != 0:
        group = endpoint.packet
    else:
        rest = wide(endpoint.streams | endpoint.barriers)
        group = lowest_bit(rest)
        rest &= rest - 1
        while rest != 0:
            other = lowest_bit(rest)
            rest &= rest - 1
            if _starts(endpoint, other, state) < _starts(endpoint, group, state):
                group = other
        if endpoint.barriers >> group & 1 != 0:
            return 0
        endpoint.in_packet = 1
        endpoint.packet = group
    endpoint.offered = 1
    endpoint.offered_group = group
    return 1


@compiled
def _starts(endpoint, group, state):
    return state.jobs[state.members[endpoint.first_member + group].next].start_cycle


@compiled
def send_beat(processor, cycle, state):
    """Put the offered beat into the FIFO, behind the barriers of its group that were requested so far."""
    endpoint = state.endpoints[processor]
    group = endpoint.offered_group
    member = state.members[endpoint.first_member + group]
    job = state.jobs[member.next]
    beat = state.beats[processor * FIFO_BEATS + ((endpoint.first_beat + endpoint.beats) & (FIFO_BEATS - 1))]
    bit = 1 << group
    beat.group = group
    beat.operator = job.operator
    beat.word = state.words[job.first_word + member.sent * job.stride]
    beat.is_first = 0 if endpoint.opened & bit != 0 else 1
    beat.before = member.requests
    if member.sent == 0:
        job.first_cycle = cycle
    member.sent += 1
    endpoint.offered = 0
    endpoint.beats += 1
    if member.sent == job.words:
        beat.last = 1
        endpoint.opened &= ~bit
        endpoint.in_packet = 0
        endpoint.wake_cycle = 0
        member.next += 1
        member.sent = 0
    else:
        beat.last = 0
        endpoint.opened |= bit


@compiled
def end_arrival(processor, group, by_wire, state):
    """Count the end of a result on the link, which is that of the next contribution whose result has not ended there.

    ``barrier_done`` may overtake result beats that the user has not taken. So the host takes both by this order.
    """
    endpoint = state.endpoints[processor]
    member = state.members[endpoint.first_member + group]
    if state.counters[SILENT] >> group & 1 != 0:
        return
    if member.arriving == member.next + (1 if member.sent > 0 else 0):
        state.counters[STRAY] += 1
        return
    if by_wire != 0:
        state.jobs[member.arriving].by_wire = 1
        member.done = member.arriving
    member.arriving += 1


@compiled
def end_barrier(processor, group, is_wrong, cycle, state):
    """Count ``barrier_done``."""
    endpoint = state.endpoints[processor]
    member = state.members[endpoint.first_member + group]
    if state.counters[SILENT] >> group & 1 != 0:
        return
    job = state.jobs[member.done]
    if job.words == 0:
        member.barriers_out -= 1
    endpoint.wake_cycle = 0
    _end(job, is_wrong, cycle, state)


@compiled
def take_result(processor, group, word, is_last, is_wrong, cycle, state):
    """Take a result beat."""
    endpoint = state.endpoints[processor]
    member = state.members[endpoint.first_member + group]
    if state.counters[SILENT] >> group & 1 != 0:
        return
    while member.awaited < member.arriving and state.jobs[member.awaited].by_wire != 0:
        member.awaited += 1
    job = state.jobs[member.awaited]
    if member.awaited >= member.end or job.received == job.words:
        state.counters[STRAY] += 1
        return
    state.result_values[job.first_word + job.received * job.stride] = word
    job.received += 1
    if is_last != 0:
        member.awaited += 1
        endpoint.wake_cycle = 0
        _end(job, is_wrong, cycle, state)


@compiled
def _end(job, is_wrong, cycle, state):
    job.done_cycle = cycle
    job.error = is_wrong
    state.counters[LEFT] -= 1


@compiled
def pauses(processor, cycle, state):
    """Return whether a source pauses in a cycle."""
    if state.pause_level == 0:
        return False
    return holds_back(cycle, state.endpoints[processor].source_phase, state.pause_level, state.pattern)


@compiled
def stalls(processor, cycle, state):
    """Return whether a receiver stalls in a cycle."""
    if state.stall_level == 0:
        return False
    return holds_back(cycle, state.endpoints[processor].receiver_phase, state.stall_level, state.pattern)
