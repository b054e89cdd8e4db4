"""Worms that stream: all their heads have got through, and a flit of theirs moves on every channel in every cycle.

The times of a flit follow from those of earlier ones by maxima of sums, by the same rule for all flits. Let all times
of some flit i be one cycle after those of flit i - 1, and no flit be longer in a buffer of D flits than D - 1 cycles.
Then, by induction, all times of every later flit are one cycle after those of the flit before it: every term of the
maxima grows by one, except the time when a place in a buffer became free, which is never the maximum. The second
condition need not hold if the times of D flits in a row are one cycle apart; then that term grows by one as well. Other
worms have no influence, since all that this one had to wait for have gone.
"""

from sim_model.engines.calendar import schedule
from sim_model.engines.counts import count_flits
from sim_model.engines.cycle.occupied_outputs import INTO_PROCESSOR
from sim_model.engines.cycle.state import FLIT_HOPS, NONE
from sim_model.engines.worm.flits import put_on_agenda
from sim_model.engines.worm.state import HORIZON, POP, STREAMS
from sim_model.loops.bits import lowest_bit
from sim_model.loops.compiled import compiled

MIN_FLITS = 8
"""Minimum of flits for which streaming saves time."""
ROUND_FLITS = 4
"""Flits of each input between tests whether worms stream."""


@compiled
def begin_copies(number, worms, state):
    """Count an input that has been granted outputs; the worm may stream once all its heads have got through."""
    message = worms.channels[number].front
    root = state.hosts[state.jobs[message].injector].channel
    got_through = worms.heads[message] == 0 and worms.channels[root].sending == message
    if got_through and flits_in_injector(root, worms) >= MIN_FLITS:
        worms.streams[worms.counters[STREAMS]] = root
        worms.counters[STREAMS] += 1
    else:
        put_on_agenda(number, worms)


@compiled
def flits_in_injector(root, worms):
    """Return the flits that are still in an injector."""
    return worms.channels[root].unloaded


@compiled
def find_tree(root, worms, state, family):
    """Find the channels of a message, each after the one that it branches from. Returns their number."""
    worms.tree[0] = root
    known = 1
    position = 0
    while position < known:
        number = worms.tree[position]
        position += 1
        channel = state.channels[number]
        if channel.role != INTO_PROCESSOR:
            rest = family.inputs[number].request
            while rest != 0:
                worms.tree[known] = state.vertices[channel.sink].first_output + lowest_bit(rest)
                known += 1
                rest &= rest - 1
    return known


@compiled
def streams(known, last, worms, state):
    """Return whether all times after those of the last completely known flit are one cycle apart."""
    depth = state.buffer_depth_flits
    if last < 1:
        return False
    for position in range(known):
        number = worms.tree[position]
        channel = worms.channels[number]
        if state.channels[number].role == INTO_PROCESSOR:
            continue
        broken = max(channel.move_break, channel.pop_break) - channel.front_begin
        if broken >= last:
            return False
        moved = worms.moves[number, (channel.popped - 1) & worms.mask] + channel.later_cycles
        if channel.pop_cycle - moved >= depth and broken > last - depth:
            return False
    return True


@compiled
def last_known(known, worms, state):
    """Return the last flit with all times known; the head is 0."""
    root = worms.channels[worms.tree[0]]
    last = root.popped - root.front_begin - 1
    for position in range(known):
        number = worms.tree[position]
        channel = worms.channels[number]
        if state.channels[number].role != INTO_PROCESSOR:
            last = min(last, channel.popped - channel.front_begin - 1)
    return last


@compiled
def leave_out(known, worms, state):
    """Skip the flits in the injector, as if the worm were shorter: all known times of its flits move by as much."""
    latest = 0
    for position in range(known):
        channel = worms.channels[worms.tree[position]]
        latest = max(latest, channel.load_cycle, channel.move_cycle, channel.pop_cycle)
    flits = min(flits_in_injector(worms.tree[0], worms), worms.counters[HORIZON] - 1 - latest)
    if flits <= 0:
        return
    for position in range(known):
        number = worms.tree[position]
        channel = worms.channels[number]
        channel.load_cycle += flits
        channel.move_cycle += flits
        channel.unloaded -= flits
        state.counters[FLIT_HOPS] += flits
        if len(state.tallies) > 0:
            count_flits(number, flits, 0, flits, state)
        if state.channels[number].role == INTO_PROCESSOR:
            continue
        if channel.noted != NONE and channel.noted < channel.popped + flits:
            cycle = channel.pop_cycle + channel.noted - channel.popped + 1
            schedule(POP * len(worms.channels) + number, cycle, state.calendar)
            channel.noted = NONE
        elif channel.noted != NONE:
            channel.noted -= flits
        channel.front_end -= flits
        channel.pop_cycle += flits
        channel.later_cycles += flits
        if channel.copy_cycle != NONE:
            channel.copy_cycle += flits
