"""Loop of a plane that has barriers alone, for one group.

A switch counts the barriers of each branch, and passes one on in the cycle in which the last branch sends it. So the
members' requests of a cycle come before the switches, and a switch takes what arrives before it combines.
"""

from sim_model.collective_plane.folding import natural
from sim_model.collective_plane.hosts import (
    end_arrival,
    end_barrier,
    find_next,
    may_begin,
    pauses,
    request_barriers,
)
from sim_model.collective_plane.loop import begin_cycle, end_cycle, first_reason, slots_of
from sim_model.collective_plane.resets import reset_share
from sim_model.collective_plane.state import CYCLE, FLUSHED, HOP, LAST
from sim_model.collective_plane.switches import announce_up, count_waits, put_up, store_up, take_one
from sim_model.engines.cycle.clock import LIMIT
from sim_model.loops.bits import count_bits
from sim_model.loops.compiled import compiled, compiled_loop


@compiled_loop
def run_barriers(state, trace, until_cycle):
    """Run to a cycle, to the end of all barriers, or until nothing can change any more.

    If the trace has lines, all cycles up to ``until_cycle`` are run and recorded.

    Returns:
        int: ``LIMIT``, ``FINISHED`` or ``DEADLOCKED`` of ``sim_model/engines/cycle/clock.py``.
    """
    counters = state.counters
    first_cycle = counters[CYCLE]
    cycle = first_cycle
    lines = len(trace.beat_marks)
    reason = first_reason(state)
    while cycle < until_cycle and (lines > 0 or reason == LIMIT):
        now, following, far, arrival = slots_of(cycle, state)
        changes = begin_cycle(cycle, first_cycle, now, arrival, trace, state)
        for processor in range(len(state.endpoints)):
            changes += _step_member(processor, cycle, now, trace, cycle - first_cycle, state)
        for row in range(len(state.switches)):
            changes += _step_switch(row, now, following, far, arrival, state)
        cycle, reason = end_cycle(cycle, changes, lines, until_cycle, state)
    counters[CYCLE] = cycle
    return reason


@compiled
def _step_member(processor, cycle, now, trace, line, state):
    """Take the end of a barrier from the switch's register, and request the next one. Returns 0 if nothing changed."""
    endpoint = state.endpoints[processor]
    changes = 0
    entry = natural(now * state.switch_count) + endpoint.home
    if state.outputs[entry].branches >> endpoint.port & 1 != 0:
        changes += HOP
        end_arrival(processor, 0, 1, state)
        end_barrier(processor, 0, 0, cycle, state)
    if cycle >= endpoint.wake_cycle:
        find_next(processor, cycle, state)
    requested = 0
    if endpoint.barriers != 0:
        if pauses(processor, cycle, state):
            changes += may_begin(processor, state)
        else:
            requested = request_barriers(processor, cycle, state)
            endpoint.requested = 0
            state.members[endpoint.first_member].requests = 0
    if requested != 0:
        changes += 1
        announce_up(entry, 0, endpoint.port, state)
    if line < len(trace.beat_marks):
        trace.requests[line, processor] = requested
    return changes


@compiled
def _step_switch(row, now, following, far, arrival, state):
    """Step a switch by one cycle. Returns 0 if nothing changed."""
    switch, out = state.switches[row], state.outputs[natural(following * state.switch_count + row)]
    flushed = state.counters[FLUSHED] & 1
    share = state.shares[switch.first_share]
    changes = 0
    here = natural(now * state.switch_count + row)
    if state.arriving_groups[here] != 0:
        branches = state.arriving[here]
        state.arriving_groups[here] = 0
        state.arriving[here] = 0
        changes += count_bits(branches) * HOP
        store_up(0, branches, switch, state)
    if state.timeout_cycles > 0:
        changes += count_waits(row, flushed, state)
    out.branches = 0
    out.credited = 0
    out.marks = LAST
    is_top = switch.tops != 0
    if share.taking != 0 and share.taking & ~share.nonempty == 0 and flushed == 0:
        changes += 1
        share.waited = 0
        share.nonempty = take_one(state.up_counts, switch.first_share, share.taking)
        if is_top:
            out.branches = share.taking
        else:
            put_up(switch.parent_queue, 0, LAST, state)
            announce_up(natural(arrival * state.switch_count) + switch.parent, 0, switch.port, state)
    if switch.is_root == 0 and not is_top and flushed == 0:
        above = state.outputs[natural(far * state.switch_count) + switch.parent]
        if above.branches >> switch.port & 1 != 0:
            changes += HOP
            out.branches = share.taking
    if flushed != 0:
        reset_share(row, 0, state)
    return changes
