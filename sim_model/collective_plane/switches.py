"""Switches of the plane: one step of a switch, from its registers at the start of the cycle.

The order within a step is that of registers: grants first, then credits and words that arrive.
"""

from sim_model.collective_plane.folding import fold, natural, wide
from sim_model.collective_plane.resets import reset_share
from sim_model.collective_plane.state import ERROR, FLUSHED, GROUP_SHIFT, HOP, LAST
from sim_model.loops.bits import count_bits, first_at_or_after, lowest_bit
from sim_model.loops.compiled import compiled, compiled_apart
from topology.collectives.operators import OPERATOR_BITS

OPERATOR_MASK = (1 << OPERATOR_BITS) - 1


@compiled
def step_switch(row, now, following, far, arrival, stage, state):
    """Step a switch by one cycle.

    Parameters:
        now, following (int): Slots of this cycle and the next one.
        far: Slot of the cycle in which the parent showed what arrives here now.
        arrival: Slot of the cycle in which the parent gets what shows from the next cycle on.
        stage: This cycle modulo the stages of the pipeline.

    Returns:
        int: 0 only if nothing changed.
    """
    switch, out = state.switches[row], state.outputs[natural(following * state.switch_count + row)]
    flushed = state.counters[FLUSHED]
    changes = 0
    if state.timeout_cycles > 0:
        changes += count_waits(row, flushed, state)
    out.branches = 0
    out.credited = 0
    able = ~flushed & ~switch.resting
    drains = switch.drains & ~switch.fresh  # as of the cycle before
    credited = switch.tops & switch.down_credited | ~switch.tops & switch.up_credited
    ready = (switch.fronts & ~drains & credited | switch.discards & drains) & able
    was_denied = switch.denied != 0
    if was_denied:
        ready &= ~switch.tops
    down_ready = switch.waiting & switch.down_credited & ~flushed
    leaving = state.pipelines[natural(row * state.stages) + stage]
    taken = leaving.valid & switch.tops >> (leaving.marks >> GROUP_SHIFT) & 1
    switch.denied = 1 if down_ready != 0 and taken != 0 else 0
    switch.fresh = 0
    switch.resting = 0
    if down_ready | ready | switch.moving != 0:
        changes += 1
        is_idle = switch.moving == 0
        if leaving.valid != 0:
            leaving.valid = 0
            switch.moving -= 1
            _show(row, leaving.word, leaving.marks, arrival, out, state)
        if down_ready != 0 and taken == 0:
            _send_down(row, down_ready, arrival, out, state)
        if ready != 0:
            group = first_at_or_after(ready, switch.combine_turn + 1)
            if not was_denied:
                switch.combine_turn = group
            out.credit_group = group
            if switch.drains >> group & 1 != 0:
                _discard(row, group, out, state)
            else:
                _combine(row, group, arrival, is_idle, stage, out, state)
    changes += _receive(row, now, far, state)
    rest = flushed
    while rest != 0:
        reset_share(row, lowest_bit(rest), state)
        rest &= rest - 1
    return changes


@compiled
def _send_down(row, down_ready, arrival, out, state):
    """Move a word from the parent into the down bank."""
    switch = state.switches[row]
    group = first_at_or_after(down_ready, switch.down_turn + 1)
    number = switch.first_share + group
    share = state.shares[number]
    entry = state.down_buffers[natural(number << state.buffer_bits) + (share.down_head & state.buffer_mask)]
    share.down_head += 1
    if share.down_head == share.down_tail:
        switch.waiting &= ~(1 << group)
    out.word = entry.word
    out.marks = entry.marks
    out.branches = share.taking
    _take_credits(number, group, switch, share, state)
    above = natural(arrival * state.switch_count) + switch.parent
    state.returned[natural(above * state.groups) + group] |= 1 << switch.port
    state.returned_groups[above] |= 1 << group
    switch.down_turn = group


@compiled
def _discard(row, group, out, state):
    """Discard a word of each draining branch."""
    switch = state.switches[row]
    number = switch.first_share + group
    share = state.shares[number]
    rest = wide(share.draining)
    out.credited = rest
    switch.resting = 1 << group
    share.nonempty = take_one(state.up_counts, number, rest)
    while rest != 0:
        port = lowest_bit(rest)
        rest &= rest - 1
        entry = _front(port, group, switch, share, state)
        state.queues[switch.first_queue + natural(port * state.groups) + group].skew += 1
        if entry.marks & LAST != 0:
            share.draining &= ~(1 << port)
    _update_groups(group, switch, share)


