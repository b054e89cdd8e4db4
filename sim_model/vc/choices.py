"""Choices: inputs without a request select the virtual channel of their next request."""

from sim_model.engines.cycle.discards import discard
from sim_model.engines.cycle.state import NONE
from sim_model.loops.bits import enter, lowest_bit
from sim_model.loops.compiled import compiled
from sim_model.vc.registers import CHOSEN, DRAINING, HEADS, MAY_START, OPERATIONS, ROW, TURNED, WIDTH
from sim_model.vc.state import CHOSEN_VCS, DRAIN, TO_LINK, TO_PROCESSOR

any_of, put = OPERATIONS["any_of"], OPERATIONS["put"]
vector_at, splat = OPERATIONS["vector_at"], OPERATIONS["splat"]
above, filled, lowest_of = OPERATIONS["above"], OPERATIONS["filled"], OPERATIONS["lowest_of"]

BEYOND = -(1 << 63)
"""A bit that no virtual channel has."""


@compiled
def count_delays(first_vc, heads, family):
    """Delay heads of a switch by ``routing_cycles`` - 2. Returns the mask of the VCs whose delay counted."""
    delayed = 0
    while heads != 0:
        vc = lowest_bit(heads)
        heads &= heads - 1
        record = family.input_vcs[first_vc + vc]
        if record.delay < family.routing_cycles - 2:
            record.delay += 1
            delayed |= 1 << vc
    return delayed


@compiled
def find_candidates(row, asking, may_send, may_start, family):
    """Return the input VCs of eight switches with route candidates in ``may_send``, and those in ``may_start``.

    Those whose worms are to be drained always have one.
    """
    sends, starts = splat(0), splat(0)
    drained = splat(1 << DRAIN)
    rest = any_of(asking)
    while rest != 0:
        vc = lowest_bit(rest)
        rest &= rest - 1
        target_masks, bit = vector_at(family.target_masks, (row * family.most_vcs + vc) * WIDTH), splat(1 << vc)
        sends = sends | filled(target_masks & (may_send | drained)) & bit
        starts = starts | filled(target_masks & (may_start | drained)) & bit
    return sends, starts


@compiled
def choose_vcs(row, eligible, requested, family):
    """Choose, at each input of eight switches without a request, the first eligible VC at or behind its turn."""
    turned = vector_at(family.words, row * ROW + TURNED)
    later, chosen = eligible & turned, splat(0)
    for port in range(family.most_ports):
        vcs = vector_at(family.port_vcs, (row * family.most_ports + port) * WIDTH)
        own = later & vcs
        own = lowest_of(own | eligible & vcs & ~filled(own)) & ~filled(requested & vcs)
        chosen = chosen | own
        turned = turned & ~(vcs & filled(own)) | vcs & above(own)
    put(family.words, row * ROW + TURNED, turned)
    return chosen


@compiled
def note_chosen(row, place, chosen, family):
    """Enter the VCs that eight switches have chosen, one of each switch at a time, without a branch per switch."""
    count = family.counts[CHOSEN_VCS]
    while any_of(chosen) != 0:
        put(family.words, place + CHOSEN, lowest_of(chosen))
        chosen = chosen & above(lowest_of(chosen))
        first_vc = row * WIDTH * family.most_vcs
        for column in range(WIDTH):
            bit = family.words[place + CHOSEN + column]
            enter(family.chosen, count, first_vc + lowest_bit(bit | BEYOND))
            count += 1 if bit != 0 else 0
            first_vc += family.most_vcs
    family.counts[CHOSEN_VCS] = count


@compiled
def make_requests(cycle, family):
    """Enter the requests of all chosen VCs."""
    links, processors = family.counts[TO_LINK], family.counts[TO_PROCESSOR]
    for position in range(family.counts[CHOSEN_VCS]):
        number = family.chosen[position]
        asking = family.input_vcs[number]
        target = _select(family.words[asking.place + MAY_START], family.target_masks[asking.target_masks])
        asking.target = target
        if target == DRAIN:
            _ask_for_drain(cycle, asking, family)
        else:
            links, processors = enter_request(number, target, asking, links, processors, family)
    family.counts[TO_LINK], family.counts[TO_PROCESSOR] = links, processors
    family.counts[CHOSEN_VCS] = 0


@compiled
def enter_request(number, target, asking, links, processors, family):
    """Enter the request of an input VC for an output VC. Returns the updated counts for links and processors."""
    to = asking.first_output + target
    record = family.output_vcs[to]
    output, leads_out = record.output, record.buffer != NONE
    asking.to = to
    asking.output = output
    family.outputs[output].requests |= 1 << asking.port
    enter(family.requests[TO_PROCESSOR if leads_out else TO_LINK], processors if leads_out else links, number)
    return links + (0 if leads_out else 1), processors + (1 if leads_out else 0)


@compiled
def _select(may_start, target_masks):
    """Select the lowest available candidate of a head, or else the lowest one (selection function)."""
    return lowest_bit(target_masks & may_start if target_masks & may_start != 0 else target_masks)


@compiled
def _ask_for_drain(cycle, asking, family):
    """Request to drain an unroutable worm, flit by flit."""
    words, place = family.words, asking.place
    words[place + DRAINING] |= 1 << asking.vc
    if words[place + HEADS] >> asking.vc & 1:
        discard(cycle, asking.channel, family.discards)
