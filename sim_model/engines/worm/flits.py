"""Cycles in which flits are loaded, move and are popped: maxima of sums, found as soon as their terms are known."""

from sim_model.engines.calendar import schedule
from sim_model.engines.counts import count_flit, count_flits
from sim_model.engines.cycle.occupied_outputs import FROM_PROCESSOR, INTO_PROCESSOR
from sim_model.engines.cycle.state import FLIT_HOPS, NONE
from sim_model.engines.worm.route_unit import header_flit_moves
from sim_model.engines.worm.state import AGENDA, HORIZON, HOST_SIDE, POP
from sim_model.loops.compiled import compiled


@compiled
def put_on_agenda(number, worms):
    """List a channel whose buffered flits may make progress."""
    channel = worms.channels[number]
    if channel.listed == 0:
        channel.listed = 1
        worms.agenda[worms.counters[AGENDA]] = number
        worms.counters[AGENDA] += 1


@compiled
def load(number, cycle, worms, state, family):
    """Load the next flit of the current worm into the output register of a channel."""
    channel = worms.channels[number]
    if len(state.tallies) > 0:
        channel.head_last = 1 if channel.unloaded == state.jobs[channel.sending].flits else 0
    channel.loaded += 1
    channel.load_cycle = cycle
    channel.unloaded -= 1
    if move(number, worms, state, family) and channel.copying and channel.popped == channel.moved - 1:
        put_on_agenda(number, worms)


@compiled
def move(number, worms, state, family):
    """Move the flit in the output register of a channel, if the cycle is known. Returns whether it is.

    An injector loads the next one at once.
    """
    channel, role, depth = worms.channels[number], state.channels[number].role, state.buffer_depth_flits
    known = False
    while channel.loaded > channel.moved:
        flit = channel.moved
        cycle = channel.load_cycle + 1
        if role != INTO_PROCESSOR:
            leaving = flit - depth
            if leaving >= 0:
                if leaving >= channel.popped:
                    break
                cycle = max(cycle, worms.pops[number, leaving & worms.mask] + channel.later_cycles + 1)
        if cycle >= worms.counters[HORIZON]:
            break
        known = True
        if len(state.tallies) > 0:
            count_flit(number, cycle, channel, state)
        if cycle != channel.move_cycle + 1:
            channel.move_break = flit
        channel.moved = flit + 1
        channel.move_cycle = cycle
        state.counters[FLIT_HOPS] += 1
        if role == INTO_PROCESSOR:
            break
        worms.moves[number, flit & worms.mask] = cycle - channel.later_cycles
        if flit == channel.awaited:
            header_flit_moves(number, cycle, worms, state, family)
        if role == FROM_PROCESSOR:
            if channel.unloaded == 0:
                schedule(HOST_SIDE * len(worms.channels) + number, cycle, state.calendar)
            else:
                channel.head_last = 0
                channel.loaded += 1
                channel.load_cycle = cycle
                channel.unloaded -= 1
    return known


@compiled
def pop(number, cycle, worms, state, family):
    """Pop the first flit in the buffer of a channel, all copies of which are made."""
    channel = worms.channels[number]
    flit = channel.popped
    if cycle != channel.pop_cycle + 1:
        channel.pop_break = flit
    channel.popped = flit + 1
    channel.pop_cycle = cycle
    channel.copied = 0
    channel.copy_cycle = NONE
    worms.pops[number, flit & worms.mask] = cycle - channel.later_cycles
    if flit == channel.noted:
        channel.noted = NONE
        schedule(POP * len(worms.channels) + number, cycle, state.calendar)
    _make_room(number, worms, state, family)


@compiled
def stream(number, output, end, worms, state, family):
    """Copy flits of an input, whose only output is this one, as far as they are known to find room behind it, and not
    beyond flit ``end``.

    The same as ``load`` and ``pop`` of one flit after the other. Returns how many.
    """
    channel, other = worms.channels[number], worms.channels[output]
    mask, depth, horizon = worms.mask, state.buffer_depth_flits, worms.counters[HORIZON]
    base, other_base = channel.later_cycles, other.later_cycles
    delivers = state.channels[output].role == INTO_PROCESSOR
    begin, arriving = channel.popped, other.moved
    flits = min(channel.moved, end) - begin
    if not delivers:
        flits = min(flits, other.popped + depth - arriving)
    copy_cycle = max(channel.pop_cycle, channel.start_cycle - 1, other.grant_cycle - 1)
    pop_cycle, move_cycle = channel.pop_cycle, other.move_cycle
    pop_break, move_break = channel.pop_break, other.move_break
    done, stalled_cycles, first_load = 0, 0, NONE
    while done < flits:
        cycle = max(copy_cycle + 1, worms.moves[number, (begin + done) & mask] + base + 1, move_cycle)
        after = cycle + 1
        leaving = arriving + done - depth
        if not delivers and leaving >= 0:
            after = max(after, worms.pops[output, leaving & mask] + other_base + 1)
        if after >= horizon:
            break
        pop_break = pop_break if cycle == pop_cycle + 1 else begin + done
        move_break = move_break if after == move_cycle + 1 else arriving + done
        first_load = cycle if done == 0 else first_load
        stalled_cycles += after - cycle - 1
        copy_cycle, pop_cycle, move_cycle = cycle, cycle, after
        worms.pops[number, (begin + done) & mask] = cycle - base
        worms.moves[output, (arriving + done) & mask] = after - other_base
        done += 1
    if done == 0:
        return 0
    if len(state.tallies) > 0:
        begun = first_load if begin == channel.front_begin else other.move_cycle
        count_flits(output, done, stalled_cycles, move_cycle - begun, state)
    channel.popped = begin + done
    channel.pop_cycle = copy_cycle
    channel.pop_break = pop_break
    other.move_break = move_break
    other.loaded += done
    other.moved += done
    other.unloaded -= done
    other.load_cycle = copy_cycle
    other.move_cycle = move_cycle
    state.counters[FLIT_HOPS] += done
    if begin <= channel.noted < begin + done:
        cycle = worms.pops[number, channel.noted & mask] + base
        schedule(POP * len(worms.channels) + number, cycle, state.calendar)
        channel.noted = NONE
    if arriving <= other.awaited < arriving + done:
        cycle = worms.moves[output, other.awaited & mask] + other_base
        header_flit_moves(output, cycle, worms, state, family)
    if other.copying and other.popped == arriving:
        put_on_agenda(output, worms)
    _make_room(number, worms, state, family)
    return done


@compiled
def _make_room(number, worms, state, family):
    """Move the flits that wait for room in the buffer of a channel, in the register before it or further upstream."""
    channel = worms.channels[number]
    if channel.loaded == channel.moved or not move(number, worms, state, family):
        return
    if channel.unloaded > 0 and channel.feeder != NONE:
        put_on_agenda(channel.feeder, worms)