@compiled
def _front(port, group, switch, share, state):
    """Return the first word of a branch, which has one."""
    number = switch.first_queue + natural(port * state.groups) + group
    place = (share.head + state.queues[number].skew) & state.buffer_mask
    return state.up_buffers[natural(number << state.buffer_bits) + place]


@compiled
def _combine(row, group, arrival, is_idle, stage, out, state):
    """Combine the first words of all branches that take part.

    Parameters:
        is_idle: The pipeline is empty, so a header may pass by.
    """
    switch = state.switches[row]
    number = switch.first_share + group
    share = state.shares[number]
    rest = wide(share.taking)
    out.credited = rest
    port = lowest_bit(rest)
    rest &= rest - 1
    entry = _front(port, group, switch, share, state)
    word = entry.word
    marks = entry.marks
    ending = (entry.marks & LAST) << port
    wrong = 0
    is_top = switch.tops >> group & 1 != 0
    passes_by = share.inside == 0 and is_idle and not (is_top and out.branches != 0)
    if share.inside != 0:
        operator = share.operator
        while rest != 0:
            port = lowest_bit(rest)
            rest &= rest - 1
            entry = _front(port, group, switch, share, state)
            word = fold(operator, word, entry.word, state)
            marks |= entry.marks
            ending |= (entry.marks & LAST) << port
    else:
        share.operator = word & OPERATOR_MASK
        while rest != 0:
            port = lowest_bit(rest)
            rest &= rest - 1
            entry = _front(port, group, switch, share, state)
            if entry.word & OPERATOR_MASK != word & OPERATOR_MASK:
                wrong |= 1 << port
            marks |= entry.marks
            ending |= (entry.marks & LAST) << port
    if ending != 0 and ending != share.taking:
        share.draining = share.taking & ~ending
        wrong |= share.draining
        switch.fresh = 1 << group
    if wrong != 0:
        switch.mismatches |= wrong
    failed = 1 if wrong != 0 or share.failed != 0 or marks & ERROR != 0 else 0
    last = 1 if ending != 0 else 0
    share.failed = failed & ~last
    share.inside = 1 - last
    share.waited = 0
    share.head += 1
    share.nonempty = take_one(state.up_counts, number, share.taking)
    _update_groups(group, switch, share)
    marks = last * LAST | failed * ERROR | group << GROUP_SHIFT
    if is_top:
        _take_credits(number, group, switch, share, state)
    else:
        share.up_credits -= 1
        if share.up_credits == 0:
            switch.up_credited &= ~(1 << group)
    if passes_by:
        _show(row, word, marks, arrival, out, state)
    else:
        entering = state.pipelines[natural(row * state.stages) + stage]
        entering.word = word
        entering.marks = marks
        entering.valid = 1
        switch.moving += 1


@compiled
def _show(row, word, marks, arrival, out, state):
    """Load a combined word into the up output, or at the top into the down bank."""
    switch = state.switches[row]
    group = marks >> GROUP_SHIFT
    if switch.tops >> group & 1 != 0:
        out.word = word
        out.marks = marks
        out.branches = state.shares[switch.first_share + group].taking
    else:
        put_up(switch.parent_queue + group, word, marks, state)
        announce_up(natural(arrival * state.switch_count) + switch.parent, group, switch.port, state)


@compiled
def put_up(number, word, marks, state):
    """Write a word that is sent upwards into the place that its credit stands for, where it will arrive."""
    queue = state.queues[number]
    entry = state.up_buffers[natural(number << state.buffer_bits) + (queue.sent & state.buffer_mask)]
    entry.word = word
    entry.marks = marks
    queue.sent += 1


@compiled
def announce_up(entry, group, port, state):
    """Announce a word that is sent upwards, in the entry of the cycle and switch of its arrival."""
    state.arriving[natural(entry * state.groups) + group] |= 1 << port
    state.arriving_groups[entry] |= 1 << group


@compiled
def _update_groups(group, switch, share):
    """Update the masks of groups that follow from the buffers of the branches."""
    bit = 1 << group
    switch.fronts = switch.fronts & ~bit | (bit if share.taking & ~share.nonempty == 0 else 0)
    if share.draining == 0:
        switch.drains &= ~bit
        switch.discards &= ~bit
    else:
        switch.drains |= bit
        switch.discards = switch.discards & ~bit | (bit if share.draining & ~share.nonempty == 0 else 0)


