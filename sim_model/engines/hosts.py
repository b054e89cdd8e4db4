"""Hosts of all engines (docs/look_up/timing.md): the next message of a node and its cycle, and the arrival of messages.

Every injector of a node has a host of its own, independent of the others. Messages with a given start are in a sorted
queue. Dependent ones join a heap when the last of their parents has arrived or left. The next message is the earlier of
the two fronts. A calendar has the cycle in which an idle host takes up or offers a message.

The heap is a skew heap (Sleator, Tarjan, "Self-adjusting heaps", 1986): in overload hundreds of thousands of dependent
messages wait in a host, and each joins and leaves in logarithmic time, averaged over all, whatever their order.

An engine calls ``schedule_hosts`` before it runs, ``send_messages`` in a cycle in which a host is due,
``free_injector`` when a tail leaves an injector, and ``count_arrival`` when one reaches a processor.
"""

from sim_model.engines.calendar import WHEEL_MASK, cancel, make_calendar, next_entry_cycle, postpone, schedule
from sim_model.engines.cycle.endpoints import offers_later
from sim_model.engines.cycle.state import NEXT_HOST_CYCLE, NONE, STRAY, UNSENT, EngineState
from sim_model.loops.compiled import compiled


def with_entries(state: EngineState, entries: int) -> EngineState:
    """Return the state before cycle 0 with a calendar that has an engine's own entries before those of the hosts."""
    return state._replace(calendar=make_calendar(entries + len(state.hosts)), first_host_entry=entries)


@compiled
def schedule_hosts(cycle, state):
    """Schedule the hosts that have a message before the first cycle; later calls change nothing."""
    if state.calendar.pending[0] == 0:
        for injector in range(len(state.hosts)):
            _schedule_if_idle(cycle, injector, state)


@compiled
def send_messages(cycle, state):
    """Step the hosts that are due by one cycle.

    Returns:
        int: Number of the injectors that accept a message, which is what their host is ``sending`` then.
            ``state.senders`` begins with them.
    """
    counters = state.counters
    accepted = 0
    while counters[NEXT_HOST_CYCLE] <= cycle:
        due_cycle = counters[NEXT_HOST_CYCLE]
        accepted = wake_hosts(cycle, due_cycle, accepted, state)
        counters[NEXT_HOST_CYCLE] = next_entry_cycle(due_cycle, state.calendar)
    return accepted


@compiled
def wake_hosts(cycle, due_cycle, accepted, state):
    """Step the hosts that were scheduled for a cycle, this one or an earlier one, behind those that have accepted.

    An engine with other entries in the calendar calls this in place of ``send_messages``.
    """
    calendar = state.calendar
    entry = calendar.first[due_cycle & WHEEL_MASK]
    while entry != NONE:
        following = calendar.entries[entry].following
        if calendar.entries[entry].cycle == due_cycle and entry >= state.first_host_entry:
            cancel(entry, calendar)
            if _wake_host(cycle, entry - state.first_host_entry, state):
                state.senders[accepted] = entry - state.first_host_entry
                accepted += 1
        entry = following
    return accepted


@compiled
def _wake_host(cycle, injector, state):
    """Prepare the next message, or offer the prepared one. Returns whether the injector accepts it."""
    host = state.hosts[injector]
    if host.preparing == NONE:
        host.preparing = _take_next(host, state.queue, state.jobs)
        if state.startup_cycles > 0:
            schedule(state.first_host_entry + injector, cycle + state.startup_cycles, state.calendar)
            return False
    if len(state.endpoints.sources) > 0 and offers_later(cycle, injector, state.endpoints):
        schedule(state.first_host_entry + injector, cycle + 1, state.calendar)
        return False
    host.sending = host.preparing
    host.preparing = NONE
    state.jobs[host.sending].accepted_cycle = cycle
    state.counters[UNSENT] -= 1
    return True


@compiled
def _front(host, queue, jobs):
    """Return the next message of a host, or NONE: smallest start, then smallest number."""
    dependent = host.released
    if host.queued == host.queue_end:
        return dependent
    given = queue[host.queued]
    if dependent != NONE and _earlier(dependent, given, jobs):
        return dependent
    return given


