"""The switch of a multistage network for the worm engine (Sec. 3; docs/look_up/timing_min.md)."""

from pathlib import Path

from sim_model.engines.calendar import postpone, schedule
from sim_model.engines.cycle.route_unit import forget_header
from sim_model.engines.cycle.state import NONE
from sim_model.engines.worm.flits import load, pop, put_on_agenda, stream
from sim_model.engines.worm.hosts import tail_is_sent
from sim_model.engines.worm.loop import worm_loop
from sim_model.engines.worm.route_unit import next_worm, send_worm
from sim_model.engines.worm.state import ALIVE, CHANNEL_KINDS, HORIZON, LAST_CHANGE, MAX_COPIES, SENT
from sim_model.engines.worm.steady import begin_copies
from sim_model.loops.bits import lowest_bit, sink_bit, source_bit
from sim_model.loops.compiled import compiled
from sim_model.min.router import find_first, join_queues
from sim_model.min.token import pass_on, seek_token


@compiled
def copy_flits(number, worms, state, family):
    """Copy the flits of an input: each output takes them as it can, at most one flit behind the others."""
    channel, request = worms.channels[number], family.inputs[number].request
    first_output = state.vertices[state.channels[number].sink].first_output
    end = min(channel.front_end, channel.popped + worms.counters[MAX_COPIES])
    while channel.popped < end and channel.popped < channel.moved:
        if channel.granted == request and request & (request - 1) == 0 and request != 0 and channel.copied == 0:
            output = first_output + lowest_bit(request)
            other = worms.channels[output]
            if other.loaded == other.moved and stream(number, output, end, worms, state, family) > 0:
                if other.unloaded == 0:
                    schedule(SENT * len(worms.channels) + output, other.load_cycle, state.calendar)
                continue
        arrived = worms.moves[number, channel.popped & worms.mask] + channel.later_cycles
        earliest = max(arrived + 1, channel.pop_cycle + 1, channel.start_cycle)
        rest = channel.granted & ~channel.copied
        while rest != 0:
            bit = rest & -rest
            output = first_output + lowest_bit(rest)
            rest ^= bit
            other = worms.channels[output]
            if other.loaded > other.moved:
                continue
            cycle = max(earliest, other.move_cycle, other.grant_cycle)
            if cycle >= worms.counters[HORIZON]:
                continue
            channel.copied |= bit
            channel.copy_cycle = max(channel.copy_cycle, cycle)
            if other.unloaded == 1:
                schedule(SENT * len(worms.channels) + output, cycle, state.calendar)
            load(output, cycle, worms, state, family)
        if channel.copied != request:
            break
        if request == 0:
            if earliest >= worms.counters[HORIZON]:
                break
            channel.copy_cycle = earliest
        pop(number, channel.copy_cycle, worms, state, family)


@compiled
def end_worm(cycle, kind, number, worms, state, family):
    """End a copied worm at an output or a drained worm, or pass the token on with the flit that releases it."""
    if kind == SENT:
        owner = worms.channels[number].feeder
        switch = state.channels[number].source
        tail_is_sent(number, cycle, worms, state)
        family.inputs[owner].owed &= ~source_bit(state.channels[number])
        family.routers[switch].requeued = 1
        if family.inputs[owner].owed == 0:
            _leave(cycle, switch, owner, worms, state, family)
        return
    switch = state.channels[number].sink
    if family.inputs[number].request == 0:
        worms.counters[ALIVE] -= 1
        _leave(cycle, switch, number, worms, state, family)
    else:
        _let_token_go(cycle, switch, number, worms, state, family)


@compiled
def _leave(cycle, switch, number, worms, state, family):
    """Remove an input from the queues after all copies of its message are made."""
    router, bit = family.routers[switch], sink_bit(state.channels[number])
    _let_token_go(cycle, switch, number, worms, state, family)
    router.queued ^= bit
    router.standing ^= bit
    router.requeued = 1
    forget_header(family.inputs[number])
    next_worm(number, cycle + 1, worms, state, family)


