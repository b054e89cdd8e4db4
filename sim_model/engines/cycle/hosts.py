"""Hosts and injectors (docs/look_up/timing.md): the next message of a node, and its cycle.

Every injector of a node has a host of its own, independent of the others. A host sleeps until ``wake_cycle``. Messages
with a given start are in a sorted queue. Dependent ones join a second, sorted list when the last of their parents has
arrived or left. The next message is the earlier of the two fronts.
"""

from sim_model.engines.cycle.occupied_outputs import load_register
from sim_model.engines.cycle.sources import offers_later
from sim_model.engines.cycle.state import FLITS_IN_NETWORK, NEVER, NEXT_HOST_CYCLE, NONE, UNSENT
from sim_model.loops.bits import MESSAGE_SHIFT, TAIL, source_bit
from sim_model.loops.compiled import compiled


@compiled
def step_hosts(cycle, state, trace, row):
    """Step all hosts by one cycle. Returns the number of messages accepted by injectors."""
    hosts, counters = state.hosts, state.counters
    accepted = 0
    next_cycle = NEVER
    for injector in range(len(hosts)):
        if hosts[injector].wake_cycle <= cycle:
            message = wake_host(cycle, injector, state)
            if message != NONE:
                accepted += 1
                _load_head(hosts[injector].channel, message, state)
                counters[FLITS_IN_NETWORK] += 1
                if row < len(trace.accepted_message):
                    trace.accepted_message[row, injector] = message
        next_cycle = min(next_cycle, hosts[injector].wake_cycle)
    counters[NEXT_HOST_CYCLE] = next_cycle
    return accepted


@compiled
def wake_host(cycle, injector, state):
    """Prepare the next message, or offer the prepared one. Returns the accepted message, or NONE."""
    host = state.hosts[injector]
    if host.preparing == NONE:
        host.preparing = _take_next(host, state.queue, state.jobs)
        host.wake_cycle = cycle + state.startup_cycles
        if state.startup_cycles > 0:
            return NONE
    if len(state.endpoints.sources) > 0 and offers_later(cycle, injector, state.endpoints):
        host.wake_cycle = cycle + 1
        return NONE
    message = host.preparing
    host.preparing = NONE
    host.sending = message
    host.wake_cycle = NEVER
    state.jobs[message].accepted_cycle = cycle
    state.counters[UNSENT] -= 1
    return message


@compiled
def _load_head(number, message, state):
    channel = state.channels[number]
    tail = TAIL if state.jobs[message].flits == 1 else 0
    state.vertices[channel.source].occupied |= source_bit(channel)
    load_register(number, message << MESSAGE_SHIFT | tail, state)


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
        host.released = jobs[message].next_released
    else:
        host.queued += 1
    return message


@compiled
def free_injector(cycle, injector, state):
    """Free an injector that the tail has left in this cycle."""
    host, jobs = state.hosts[injector], state.jobs
    message = host.sending
    host.sending = NONE
    host.idle_from_cycle = cycle + 1
    _set_wake(cycle, host, state.queue, jobs, state.counters)
    release_children(cycle, jobs[message].source, message, state)


@compiled
def _set_wake(cycle, host, queue, jobs, counters):
    """Wake an idle host when its next message starts, but not before the injector is idle."""
    message = _front(host, queue, jobs)
    if message == NONE:
        return
    host.wake_cycle = max(jobs[message].start_cycle, host.idle_from_cycle, cycle)
    counters[NEXT_HOST_CYCLE] = min(counters[NEXT_HOST_CYCLE], host.wake_cycle)


@compiled
def release_children(cycle, processor, parent, state):
    """Release the messages at ``processor`` that wait for ``parent``, whose tail has arrived there or left it."""
    jobs = state.jobs
    for position in range(jobs[parent].first_child, jobs[parent].end_child):
        message = state.children[position].message
        job = jobs[message]
        if job.source != processor:
            continue
        job.earliest_cycle = max(job.earliest_cycle, cycle + state.children[position].delay_cycles)
        job.parents_left -= 1
        if job.parents_left == 0:
            job.start_cycle = job.earliest_cycle
            _release(cycle, message, state)


@compiled
def _release(cycle, message, state):
    """Queue a dependent message whose start has become known."""
    host = state.hosts[state.jobs[message].injector]
    _insert_released(host, message, state.jobs)
    state.counters[UNSENT] += 1
    if host.preparing == NONE and host.sending == NONE:
        _set_wake(cycle, host, state.queue, state.jobs, state.counters)


@compiled
def _insert_released(host, message, jobs):
    following = host.released
    before = NONE
    while following != NONE and _earlier(following, message, jobs):
        before = following
        following = jobs[following].next_released
    jobs[message].next_released = following
    if before == NONE:
        host.released = message
    else:
        jobs[before].next_released = message
