"""The SPAM router, one cycle of all switches (Sec. 3.2; docs/look_up/timing_spam.md).

Everything reads the state at the start of the cycle, which determines the order: the route unit first (it must not see
this cycle's grants and releases), then grants, then copies, and last the new entry in the queues.
"""

from sim_model.engines.cycle.links import pop
from sim_model.engines.cycle.occupied_outputs import load_register
from sim_model.engines.cycle.route_unit import end_cycle, forget_header, scan_header
from sim_model.engines.cycle.state import FLITS_IN_NETWORK, NONE
from sim_model.engines.cycle.wakeups import BIT_MASK, WORD_SHIFT, take_alarms, wake_if
from sim_model.loops.bits import TAIL, first_at_or_after, lowest_bit, sink_bit
from sim_model.loops.compiled import compiled
from sim_model.spam.ages import find_order, hold_others, is_held, note_entry, note_head, stop_counting, update_ages


@compiled
def enqueue_one(switch, state, spam):
    """Run the serial enqueuer for one cycle, after the grants and before the route unit adds an input.

    Returns 1 if a request entered its queue.
    """
    router = spam.routers[switch]
    unfinished = _unfinished(switch, state.input_channel, spam)
    if unfinished == 0:
        return 0
    port = first_at_or_after(unfinished, router.enqueue_turn)
    router.enqueue_turn = port + 1 if port + 1 < state.vertices[switch].inputs else 0
    number = state.input_channel[switch, port]
    output = first_at_or_after(spam.inputs[number].pending, port)
    spam.older[number, output] = _standing(switch, output, state.input_channel, spam)
    spam.inputs[number].pending ^= 1 << output
    router.recheck = 1
    return 1


@compiled
def _unfinished(switch, input_channel, spam):
    """Return the queued inputs with requests that are not in their queues yet."""
    unfinished = 0
    rest = spam.routers[switch].queued
    while rest != 0:
        port = lowest_bit(rest)
        rest &= rest - 1
        if spam.inputs[input_channel[switch, port]].pending != 0:
            unfinished |= 1 << port
    return unfinished


@compiled
def _standing(switch, output, input_channel, spam):
    """Return the inputs in the queue of an output."""
    standing = 0
    rest = spam.routers[switch].queued
    while rest != 0:
        port = lowest_bit(rest)
        rest &= rest - 1
        header = spam.inputs[input_channel[switch, port]]
        if (header.request & ~header.pending) >> output & 1:
            standing |= 1 << port
    return standing


@compiled
def oldest_everywhere(number, waiting, spam):
    """Return whether an input is in all its queues and no input of ``waiting`` is before it in any of them."""
    if spam.inputs[number].pending != 0:
        return False
    rest = spam.inputs[number].request
    while rest != 0:
        if spam.older[number, lowest_bit(rest)] & waiting:
            return False
        rest &= rest - 1
    return True


@compiled
def step_routers(cycle, moves, state, spam):
    """Step all routers by one cycle. Returns 0 only if nothing moved and no register of any router changed."""
    changes = moves
    for word in range((state.switches + BIT_MASK) >> WORD_SHIFT):
        rest = take_alarms(word, cycle, state)
        while rest != 0:  # the worms of all others are blocked as before
            switch = word << WORD_SHIFT | lowest_bit(rest)
            rest &= rest - 1
            changes += _step_router(cycle, switch, state, spam)
    return changes


@compiled
def _step_router(cycle, switch, state, spam):
    """Step a router by one cycle. Returns 0 only if no register changed.

    It is stepped again in the next cycle if the route unit or the queues may have more to do by themselves, or if a
    flit has arrived. Whatever else there can be to do follows from a register that is emptied.
    """
    vertex, router = state.vertices[switch], spam.routers[switch]
    changes, goes_on = 0, vertex.arrived
    complete = NONE
    waiting = (vertex.nonempty | vertex.arrived) & ~(router.queued | router.active)
    if waiting != 0:
        changes, complete = scan_header(cycle, switch, waiting, state, spam)
        goes_on |= changes
    if router.recheck:
        before = router.active
        changes += grant(cycle, switch, state.input_channel, spam)
        find_order(cycle, switch, state.input_channel, spam, spam.ages)
        _note_feeders(switch, router.active & ~before, state, spam)
    changes += _copy_all(cycle, switch, state, spam)
    if router.draining & vertex.nonempty:
        changes += _drain(cycle, switch, state, spam)
    if not spam.atomic:
        entered = enqueue_one(switch, state, spam)
        changes += entered
        goes_on |= entered
    update_ages(cycle, switch, state, spam, spam.ages)
    if complete != NONE:
        enqueue(switch, complete, state.input_channel, spam)
        note_entry(cycle, switch, complete, state.input_channel, spam.ages)
    end_cycle(vertex)
    wake_if(goes_on | router.recheck != 0, switch, cycle + 1, state.alarms)
    return changes


