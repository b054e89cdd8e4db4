"""The switch of a multistage network, one cycle of all switches (Sec. 3; docs/look_up/timing_min.md).

Everything reads the state at the start of the cycle, which determines the order: the route unit first (it must not see
this cycle's releases), then copies, and last the token and the new entries in the queues.
"""

from sim_model.engines.cycle.links import pop
from sim_model.engines.cycle.occupied_outputs import load_register
from sim_model.engines.cycle.route_unit import end_cycle, forget_header, scan_header
from sim_model.engines.cycle.state import FLITS_IN_NETWORK, NONE
from sim_model.engines.cycle.wakeups import BIT_MASK, WORD_SHIFT, take_alarms, wake_if
from sim_model.loops.bits import TAIL, lowest_bit
from sim_model.loops.compiled import compiled
from sim_model.min.token import pass_on, seek_token, wake_seekers


@compiled
def step_routers(cycle, moves, state, family):
    """Step all switches by one cycle. Returns 0 only if nothing moved and no register changed that ever settles."""
    changes = moves
    for word in range((state.switches + BIT_MASK) >> WORD_SHIFT):
        rest = take_alarms(word, cycle, state)
        while rest != 0:  # the worms of all others are blocked as before
            switch = word << WORD_SHIFT | lowest_bit(rest)
            rest &= rest - 1
            changes += _step_switch(cycle, switch, state, family)
    return changes


@compiled
def _step_switch(cycle, switch, state, family):
    """Step a switch by one cycle. Returns 0 only if no register changed that ever settles.

    It is stepped again in the next cycle if the route unit or the queues may have more to do by themselves, the token
    is on its way, or a flit has arrived. Whatever else there can be to do follows from a register that is emptied, or
    from a token that is passed on (``token.py``).
    """
    vertex, router = state.vertices[switch], family.routers[switch]
    changes, goes_on = 0, vertex.arrived
    complete = NONE
    waiting = (vertex.nonempty | vertex.arrived) & ~router.queued
    if waiting != 0:
        changes, complete = scan_header(cycle, switch, waiting, state, family)
        goes_on |= changes
    router.recheck = 0
    if router.standing & vertex.nonempty:
        changes += _copy_all(cycle, switch, state, family)
    entered = _enter(cycle, switch, complete, state, family)
    end_cycle(vertex)
    wake_if(goes_on | entered | router.recheck != 0, switch, cycle + 1, state.alarms)
    return changes + entered


@compiled
def _copy_all(cycle, switch, state, family):
    """Copy the first flits of all inputs to those of their outputs that can take them. Returns the copies.

    It goes from empty registers to the inputs that feed them: blocked worms cost nothing.
    """
    vertex, router, inputs = state.vertices[switch], family.routers[switch], family.inputs
    if router.requeued:
        find_first(router, switch, state.input_channel, inputs)
        _find_feeders(switch, state, family)
    copies = 0
    held = vertex.nonempty
    rest = router.wanted & ~vertex.occupied
    while rest != 0:
        output = lowest_bit(rest)
        rest &= rest - 1
        # no two inputs are first at one output: what others copy in this cycle makes no difference
        number = family.feeders[vertex.first_output + output]
        port = state.channels[number].sink_port
        if held >> port & 1:
            _copy(cycle, output, port, number, vertex, router, state, family)
            copies += 1
    if router.draining & held:
        copies += _drain(switch, router.draining & held, state, family)
    return copies


@compiled
def _find_feeders(switch, state, family):
    """Find the feeding input of each output, and the inputs with unroutable worms."""
    router, first_output = family.routers[switch], state.vertices[switch].first_output
    router.wanted = 0
    router.draining = 0
    standing = router.standing
    while standing != 0:
        port = lowest_bit(standing)
        standing &= standing - 1
        number = state.input_channel[switch, port]
        header = family.inputs[number]
        router.wanted |= header.first & ~header.copied
        router.draining |= (1 if header.request == 0 else 0) << port
        rest = header.first
        while rest != 0:
            family.feeders[first_output + lowest_bit(rest)] = number
            rest &= rest - 1


@compiled
def find_first(router, switch, input_channel, inputs):
    """Find the outputs that each input may use: those that no older input is owed."""
    router.requeued = 0
    rest = router.standing
    while rest != 0:
        number = input_channel[switch, lowest_bit(rest)]
        rest &= rest - 1
        taken = 0
        others = inputs[number].older & router.standing
        while others != 0:
            taken |= inputs[input_channel[switch, lowest_bit(others)]].owed
            others &= others - 1
        inputs[number].first = inputs[number].owed & ~taken


@compiled
def _copy(cycle, output, port, number, vertex, router, state, family):
    """Copy the first flit of an input to an output."""
    header, bit = family.inputs[number], 1 << output
    flit = state.slots[number, state.channels[number].front]
    vertex.occupied |= bit
    load_register(vertex.first_output + output, flit, state)
    header.copied |= bit
    finished = header.owed & ~header.copied == 0
    if flit & TAIL:
        header.owed &= ~bit
        router.requeued = 1
        router.recheck = 1
    if not finished:
        state.counters[FLITS_IN_NETWORK] += 1
        router.wanted ^= bit
    else:
        pop(number, 1 << port, vertex, state)
        header.copied = 0
        router.wanted |= header.first
        router.recheck = 1
        if router.holder == port:
            router.popped += 1
            if router.popped == router.release_flits or flit & TAIL:
                pass_on(cycle, router, family.groups)
                wake_seekers(cycle, router.group, state, family)
        if flit & TAIL:
            _leave(port, router, header)


@compiled
def _drain(switch, inputs, state, family):
    """Drop a flit per cycle of each unroutable worm. Returns their number."""
    drained = 0
    while inputs != 0:
        port = lowest_bit(inputs)
        inputs &= inputs - 1
        number = state.input_channel[switch, port]
        state.counters[FLITS_IN_NETWORK] -= 1
        family.routers[switch].recheck = 1
        drained += 1
        if pop(number, 1 << port, state.vertices[switch], state) & TAIL:
            family.routers[switch].draining ^= 1 << port
            _leave(port, family.routers[switch], family.inputs[number])
    return drained


@compiled
def _leave(port, router, header):
    """Remove an input from the queues after all copies of its message are made."""
    router.queued ^= 1 << port
    router.standing ^= 1 << port
    forget_header(header)


@compiled
def _enter(cycle, switch, complete, state, family):
    """Enter inputs into the queues: one that gets the token, and one whose request is complete and needs none."""
    router, input_channel = family.routers[switch], state.input_channel
    if complete == NONE and router.seeking == 0:
        return 0
    tree = NONE
    if complete != NONE:
        router.queued |= 1 << complete
        request = family.inputs[input_channel[switch, complete]].request
        if router.group != NONE and request & (request - 1):
            tree = complete
    changes, holder = seek_token(cycle, switch, tree, state, family)
    if holder != NONE:
        join_queues(switch, holder, input_channel, family)
    if complete != NONE and tree == NONE:
        join_queues(switch, complete, input_channel, family)
    return changes + 1 if complete != NONE else changes


@compiled
def join_queues(switch, port, input_channel, family):
    """Enter an input as the youngest in the queues."""
    router = family.routers[switch]
    rest = router.standing
    while rest != 0:
        family.inputs[input_channel[switch, lowest_bit(rest)]].older &= ~(1 << port)
        rest &= rest - 1
    header = family.inputs[input_channel[switch, port]]
    header.older = router.standing
    header.owed = header.request
    router.standing |= 1 << port
    router.requeued = 1
    router.recheck = 1