@compiled
def _earlier(first, second, jobs):
    first_start, second_start = jobs[first].start_cycle, jobs[second].start_cycle
    return first_start < second_start or (first_start == second_start and first < second)


@compiled
def _take_next(host, queue, jobs):
    message = _front(host, queue, jobs)
    if message == host.released:
        host.released = _merged(jobs[message].released_left, jobs[message].released_right, jobs)
    else:
        host.queued += 1
    return message


@compiled
def free_injector(cycle, injector, state):
    """Free an injector that the tail has left in this cycle."""
    host = state.hosts[injector]
    message = host.sending
    host.sending = NONE
    host.idle_from_cycle = cycle + 1
    _schedule_if_idle(cycle, injector, state)
    _release_children(cycle, state.jobs[message].source, message, state)


@compiled
def _schedule_if_idle(cycle, injector, state):
    """Schedule an idle host for the start of its next message, but not before the injector is idle."""
    host = state.hosts[injector]
    if host.preparing != NONE or host.sending != NONE:
        return
    message = _front(host, state.queue, state.jobs)
    if message == NONE:
        return
    due_cycle = max(state.jobs[message].start_cycle, host.idle_from_cycle, cycle)
    postpone(state.first_host_entry + injector, due_cycle, state.calendar)
    state.counters[NEXT_HOST_CYCLE] = min(state.counters[NEXT_HOST_CYCLE], due_cycle)


@compiled
def _release_children(cycle, processor, parent, state):
    """Release the messages at ``processor`` that wait for ``parent``, whose tail has arrived there or left it."""
    jobs = state.jobs
    for position in range(jobs[parent].first_child, jobs[parent].end_child):
        message = state.children[position].message
        if jobs[message].source == processor:
            count_event(cycle, message, cycle + state.children[position].delay_cycles, state)


@compiled
def count_event(cycle, message, earliest_cycle, state):
    """Count an event for a message that waits for it, and release the message behind its last one.

    Parameters:
        cycle: Cycle that is run, or the next one.
        earliest_cycle: The message does not start before.
    """
    job = state.jobs[message]
    job.earliest_cycle = max(job.earliest_cycle, earliest_cycle)
    job.parents_left -= 1
    if job.parents_left == 0:
        job.start_cycle = job.earliest_cycle
        state.counters[UNSENT] += 1
        host = state.hosts[job.injector]
        host.released = _merged(host.released, message, state.jobs)
        _schedule_if_idle(cycle, job.injector, state)


@compiled
def _merged(first, second, jobs):
    """Return the front of two heaps of messages made one; each is given by its front, or NONE."""
    front = NONE
    above = NONE
    while first != NONE and second != NONE:
        if _earlier(second, first, jobs):
            first, second = second, first
        if above == NONE:
            front = first
        else:
            jobs[above].released_left = first
        above = first
        first = jobs[above].released_right
        jobs[above].released_right = jobs[above].released_left
    rest = second if first == NONE else first
    if above == NONE:
        return rest
    jobs[above].released_left = rest
    return front


@compiled
def count_arrival(cycle, processor, message, state):
    """Count the tail of a message at its destination; the last tail due releases the messages that wait for it."""
    position = _find(processor, state.jobs[message], state.deliveries)
    if position == NONE:
        state.counters[STRAY] += 1
        return
    delivery = state.deliveries[position]
    delivery.copies += 1
    if delivery.copies == delivery.wanted:
        delivery.arrival_cycle = cycle
        _release_children(cycle, processor, message, state)


@compiled
def _find(processor, job, deliveries):
    """Return the position of a message's destination, by bisection; NONE if it is no destination."""
    low = job.first_destination
    high = job.end_destination
    while low < high:
        middle = (low + high) // 2
        if deliveries[middle].destination < processor:
            low = middle + 1
        else:
            high = middle
    if low < job.end_destination and deliveries[low].destination == processor:
        return low
    return NONE
