"""The switches of a hypercube, one cycle of all of them (docs/look_up/timing_hypercube.md).

Everything reads the state at the start of the cycle, which determines the order here: deliveries and grants first;
then, for eight switches at a time, waiting heads, credits and new choices; then examination, pick and election in
switches with waiting heads, one by one; and last the new requests.
"""

from sim_model.engines.cycle.discards import discard
from sim_model.engines.cycle.state import NONE
from sim_model.engines.cycle.wakeups import clear_alarms, row_alarms, wake_row
from sim_model.hypercube.allocator import elect, examine, is_hopeful, pick, step_random_order
from sim_model.hypercube.delivery import deliver
from sim_model.hypercube.grants import drain, grant_requests, make_requests
from sim_model.hypercube.orders import order_of
from sim_model.loops.bits import lowest_bit, message_of
from sim_model.loops.compiled import compiled
from sim_model.vc.choices import choose_vcs, find_candidates, note_chosen
from sim_model.vc.credits import count_credits
from sim_model.vc.registers import (
    ACTIVE,
    ARRIVED,
    ASKING,
    BEGAN,
    CHANGED,
    CHOSE,
    CLOSING,
    CREDITED,
    ELECTING,
    EMPTIED,
    ENDED,
    FINISHED,
    FREE,
    GIVEN,
    GRANTED,
    HEADS,
    NEXT_ROOM,
    NONEMPTY,
    OPERATIONS,
    READ,
    RELEASES,
    REQUESTED,
    ROOM,
    ROW,
    SENT,
    UNROUTABLE,
    USABLE,
    WIDTH,
    WIRES,
)

vector_at, put, splat = OPERATIONS["vector_at"], OPERATIONS["put"], OPERATIONS["splat"]
any_of, places_of = OPERATIONS["any_of"], OPERATIONS["places_of"]


@compiled
def step_routers(cycle, moves, state, family):
    """Step all switches by one cycle. Returns 0 only if nothing moved and nothing can change without a host."""
    changes = moves
    order = order_of(cycle, family)
    deliver(cycle, state, family)
    grant_requests(cycle, order, state, family)
    for row in range(family.rows):
        if _is_awake(cycle, row, state, family):
            if family.next_cycle[row] != cycle:
                _catch_up(cycle, row, family)
            family.next_cycle[row] = cycle + 1
            changed, goes_on = _step_row(cycle, row, order, state, family)
            changes += changed
            wake_row(goes_on, row, cycle + 1, state.alarms)
    clear_alarms(cycle, state.alarms)
    make_requests(family)
    return changes


@compiled
def _is_awake(cycle, row, state, family):
    """Return whether one of eight switches has work, an arriving flit, or a credit or release on its wires."""
    words, at, parity = family.words, row * ROW, (cycle & 1) * WIDTH
    wires = vector_at(words, at + WIRES + parity) | vector_at(words, at + RELEASES + parity)
    return (
        row_alarms(row, cycle, state.alarms)
        | any_of(vector_at(words, at + ARRIVED) | vector_at(words, at + CHANGED) | wires)
        != 0
    )


@compiled
def _catch_up(cycle, row, family):
    """Restore the leaders of the last two cycles after idle cycles."""
    words, at, first = family.words, row * ROW, row * WIDTH
    asking = vector_at(words, at + NONEMPTY) & ~vector_at(words, at + ACTIVE)
    put(words, at + ASKING, asking)
    put(words, at + USABLE, _free_vcs(at, family))
    for column in range(min(WIDTH, family.switches - first)):
        switch, election = first + column, family.elections[first + column]
        election.leader = elect(words[at + ASKING + column], order_of(cycle - 2, family), switch, family)
        pick(switch, words[at + USABLE + column], election, family)
        election.leader = elect(words[at + ASKING + column], order_of(cycle - 1, family), switch, family)
        words[at + ELECTING + column] = 1


@compiled
def _free_vcs(at, family):
    """Return the available output VCs: those with atomic reallocation need all credits."""
    free = vector_at(family.words, at + FREE)
    if family.shared_vcs:
        free = free & vector_at(family.words, at + CREDITED)
    return free


