"""First values of registers: of one group after a flush, of all after a reset."""

from sim_model.collective_plane.folding import wide
from sim_model.engines.cycle.records import NONE
from sim_model.loops.bits import lowest_bit
from sim_model.loops.compiled import compiled


@compiled
def reset_share(row, group, state):
    """Give a switch its first values of a group."""
    share, switch = state.shares[row * state.groups + group], state.switches[row]
    if share.taking == 0:
        return
    rest = wide(share.taking)
    while rest != 0:
        queue = state.queues[switch.first_queue + lowest_bit(rest) * state.groups + group]
        rest &= rest - 1
        queue.skew = queue.sent  # not 0, because words that are in a pipeline or on a link are still written
    share.nonempty = 0
    share.draining = 0
    share.inside = 0
    share.operator = 0
    share.failed = 0
    share.up_credits = state.buffer_words
    share.head = 0
    share.down_head = 0
    share.down_tail = 0
    share.waited = 0
    for plane in range(state.up_counts.shape[1]):
        state.up_counts[row * state.groups + group, plane] = 0
    for plane in range(state.first_credits.shape[1]):
        state.down_credits[row * state.groups + group, plane] = state.first_credits[row, plane]
    bit = 1 << group
    switch.fronts &= ~bit
    switch.drains &= ~bit
    switch.discards &= ~bit
    switch.waiting &= ~bit
    switch.up_credited |= bit
    switch.down_credited |= bit


@compiled
def reset_member(processor, group, state):
    """Give an endpoint its first values of a group, without beats of the group in its FIFO."""
    endpoint, member = state.endpoints[processor], state.members[processor * state.groups + group]
    member.credits = state.buffer_words
    member.under_way = 0
    member.requests = 0
    member.owed = 0
    member.result_head = 0
    member.result_tail = 0
    bit = 1 << group
    endpoint.credited |= bit
    endpoint.closed &= ~bit
    endpoint.requested &= ~bit
    endpoint.sending &= ~bit
    endpoint.opened &= ~bit
    endpoint.receiving &= ~bit
    endpoint.stored &= ~bit
    endpoint.owing &= ~bit
    endpoint.done &= ~bit
    endpoint.done_error &= ~bit
    if endpoint.group == group:
        endpoint.valid = 0
    if endpoint.beats == 2 and state.beats[processor * 2 + 1 - endpoint.first_beat].group == group:
        endpoint.beats = 1
    if endpoint.beats > 0 and state.beats[processor * 2 + endpoint.first_beat].group == group:
        endpoint.beats -= 1
        endpoint.first_beat ^= 1


@compiled
def reset_plane(state):
    """Give all registers their first values; hosts stay as they are."""
    for row in range(len(state.switches)):
        switch = state.switches[row]
        for group in range(state.groups):
            reset_share(row, group, state)
        switch.combine_turn = state.groups - 1
        switch.down_turn = state.groups - 1
        switch.fresh = 0
        switch.resting = 0
        switch.denied = 0
        switch.moving = 0
        switch.mismatches = 0
        switch.timeouts = 0
    for entry in range(len(state.pipelines)):
        state.pipelines[entry].valid = 0
    for entry in range(len(state.outputs)):
        state.outputs[entry].branches = 0
        state.outputs[entry].credited = 0
        state.arriving_groups[entry] = 0
        state.returned_groups[entry] = 0
    for entry in range(len(state.returned)):
        state.returned[entry] = 0
        state.arriving[entry] = 0
    for processor in range(len(state.endpoints)):
        endpoint = state.endpoints[processor]
        endpoint.beats = 0
        for group in range(state.groups):
            reset_member(processor, group, state)
        endpoint.ready = 0
        endpoint.stream_had = 0
        endpoint.valid = 0
        endpoint.result_turn = state.groups - 1


@compiled
def _starts_before(job, cycle):
    """Return whether a contribution starts before a cycle; one that waits for an event has no start yet."""
    return job.held == 0 and job.after == NONE and job.start_cycle < cycle


@compiled
def abandon(processor, group, before_cycle, state):
    """Let a host abandon the contributions to a group that start before a cycle. Returns the number without a result.

    An offered beat of the group is withdrawn.
    """
    endpoint, member = state.endpoints[processor], state.members[processor * state.groups + group]
    following = member.next
    while following < member.end and _starts_before(state.jobs[following], before_cycle):
        following += 1
    abandoned = 0
    for number in range(member.awaited, following):
        abandoned += 1 if state.jobs[number].done_cycle == NONE else 0
    member.next = following
    member.arriving = following
    member.awaited = following
    member.sent = 0
    member.barriers_out = 0
    endpoint.wake_cycle = 0
    if endpoint.packet == group:
        endpoint.in_packet = 0
    if endpoint.offered_group == group:
        endpoint.offered = 0
    return abandoned
