"""Loop of the plane: one compiled function for runs and recordings."""

from sim_model.collective_plane.endpoints import step_endpoint
from sim_model.collective_plane.resets import abandon, reset_plane
from sim_model.collective_plane.state import (
    CLEAR,
    CYCLE,
    FLUSH_ENDS,
    FLUSH_STARTS,
    FLUSH_WIRES,
    FLUSHED,
    FRESH,
    HOP_BITS,
    LEFT,
    NEXT_EVENT,
    QUIET,
    RESET_ENDS,
    RESETTING,
    SILENT,
    STEADY_CYCLE,
    WORD_HOPS,
)
from sim_model.collective_plane.steady import seek_steady_stretch
from sim_model.collective_plane.switches import step_switch
from sim_model.collective_plane.trace import record_registers
from sim_model.engines.cycle.clock import DEADLOCKED, FINISHED, LIMIT
from sim_model.engines.cycle.records import NEVER
from sim_model.loops.compiled import compiled, compiled_apart, compiled_loop
from topology.collectives.words import MAX_GROUPS

STEADY = 3
"""A run has stopped where a steady stretch is to be skipped, or where one that was skipped ends."""
ALL_GROUPS = (1 << MAX_GROUPS) - 1


@compiled_loop
def run_plane(state, trace, until_cycle):
    """Run to a cycle, to the end of all contributions, or until nothing can change any more.

    If the trace has lines, all cycles up to ``until_cycle`` are run and recorded.

    Returns:
        int: Why it stopped: ``STEADY``, or ``LIMIT``, ``FINISHED`` or ``DEADLOCKED`` of
            ``sim_model/engines/cycle/clock.py``.
    """
    counters = state.counters
    first_cycle = counters[CYCLE]
    cycle = first_cycle
    lines = len(trace.beat_marks)
    reason = first_reason(state)
    while cycle < until_cycle and (lines > 0 or reason == LIMIT):
        if lines == 0 and cycle >= counters[STEADY_CYCLE] and seek_steady_stretch(cycle, state):
            reason = STEADY
            break
        now, following, far, arrival = slots_of(cycle, state)
        changes = begin_cycle(cycle, first_cycle, now, arrival, trace, state)
        stage = cycle % state.stages
        for row in range(len(state.switches)):
            changes += step_switch(row, now, following, far, arrival, stage, state)
        for processor in range(len(state.endpoints)):
            changes += step_endpoint(processor, cycle, now, following, trace, cycle - first_cycle, state)
        cycle, reason = end_cycle(cycle, changes, lines, until_cycle, state)
    counters[CYCLE] = cycle
    return reason


@compiled
def first_reason(state):
    """Return ``FINISHED`` or ``LIMIT`` at the begin of a run, with registers at their first values in the first one."""
    counters = state.counters
    if counters[FRESH] != 0:
        counters[FRESH] = 0
        reset_plane(state)
    return FINISHED if counters[LEFT] == 0 else LIMIT


@compiled
def slots_of(cycle, state):
    """Return the slots of a cycle, of the next one, and of what arrives from and at a parent; see ``step_switch``."""
    now = cycle % (state.link_cycles + 1)
    following = now + 1 if now < state.link_cycles else 0
    far = following + 1 if following < state.link_cycles else 0
    return now, following, far, now - 1 if now > 0 else state.link_cycles


@compiled
def begin_cycle(cycle, first_cycle, now, arrival, trace, state):
    """Change wires and record registers at the start of a cycle. Returns 0 if no wire of an event is high."""
    counters = state.counters
    is_due = state.events[counters[NEXT_EVENT]].cycle <= cycle
    if is_due:
        _change_wires(cycle, state)
    if len(trace.beat_marks) > 0:
        last_slot = arrival - 1 if arrival > 0 else state.link_cycles
        record_registers(cycle - first_cycle, now, last_slot, trace, state)
    if is_due:
        _clear_errors(cycle, state)
    flushed = counters[FLUSH_WIRES] | counters[FLUSHED]
    counters[SILENT] = flushed | (ALL_GROUPS if counters[RESETTING] != 0 else 0)
    return flushed | counters[RESETTING]


@compiled
def end_cycle(cycle, changes, lines, until_cycle, state):
    """Return the cycle that is run next, and ``LIMIT`` or why the run stops."""
    counters = state.counters
    counters[WORD_HOPS] += changes >> HOP_BITS
    counters[FLUSHED] = counters[FLUSH_WIRES]
    if counters[RESETTING]:
        reset_plane(state)
        counters[FLUSHED] = 0
    cycle += 1
    if counters[LEFT] == 0:
        return cycle, FINISHED
    if changes != 0:
        counters[QUIET] = 0
        return cycle, LIMIT
    counters[QUIET] += 1
    if counters[QUIET] > state.link_cycles + 1:
        wake_cycle = _next_wake_cycle(state)
        if wake_cycle == NEVER:
            return cycle, DEADLOCKED
        if lines == 0:
            cycle = max(cycle, min(wake_cycle, until_cycle))
    return cycle, LIMIT


@compiled_apart
def _change_wires(cycle, state):
    """Change the wires of flushes and resets at the start of a cycle."""
    counters = state.counters
    event = state.events[counters[NEXT_EVENT]]
    while event.cycle <= cycle and event.kind != CLEAR:
        if event.kind == FLUSH_ENDS:
            counters[FLUSH_WIRES] &= ~(1 << event.target)
        elif event.kind == RESET_ENDS:
            counters[RESETTING] = 0
        elif event.kind == FLUSH_STARTS:
            counters[FLUSH_WIRES] |= 1 << event.target
            _abandon_all(event.target, event.value + 1, state)
        else:
            counters[RESETTING] = 1
            for group in range(state.groups):
                _abandon_all(group, event.value, state)
        counters[NEXT_EVENT] += 1
        event = state.events[counters[NEXT_EVENT]]


@compiled_apart
def _clear_errors(cycle, state):
    """Clear error masks that are written in a cycle."""
    event = state.events[state.counters[NEXT_EVENT]]
    while event.cycle <= cycle:
        switch = state.switches[event.target]
        switch.mismatches &= ~event.value
        switch.timeouts &= ~event.other
        state.counters[NEXT_EVENT] += 1
        event = state.events[state.counters[NEXT_EVENT]]


@compiled
def _abandon_all(group, before_cycle, state):
    for processor in range(len(state.endpoints)):
        state.counters[LEFT] -= abandon(processor, group, before_cycle, state)


@compiled_apart
def _next_wake_cycle(state):
    """Return the cycle in which a host or an event does something next; NEVER if none does."""
    wake_cycle = state.events[state.counters[NEXT_EVENT]].cycle
    for processor in range(len(state.endpoints)):
        wake_cycle = min(wake_cycle, state.endpoints[processor].wake_cycle)
    return wake_cycle