@compiled
def _step_row(cycle, row, order, state, family):
    """Step eight switches by one cycle, except for grants and requests.

    Returns masks of those in which a register changed but those of the election, and of those that go on.
    """
    words, at, parity = family.words, row * ROW, (cycle & 1) * WIDTH
    host, delivery, queues = splat(family.host_vcs), splat(family.delivery_vcs), splat(family.queue_vcs)
    arrived, present, active = _three(words, at + ARRIVED, at + NONEMPTY, at + ACTIVE)
    unroutable, closing, requested = _three(words, at + UNROUTABLE, at + CLOSING, at + REQUESTED)
    returned, released, sent = _three(words, at + WIRES + parity, at + RELEASES + parity, at + SENT)
    ready = (present & ~host | vector_at(words, at + READ)) & ~active
    waiting, drained = ready & ~unroutable, ready & unroutable
    asking = (present | arrived & ~host) & ~active & ~(drained & queues & ~host)
    draining = active & present & unroutable
    put(words, at + HEADS, draining)
    _drain_worms(cycle, row, draining, state, family)
    ended, nonempty = vector_at(words, at + ENDED), present & ~vector_at(words, at + EMPTIED)
    changes = arrived | returned | released | requested | closing | vector_at(words, at + CHOSE) | drained | draining
    changes = changes | vector_at(words, at + CHANGED) | asking & ~waiting
    put(words, at + USABLE, _free_vcs(at, family))

    count_credits(at, returned & ~delivery, sent & ~delivery, family)
    can_send = vector_at(words, at + CREDITED) & (vector_at(words, at + ROOM) | ~delivery)
    put(words, at + ROOM, vector_at(words, at + NEXT_ROOM))
    following = active & (nonempty | arrived) & ~ended & ~unroutable
    sends, _ = find_candidates(row, following, can_send, splat(0), family)
    requested = requested & ~vector_at(words, at + GRANTED)
    chosen = splat(0)
    if any_of(following & sends) != 0:
        chosen = choose_vcs(row, following & sends, requested, family)
        note_chosen(row, at, chosen, family)
    requested = requested | chosen
    put(words, at + CHANGED, changes | requested)
    _allocate(row, waiting, asking, order, family)
    changes, began = vector_at(words, at + CHANGED), vector_at(words, at + BEGAN)

    from_host = present & ~active & host
    starts = from_host | (arrived & ~present & ~active | (nonempty | arrived) & ended) & ~host
    put(words, at + UNROUTABLE, unroutable & ~starts)
    _read_heads(row, starts, state, family)
    _start_draining(cycle, row, drained, family)
    finished = vector_at(words, at + FINISHED) & splat(family.tail_vcs)
    now_closing = ended & ~queues
    put(words, at + READ, from_host & ~began)
    put(words, at + ACTIVE, active & ~closing & ~(ended & queues) | began | drained)
    put(words, at + CLOSING, now_closing)
    put(words, at + FREE, (vector_at(words, at + FREE) | released | finished) & ~vector_at(words, at + GIVEN))
    put(words, at + NONEMPTY, nonempty | arrived)
    put(words, at + REQUESTED, requested)
    for cleared in (at + ARRIVED, at + CHANGED, at + WIRES + parity, at + RELEASES + parity):
        put(words, cleared, splat(0))
    for note in range(GRANTED, EMPTIED + WIDTH, WIDTH):
        put(words, at + note, splat(0))
    goes_on = changes | asking | requested | vector_at(words, at + CHOSE) | now_closing
    return places_of(changes), places_of(goes_on)


@compiled
def _three(words, one, other, third):
    """Return three registers of eight switches."""
    return vector_at(words, one), vector_at(words, other), vector_at(words, third)


@compiled
def _drain_worms(cycle, row, vcs, state, family):
    """Drop a flit of each active unroutable worm."""
    rest = places_of(vcs)
    while rest != 0:
        column = lowest_bit(rest)
        rest &= rest - 1
        own = family.words[row * ROW + HEADS + column]
        drain(cycle, (row * WIDTH + column) * family.most_vcs, own, state, family)


@compiled
def _allocate(row, waiting, asking, order, family):
    """Allocate VCs to heads: examination, pick and election in those of eight switches that need any.

    Records the input VCs with a granted head, the granted VCs, and a change where a head could get one.
    """
    words, at, first = family.words, row * ROW, row * WIDTH
    put(words, at + HEADS, waiting)
    put(words, at + ASKING, asking)
    put(words, at + BEGAN, splat(0))
    put(words, at + GIVEN, splat(0))
    rest = places_of(waiting | asking | vector_at(words, at + ELECTING))
    while rest != 0:
        column = lowest_bit(rest)
        rest &= rest - 1
        switch, place, election = first + column, at + column, family.elections[first + column]
        own, free = words[place + HEADS], words[place + USABLE]
        if words[place + CHANGED] == 0:
            words[place + CHANGED] = is_hopeful(switch, own, free, family)
        words[place + BEGAN], words[place + GIVEN] = examine(switch, own, free, election, family)
        chose = pick(switch, free, election, family)
        if words[place + CHOSE]:  # in the cycle before: this pick goes by the same order
            step_random_order(switch, election, family)
        words[place + CHOSE] = chose
        election.leader = elect(words[place + ASKING], order, switch, family)
        words[place + ELECTING] = 1 if (election.leader != NONE) | (election.examined != NONE) | (chose != 0) else 0


@compiled
def _read_heads(row, vcs, state, family):
    """Look up the route candidates of heads that move to the front of their VCs."""
    words, at, first = family.words, row * ROW, row * WIDTH
    put(words, at + HEADS, vcs)
    rest = places_of(vcs)
    while rest != 0:
        column = lowest_bit(rest)
        rest &= rest - 1
        starts = words[at + HEADS + column]
        while starts != 0:
            words[at + UNROUTABLE + column] |= _read_head(first + column, lowest_bit(starts), state, family)
            starts &= starts - 1


@compiled
def _read_head(switch, vc, state, family):
    """Look up the route candidates of one head. Returns the mask of its VC if it is unroutable, else 0."""
    record = family.input_vcs[switch * family.most_vcs + vc]
    message = message_of(state.slots[record.channel, state.channels[record.channel].front])
    remaining = switch ^ family.key[message]
    wanted = remaining & ~(1 << record.port)
    record.candidates = family.candidates[wanted]
    record.escapes = family.escapes[family.elections[switch].parity, wanted]
    strays = remaining == 0 if family.host_vcs >> vc & 1 else remaining != wanted
    if strays:  # and yet it can be the leader
        record.candidates &= ~family.delivery_vcs
        return 1 << vc
    return 0


@compiled
def _start_draining(cycle, row, vcs, family):
    """Start to drain unroutable worms, which have no output VC."""
    put(family.words, row * ROW + HEADS, vcs)
    rest = places_of(vcs)
    while rest != 0:
        column = lowest_bit(rest)
        rest &= rest - 1
        own = family.words[row * ROW + HEADS + column]
        while own != 0:
            record = family.input_vcs[(row * WIDTH + column) * family.most_vcs + lowest_bit(own)]
            own &= own - 1
            record.target = NONE
            discard(cycle - 1, record.channel, family.discards)
