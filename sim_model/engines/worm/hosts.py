"""Hosts beside worms: injection and delivery of messages."""

from sim_model.engines.calendar import schedule
from sim_model.engines.cycle.occupied_outputs import INTO_PROCESSOR
from sim_model.engines.cycle.state import NONE
from sim_model.engines.hosts import count_arrival, free_injector, wake_hosts
from sim_model.engines.worm.flits import move
from sim_model.engines.worm.route_unit import send_worm
from sim_model.engines.worm.state import ALIVE, HOST_SIDE, LAST_CHANGE
from sim_model.loops.compiled import compiled


@compiled
def inject_worms(cycle, worms, state, family):
    """Step the hosts by one cycle, and load the heads of accepted messages into their injectors."""
    for position in range(wake_hosts(cycle, cycle, 0, state)):
        host = state.hosts[state.senders[position]]
        number, message = host.channel, host.sending
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
        schedule(HOST_SIDE * len(worms.channels) + number, cycle + 1, state.calendar)


@compiled
def tail_moves(number, cycle, worms, state):
    """Move a tail out of an injector or into a processor."""
    channel = state.channels[number]
    if channel.role == INTO_PROCESSOR:
        worms.counters[ALIVE] -= 1
        count_arrival(cycle, channel.sink - state.switches, worms.channels[number].front, state)
    else:
        free_injector(cycle, number - state.vertices[state.switches].first_output, state)