@compiled
def _note_feeders(switch, granted, state, spam):
    """Record the feeding input of each newly granted output; unroutable worms have none."""
    first_output = state.vertices[switch].first_output
    while granted != 0:
        port = lowest_bit(granted)
        granted &= granted - 1
        number = state.input_channel[switch, port]
        rest = spam.inputs[number].request
        if rest == 0:
            spam.routers[switch].draining |= 1 << port
        while rest != 0:
            spam.feeders[first_output + lowest_bit(rest)] = number
            rest &= rest - 1


@compiled
def _copy_all(cycle, switch, state, spam):
    """Copy the first flits of all inputs whose output registers are all empty. Returns the number of inputs.

    It goes from empty registers to the inputs that feed them: blocked worms cost nothing.
    """
    vertex, router = state.vertices[switch], spam.routers[switch]
    copied = 0
    rest = router.owned & ~vertex.occupied
    while rest != 0:
        number = spam.feeders[vertex.first_output + lowest_bit(rest)]
        header, bit = spam.inputs[number], sink_bit(state.channels[number])
        rest &= ~header.request
        if vertex.nonempty & bit and vertex.occupied & header.request == 0:
            _copy(cycle, switch, number, state, spam)
            copied += 1
    return copied


@compiled
def _copy(cycle, switch, number, state, spam):
    """Copy the first flit of an input into all its output registers, release after the tail."""
    vertex, header, bit = state.vertices[switch], spam.inputs[number], sink_bit(state.channels[number])
    flit = pop(number, bit, vertex, state)
    outputs = header.request
    vertex.occupied |= outputs
    _load(cycle, number, vertex.first_output + lowest_bit(outputs), flit, state, spam)
    outputs &= outputs - 1
    while outputs != 0:
        _load(cycle, number, vertex.first_output + lowest_bit(outputs), flit, state, spam)
        outputs &= outputs - 1
        state.counters[FLITS_IN_NETWORK] += 1
    if flit & TAIL:
        _release(cycle, switch, number, state, spam)


@compiled
def _load(cycle, number, output, flit, state, spam):
    load_register(output, flit, state)
    note_head(cycle, number, output, flit, spam.ages)


@compiled
def _drain(cycle, switch, state, spam):
    """Drop a flit per cycle of each unroutable worm. Returns their number."""
    vertex, router = state.vertices[switch], spam.routers[switch]
    drained = 0
    rest = router.draining & vertex.nonempty
    while rest != 0:
        port = lowest_bit(rest)
        rest &= rest - 1
        number = state.input_channel[switch, port]
        router.recheck = 1  # no register will wake this router for the next flit
        state.counters[FLITS_IN_NETWORK] -= 1
        drained += 1
        if pop(number, 1 << port, vertex, state) & TAIL:
            router.draining ^= 1 << port
            _release(cycle, switch, number, state, spam)
    return drained


@compiled
def _release(cycle, switch, number, state, spam):
    """Release the outputs of an input after the tail has left its buffer."""
    router, header = spam.routers[switch], spam.inputs[number]
    hold_others(cycle, switch, header.request, state, spam, spam.ages)
    router.active ^= sink_bit(state.channels[number])
    router.owned ^= header.request
    router.recheck = 1
    forget_header(header)


@compiled
def enqueue(switch, port, input_channel, spam):
    """Enter all requests of an input at once, as the youngest in the queues."""
    number, router = input_channel[switch, port], spam.routers[switch]
    if spam.atomic:
        spam.older[number, 0] = router.queued
        router.recheck = 1
    else:
        spam.inputs[number].pending = spam.inputs[number].request
    router.queued |= 1 << port


@compiled
def grant(cycle, switch, input_channel, spam):
    """Grant outputs to all queued inputs that may have them. Returns 0 only if there are no grants, now or later."""
    router = spam.routers[switch]
    router.recheck = 0
    waiting = router.queued
    grants = 0
    rest = waiting
    while rest != 0:
        port = lowest_bit(rest)
        rest &= rest - 1
        number = input_channel[switch, port]
        if spam.inputs[number].request & router.owned:
            continue
        if is_held(cycle, number, spam.ages):
            router.recheck = 1
            grants += 1
            continue
        if _is_first(switch, number, waiting, input_channel, spam):
            grants += 1
            stop_counting(cycle, number, spam.ages)
            router.queued ^= 1 << port
            router.active |= 1 << port
            router.owned |= spam.inputs[number].request
            _leave_queues(switch, 1 << port, input_channel, spam)
    return grants


@compiled
def _is_first(switch, number, waiting, input_channel, spam):
    """Return whether an input is first in all its queues."""
    if not spam.atomic:
        return oldest_everywhere(number, waiting, spam)
    request = spam.inputs[number].request
    rest = spam.older[number, 0] & waiting
    while rest != 0:
        if spam.inputs[input_channel[switch, lowest_bit(rest)]].request & request:
            return False
        rest &= rest - 1
    return True


@compiled
def _leave_queues(switch, bit, input_channel, spam):
    """Remove a granted input from the queues."""
    rest = spam.routers[switch].queued
    while rest != 0:
        number = input_channel[switch, lowest_bit(rest)]
        rest &= rest - 1
        for queue in range(spam.older.shape[1]):
            spam.older[number, queue] &= ~bit
