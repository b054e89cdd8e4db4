"""Pops from input VCs: granted flits, and flits of unroutable worms.

All requests of all switches are in lists, as in ``vc/grants.py``.
"""

from sim_model.engines.cycle.links import take_first
from sim_model.engines.cycle.occupied_outputs import BETWEEN_SWITCHES
from sim_model.engines.cycle.state import FLITS_IN_NETWORK
from sim_model.hypercube.orders import first_in_order
from sim_model.loops.bits import TAIL, enter, lowest_bit, source_bit
from sim_model.loops.compiled import compiled
from sim_model.vc.choices import enter_request
from sim_model.vc.grants import send_flit
from sim_model.vc.registers import EMPTIED, ENDED, FINISHED, GRANTED, RELEASES, SENT, WIDTH, WIRES
from sim_model.vc.state import CHOSEN_VCS, TO_LINK, TO_PROCESSOR


@compiled
def grant_requests(cycle, order, state, family):
    """Grant the first request in the order of the cycle at each output of all switches."""
    _grant_listed(cycle, TO_LINK, order, state, family)
    _grant_listed(cycle, TO_PROCESSOR, order, state, family)


@compiled
def _grant_listed(cycle, role, order, state, family):
    """Grant the requests in one list; the compiler knows which one it is."""
    requests, words = family.requests[role], family.words
    kept, loaded = 0, state.mover_counts[BETWEEN_SWITCHES]
    for position in range(family.counts[role]):
        number = requests[position]
        enter(requests, kept, number)
        asking = family.input_vcs[number]
        output = family.outputs[asking.output]
        if (output.served == cycle + 1) | (first_in_order(output.requests, order.input, order) != asking.port):
            kept += 1
            continue
        output.served = cycle + 1
        output.requests ^= 1 << asking.port
        flit = _take(cycle, asking, state, family)
        words[asking.place + SENT] |= 1 << asking.target
        words[asking.place + FINISHED] |= (flit & TAIL) << asking.target
        loaded = send_flit(flit, role, loaded, asking, state, family)
    state.mover_counts[BETWEEN_SWITCHES] = loaded
    family.counts[role] = kept


@compiled
def make_requests(family):
    """Enter the requests of all chosen VCs."""
    links, processors = family.counts[TO_LINK], family.counts[TO_PROCESSOR]
    for position in range(family.counts[CHOSEN_VCS]):
        number = family.chosen[position]
        asking = family.input_vcs[number]
        links, processors = enter_request(number, asking.target, asking, links, processors, family)
    family.counts[TO_LINK], family.counts[TO_PROCESSOR] = links, processors
    family.counts[CHOSEN_VCS] = 0


@compiled
def drain(cycle, first_vc, vcs, state, family):
    """Drop the first flits of a switch's unroutable worms."""
    while vcs != 0:
        _take(cycle, family.input_vcs[first_vc + lowest_bit(vcs)], state, family)
        vcs &= vcs - 1
        state.counters[FLITS_IN_NETWORK] -= 1


@compiled
def _take(cycle, asking, state, family):
    """Pop the first flit of an input VC. Its credit, and release, are on the wires in the next cycle."""
    words, place, number, vc = family.words, asking.place, asking.channel, asking.vc
    bit, following = source_bit(state.channels[number]), ((cycle + 1) & 1) * WIDTH
    flit = take_first(number, state)
    words[asking.source_place + WIRES + following] |= bit  # those of processors are never read
    if flit & TAIL:
        words[asking.source_place + RELEASES + following] |= bit & ~family.tail_vcs
    words[place + EMPTIED] |= (1 if state.channels[number].count == 0 else 0) << vc
    words[place + GRANTED] |= 1 << vc
    words[place + ENDED] |= (flit & TAIL) << vc
    return flit
