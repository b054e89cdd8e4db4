"""The SPAM router for the worm engine (Sec. 3.2; docs/look_up/timing_spam.md)."""

from pathlib import Path

from sim_model.engines.cycle.route_unit import forget_header
from sim_model.engines.cycle.state import NONE
from sim_model.engines.worm.flits import load, pop, stream
from sim_model.engines.worm.hosts import tail_is_sent
from sim_model.engines.worm.loop import worm_loop
from sim_model.engines.worm.route_unit import next_worm, send_worm
from sim_model.engines.worm.state import ALIVE, HORIZON, LAST_CHANGE, MAX_COPIES
from sim_model.engines.worm.steady import begin_copies
from sim_model.loops.bits import lowest_bit, sink_bit
from sim_model.loops.compiled import compiled
from sim_model.spam.router import enqueue, grant


@compiled
def copy_flits(number, worms, state, family):
    """Copy the flits of an input: all outputs take a flit together."""
    channel, request = worms.channels[number], family.inputs[number].request
    first_output = state.vertices[state.channels[number].sink].first_output
    end = min(channel.front_end, channel.popped + worms.counters[MAX_COPIES])
    while channel.popped < end and channel.popped < channel.moved:
        if request & (request - 1) == 0 and request != 0:
            output = first_output + lowest_bit(request)
            other = worms.channels[output]
            if other.loaded == other.moved and stream(number, output, end, worms, state, family) > 0:
                continue
        arrived = worms.moves[number, channel.popped & worms.mask] + channel.later_cycles
        cycle = max(arrived + 1, channel.pop_cycle + 1, channel.start_cycle)
        known = True
        rest = request
        while rest != 0:
            other = worms.channels[first_output + lowest_bit(rest)]
            rest &= rest - 1
            known = known and other.loaded == other.moved
            cycle = max(cycle, other.move_cycle)
        if not known or cycle >= worms.counters[HORIZON]:
            break
        rest = request
        while rest != 0:
            load(first_output + lowest_bit(rest), cycle, worms, state, family)
            rest &= rest - 1
        pop(number, cycle, worms, state, family)


@compiled
def end_worm(cycle, _kind, number, worms, state, family):
    """End a copied worm: free its outputs, and advance its input to the next worm."""
    switch, header = state.channels[number].sink, family.inputs[number]
    router, first_output = family.routers[switch], state.vertices[switch].first_output
    if header.request == 0:
        worms.counters[ALIVE] -= 1
    rest = header.request
    while rest != 0:
        tail_is_sent(first_output + lowest_bit(rest), cycle, worms, state)
        rest &= rest - 1
    router.active ^= sink_bit(state.channels[number])
    router.owned ^= header.request
    router.recheck = 1
    forget_header(header)
    next_worm(number, cycle + 1, worms, state, family)


@compiled
def end_cycle(cycle, switch, worms, state, family):
    """Add the new entry to the queues, and grant inputs all their outputs for the next cycle."""
    router = family.routers[switch]
    if worms.complete[switch] != NONE:
        worms.counters[LAST_CHANGE] = cycle
        enqueue(switch, worms.complete[switch], state.input_channel, family)
    if router.recheck:
        before = router.active
        if grant(cycle, switch, state.input_channel, family) > 0:
            _begin(cycle + 1, switch, router.active & ~before, worms, state, family)


@compiled
def _begin(cycle, switch, granted, worms, state, family):
    """Give inputs their outputs; they copy from a cycle on."""
    worms.counters[LAST_CHANGE] = cycle
    first_output = state.vertices[switch].first_output
    while granted != 0:
        number = state.input_channel[switch, lowest_bit(granted)]
        granted &= granted - 1
        channel = worms.channels[number]
        channel.copying = 1
        channel.start_cycle = cycle
        channel.noted = channel.front_end - 1
        rest = family.inputs[number].request
        while rest != 0:
            output = first_output + lowest_bit(rest)
            rest &= rest - 1
            worms.channels[output].feeder = number
            send_worm(output, channel.front, worms, state, family)
        begin_copies(number, worms, state)


run_worms = worm_loop(copy_flits, end_worm, end_cycle, Path(__file__).parent)