@compiled
def _let_token_go(cycle, switch, number, worms, state, family):
    """Release the token if an input holds it, and schedule it at the next switch of the ring that seeks it."""
    router = family.routers[switch]
    if router.holder == NONE or 1 << router.holder != sink_bit(state.channels[number]):
        return
    pass_on(cycle, router, family.groups)
    group, position = family.groups[router.group], family.groups[router.group].free_position
    for step in range(group.switches):
        seeker = family.rings[router.group, position]
        if family.routers[seeker].seeking != 0:
            _call_token(seeker, group.free_cycle + step * group.wire_cycles, worms, state)
            break
        position = position + 1 if position + 1 < group.switches else 0


@compiled
def _call_token(switch, cycle, worms, state):
    entry = CHANNEL_KINDS * len(worms.channels) + state.switches + switch
    postpone(entry, cycle, state.calendar)


@compiled
def end_cycle(cycle, switch, worms, state, family):
    """Update tokens, queues, and the outputs that inputs may use from the next cycle on."""
    router = family.routers[switch]
    if worms.complete[switch] != NONE or router.seeking != 0:
        _enter(cycle, switch, worms, state, family)
    if router.requeued:
        find_first(router, switch, state.input_channel, family.inputs)
        _grant(cycle + 1, switch, worms, state, family)


@compiled
def _enter(cycle, switch, worms, state, family):
    """Enter inputs into the queues: one that gets the token, and one whose request is complete and needs none."""
    router, input_channel, complete = family.routers[switch], state.input_channel, worms.complete[switch]
    tree = NONE
    if complete != NONE:
        worms.counters[LAST_CHANGE] = cycle
        router.queued |= 1 << complete
        request = family.inputs[input_channel[switch, complete]].request
        if router.group != NONE and request & (request - 1):
            tree = complete
    _, holder = seek_token(cycle, switch, tree, state, family)
    if holder != NONE:
        worms.counters[LAST_CHANGE] = cycle
        worm = worms.channels[input_channel[switch, holder]]
        last = worm.front_begin + router.release_flits - 1
        worm.noted = last if last < worm.front_end - 1 else NONE
        _stand(cycle + 1, switch, holder, worms, state, family)
    elif router.seeking != 0 and not family.groups[router.group].held:
        _await_token(cycle + 1, switch, worms, state, family)
    if complete != NONE and tree == NONE:
        worm = worms.channels[input_channel[switch, complete]]
        worm.noted = worm.front_end - 1 if family.inputs[input_channel[switch, complete]].request == 0 else NONE
        _stand(cycle + 1, switch, complete, worms, state, family)


@compiled
def _stand(cycle, switch, port, worms, state, family):
    """Enter an input into the queues; it may copy from a cycle on."""
    join_queues(switch, port, state.input_channel, family)
    number = state.input_channel[switch, port]
    worms.channels[number].copying = 1
    worms.channels[number].start_cycle = cycle
    if family.inputs[number].request == 0:
        put_on_agenda(number, worms)


@compiled
def _await_token(earliest, switch, worms, state, family):
    """Schedule the arrival of the free token, unless another switch takes it before."""
    router = family.routers[switch]
    group = family.groups[router.group]
    steps = router.ring_position - group.free_position
    if steps < 0:
        steps += group.switches
    cycle = group.free_cycle + steps * group.wire_cycles
    if cycle < earliest:
        round_cycles = group.switches * group.wire_cycles
        cycle += (earliest - cycle + round_cycles - 1) // round_cycles * round_cycles
    _call_token(switch, cycle, worms, state)


@compiled
def _grant(cycle, switch, worms, state, family):
    """Grant outputs to the inputs that are first at them; these copy from a cycle on."""
    router, first_output = family.routers[switch], state.vertices[switch].first_output
    rest = router.standing
    while rest != 0:
        number = state.input_channel[switch, lowest_bit(rest)]
        rest &= rest - 1
        channel = worms.channels[number]
        new = family.inputs[number].first & ~channel.granted
        if new == 0:
            continue
        channel.granted |= new
        while new != 0:
            output = first_output + lowest_bit(new)
            new &= new - 1
            worms.channels[output].feeder = number
            worms.channels[output].grant_cycle = cycle
            send_worm(output, channel.front, worms, state, family)
        begin_copies(number, worms, state)


run_worms = worm_loop(copy_flits, end_worm, end_cycle, Path(__file__).parent)
