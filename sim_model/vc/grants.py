"""Grants: requested flits leave their buffers for the output registers, or for the delivery buffer.

All requests of all switches are in lists, one for those of links and one for those of processors. So a cycle has two
loops of many turns, in place of a short one for each switch with mispredicted ends.
"""

from sim_model.engines.cycle.links import take_first
from sim_model.engines.cycle.occupied_outputs import BETWEEN_SWITCHES
from sim_model.engines.cycle.state import FLITS_IN_NETWORK
from sim_model.loops.bits import TAIL, enter, first_at_or_after, lowest_bit, source_bit
from sim_model.loops.compiled import compiled
from sim_model.vc.delivery import store_delivery
from sim_model.vc.registers import (
    ACTIVE,
    AGAIN,
    CREDITED,
    DRAINING,
    DROPPED,
    EMPTIED,
    ENDED,
    FINISHED,
    FREE,
    GRANTED,
    SENT,
    STARTABLE,
    WIDTH,
    WIRES,
    YIELDING,
)
from sim_model.vc.state import TO_LINK, TO_PROCESSOR


@compiled
def grant_requests(cycle, state, family):
    """Grant or drop the first request at each output of all switches.

    The first one is granted if it has resources, and dropped if not. All others stay.
    """
    _grant_listed(cycle, TO_LINK, state, family)
    _grant_listed(cycle, TO_PROCESSOR, state, family)


@compiled
def _grant_listed(cycle, role, state, family):
    """Grant or drop the requests in one list; the compiler knows which one it is."""
    requests = family.requests[role]
    kept, loaded = 0, state.mover_counts[BETWEEN_SWITCHES]
    for position in range(family.counts[role]):
        number = requests[position]
        enter(requests, kept, number)
        asking = family.input_vcs[number]
        if not _is_first(cycle, asking, family):
            kept += 1
        elif _is_good(asking, state, family):
            loaded = send_flit(_grant(cycle, asking, state, family), role, loaded, asking, state, family)
    state.mover_counts[BETWEEN_SWITCHES] = loaded
    family.counts[role] = kept


@compiled
def send_flit(flit, role, loaded, asking, state, family):
    """Store a granted flit in the register of its output VC, or in the delivery buffer.

    Returns how many registers between switches are loaded now, where ``loaded`` were before.
    """
    if role == TO_PROCESSOR:
        store_delivery(asking.to, flit, family)
        return loaded
    state.channels[asking.to].register = flit
    state.vertices[asking.switch].occupied |= 1 << asking.target
    enter(state.movers[BETWEEN_SWITCHES], loaded, asking.to)  # as ``load_register`` does, whatever the role
    return loaded + 1


@compiled
def _is_first(cycle, asking, family):
    """Return whether the request of an input is the first one at its output, and remove it if so."""
    output = family.outputs[asking.output]
    rivals = output.requests & ~family.words[asking.place + YIELDING]
    first = first_at_or_after(rivals if rivals != 0 else output.requests, output.turn)
    if (first != asking.port) | (output.served == cycle + 1):
        return False
    output.served = cycle + 1
    output.requests ^= 1 << asking.port
    return True


@compiled
def _is_good(asking, state, family):
    """Return whether a request can be granted; if not, record it as dropped."""
    words, place = family.words, asking.place
    active = words[place + ACTIVE]
    usable = words[place + FREE] & words[place + STARTABLE]
    if (words[place + CREDITED] if active >> asking.vc & 1 else usable) >> asking.target & 1:
        return True
    words[place + DROPPED] |= 1 << asking.vc
    words[place + AGAIN] |= _goes_on(asking, state) & active
    return False


@compiled
def _goes_on(asking, state):
    """Return the mask of a VC, or 0 if its first flit is a tail or the last one in the buffer."""
    channel = state.channels[asking.channel]
    return 1 << asking.vc if channel.count > 1 and state.slots[asking.channel, channel.front] & TAIL == 0 else 0


@compiled
def _grant(cycle, asking, state, family):
    """Grant an output VC to the first flit of an input VC."""
    words, place, target = family.words, asking.place, asking.target
    family.outputs[asking.output].turn = asking.port + 1  # behind the last input: equivalent to 0
    flit = _take(cycle, asking, state, family)
    words[place + SENT] |= 1 << target
    words[place + FINISHED] |= (flit & TAIL) << target
    return flit


@compiled
def drain_all(cycle, first_vc, place, state, family):
    """Grant all drain requests of a switch."""
    rest = family.words[place + DRAINING]
    family.words[place + DRAINING] = 0
    while rest != 0:
        _take(cycle, family.input_vcs[first_vc + lowest_bit(rest)], state, family)
        rest &= rest - 1
        state.counters[FLITS_IN_NETWORK] -= 1


@compiled
def _take(cycle, asking, state, family):
    """Pop the first flit of an input VC, whose credit is on the wire in the next cycle."""
    words, place, number, vc = family.words, asking.place, asking.channel, asking.vc
    # that of processors is never read
    words[asking.source_place + WIRES + ((cycle + 1) & 1) * WIDTH] |= source_bit(state.channels[number])
    flit = take_first(number, state)
    words[place + EMPTIED] |= (1 if state.channels[number].count == 0 else 0) << vc
    # for a head; for other flits it is unchanged, which saves a branch that cannot be predicted
    family.target_masks[asking.target_masks] = 1 << asking.target
    words[place + GRANTED] |= 1 << vc
    words[place + ENDED] |= (flit & TAIL) << vc
    return flit