@compiled
def take_one(counts, number, branches):
    """Subtract 1 from counts of some branches, none of which is 0. Returns the branches with other counts than 0."""
    some = 0
    for plane in range(counts.shape[1]):
        held = counts[number, plane]
        left = held ^ branches
        counts[number, plane] = left
        branches &= ~held
        some |= left
    return some


@compiled
def _add_one(counts, number, branches):
    """Add 1 to the counts of some branches."""
    plane = 0
    while branches != 0:
        held = counts[number, plane]
        counts[number, plane] = held ^ branches
        branches &= held
        plane += 1


@compiled
def _take_credits(number, group, switch, share, state):
    """Take a credit of each branch that takes part."""
    if share.taking & ~take_one(state.down_credits, number, share.taking) != 0:
        switch.down_credited &= ~(1 << group)


@compiled
def _give_credits(number, group, branches, switch, share, state):
    """Add a credit to each of some branches."""
    _add_one(state.down_credits, number, branches)
    if switch.down_credited >> group & 1 == 0:
        some = 0
        for plane in range(state.down_credits.shape[1]):
            some |= state.down_credits[number, plane]
        if share.taking & ~some == 0:
            switch.down_credited |= 1 << group


@compiled
def _receive(row, now, far, state):
    """Store the words and count the credits that arrive in this cycle.

    Returns:
        int: Number of words in units of ``HOP``, and 1 more if there are credits.
    """
    switch, here = state.switches[row], natural(now * state.switch_count + row)
    changes = 0
    groups = state.arriving_groups[here]
    if groups != 0:
        state.arriving_groups[here] = 0
        while groups != 0:
            group = lowest_bit(groups)
            groups &= groups - 1
            entry = natural(here * state.groups) + group
            branches = state.arriving[entry]
            state.arriving[entry] = 0
            changes += count_bits(branches) * HOP
            store_up(group, branches, switch, state)
    groups = state.returned_groups[here]
    if groups != 0:
        changes += 1
        state.returned_groups[here] = 0
        while groups != 0:
            group = lowest_bit(groups)
            groups &= groups - 1
            number, pulse = switch.first_share + group, natural(here * state.groups) + group
            _give_credits(number, group, state.returned[pulse], switch, state.shares[number], state)
            state.returned[pulse] = 0
    if switch.is_root == 0:
        above = state.outputs[natural(far * state.switch_count) + switch.parent]
        if above.branches >> switch.port & 1 != 0:
            _store_down(row, above, state)
            changes += HOP
        if above.credited >> switch.port & 1 != 0:
            state.shares[switch.first_share + above.credit_group].up_credits += 1
            switch.up_credited |= 1 << above.credit_group
            changes += 1
    return changes


@compiled
def store_up(group, branches, switch, state):
    """Count the words of some branches that arrive; they are in their places."""
    number = switch.first_share + group
    share = state.shares[number]
    _add_one(state.up_counts, number, branches)
    share.nonempty |= branches
    if share.taking & ~share.nonempty == 0:
        switch.fronts |= 1 << group
    if share.draining & branches != 0 and share.draining & ~share.nonempty == 0:
        switch.discards |= 1 << group


@compiled
def _store_down(row, above, state):
    switch = state.switches[row]
    group = above.marks >> GROUP_SHIFT
    number = switch.first_share + group
    share = state.shares[number]
    entry = state.down_buffers[natural(number << state.buffer_bits) + (share.down_tail & state.buffer_mask)]
    entry.word = above.word
    entry.marks = above.marks
    share.down_tail += 1
    switch.waiting |= 1 << group


@compiled_apart
def count_waits(row, flushed, state):
    """Count the cycles in which groups wait for some of their branches. Returns the number of groups that do."""
    switch = state.switches[row]
    waiting = 0
    rest = switch.present & ~flushed
    while rest != 0:
        group = lowest_bit(rest)
        rest &= rest - 1
        share = state.shares[switch.first_share + group]
        missing = share.taking & ~share.nonempty
        if share.waited == state.timeout_cycles:
            continue
        if missing != 0 and (share.inside != 0 or missing != share.taking):
            share.waited += 1
            waiting += 1
            if share.waited == state.timeout_cycles:
                switch.timeouts |= missing
        else:
            share.waited = 0
    return waiting
