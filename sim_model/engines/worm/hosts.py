"""Hosts beside worms: injection and delivery of messages."""

from sim_model.engines.cycle.deliveries import count_arrival
from sim_model.engines.cycle.hosts import free_injector, wake_host
from sim_model.engines.cycle.occupied_outputs import INTO_PROCESSOR
from sim_model.engines.cycle.state import NEVER, NONE
from sim_model.engines.worm.calendar import cancel, enter
from sim_model.engines.worm.flits import move
from sim_model.engines.worm.route_unit import send_worm
from sim_model.engines.worm.state import ALIVE, CHANNEL_KINDS, DUE, HOST_SIDE, LAST_CHANGE, SWITCH_KINDS
from sim_model.loops.compiled import compiled


@compiled
def expect_host(injector, cycle, worms, state):
    """Schedule a host for its ``wake_cycle`` in place of an earlier entry; it is due at once if that is now."""
    wake_cycle, entry = state.hosts[injector].wake_cycle, _entry_of(injector, worms, state)
    entered = worms.calendar.entries[entry].cycle
    if entered != wake_cycle:
        if entered != NEVER:
            cancel(entry, worms.calendar)
        if wake_cycle > cycle:
            if wake_cycle != NEVER:
                enter(entry, wake_cycle, worms.calendar)
        else:
            fall_due(injector, cycle, worms)


@compiled
def fall_due(injector, cycle, worms):
    """Add a host to the due ones of this cycle."""
    if worms.due_cycle[injector] != cycle:
        worms.due_cycle[injector] = cycle
        worms.due[worms.counters[DUE]] = injector
        worms.counters[DUE] += 1


@compiled
def _entry_of(injector, worms, state):
    return CHANNEL_KINDS * len(worms.channels) + SWITCH_KINDS * state.switches + injector


@compiled
def step_hosts(cycle, worms, state, family):
    """Step the hosts that are due by one cycle."""
    for position in range(worms.counters[DUE]):
        injector = worms.due[position]
        if state.hosts[injector].wake_cycle <= cycle:
            message = wake_host(cycle, injector, state)
            if message != NONE:
                _inject(cycle, state.hosts[injector].channel, message, worms, state, family)
            expect_host(injector, cycle, worms, state)
    worms.counters[DUE] = 0


@compiled
def _inject(cycle, number, message, worms, state, family):
    """Accept a message in an injector, and load its head."""
    worms.counters[ALIVE] += 1
    worms.heads[message] = 1
    worms.counters[LAST_CHANGE] = cycle
    send_worm(number, message, worms, state, family)
    channel = worms.channels[number]
    channel.head_last = 1
    channel.loaded += 1
    channel.load_cycle = cycle
    channel.unloaded -= 1
    move(number, worms, state, family)


@compiled
def tail_is_sent(number, cycle, worms, state):
    """Schedule the arrival of a worm whose tail is in the output register of a delivery channel."""
    channel = worms.channels[number]
    channel.feeder = NONE
    if state.channels[number].role == INTO_PROCESSOR:
        channel.front = channel.sending
        enter(HOST_SIDE * len(worms.channels) + number, cycle + 1, worms.calendar)


@compiled
def tail_moves(number, cycle, worms, state):
    """Move a tail out of an injector or into a processor."""
    channel = state.channels[number]
    if channel.role == INTO_PROCESSOR:
        message = worms.channels[number].front
        worms.counters[ALIVE] -= 1
        count_arrival(cycle, channel.sink - state.switches, message, state)
    else:
        injector = number - state.vertices[state.switches].first_output
        message = state.hosts[injector].sending
        free_injector(cycle, injector, state)
        expect_host(injector, cycle, worms, state)
    for position in range(state.jobs[message].first_child, state.jobs[message].end_child):
        expect_host(state.jobs[state.children[position].message].injector, cycle, worms, state)
