"""Choices: inputs without a request look for the lane that they ask for next."""

from sim_model.common.engine.bits import first_at_or_after, lowest_bit
from sim_model.common.engine.compiled import compiled
from sim_model.common.engine.discards import discard
from sim_model.common.vc.state import DRAIN


@compiled
def count_delays(switch, heads, family):
    """Delay heads by ``routing_cycles`` - 2. Returns the mask of the lanes whose delay counted."""
    delayed = 0
    while heads != 0:
        lane = lowest_bit(heads)
        heads &= heads - 1
        record = family.input_lanes[switch, lane]
        if record.delay < family.routing_cycles - 2:
            record.delay += 1
            delayed |= 1 << lane
    return delayed


@compiled
def choose_requests(cycle, switch, following, heads, arriving, may_send, may_start, state, family):
    """New requests of all inputs that have none.

    Parameters
    ----------
    following : int
        Active input lanes with a flit that can be asked for.
    heads : int
        Input lanes with a head that can be asked for.
    arriving : int
        Of these, the ones whose head only arrives: they ask whatever can be had.
    may_send, may_start : int
        Output lanes that have credits, and those that a head can have; with a credit that is on a wire in this cycle.

    Returns
    -------
    int
        How many.
    """
    requesting = family.routers[switch].requesting
    choices = 0
    waiting = following | heads
    while waiting != 0:
        port = family.input_lanes[switch, lowest_bit(waiting)].port
        rest = waiting & family.inputs[switch, port].lanes
        waiting ^= rest
        if requesting >> port & 1 == 0:
            choices += _choose(cycle, switch, port, rest, heads, arriving, may_send, may_start, state, family)
    return choices


@compiled
def _choose(cycle, switch, port, waiting, heads, arriving, may_send, may_start, state, family):
    """The request of one input: for the first of its waiting lanes that may have one. Returns 1 if there is one."""
    router, asking = family.routers[switch], family.inputs[switch, port]
    while waiting != 0:
        lane = first_at_or_after(waiting, asking.turn)
        waiting ^= 1 << lane
        record = family.input_lanes[switch, lane]
        is_head = heads >> lane & 1
        ways = record.candidates | record.escapes
        if ways & ((may_start if is_head else may_send) | 1 << DRAIN) == 0 and arriving >> lane & 1 == 0:
            continue
        target = _select(may_start, record)
        asking.turn = lane + 1  # behind the last lane nobody is found, which is as good as 0
        asking.lane = lane
        asking.target = target
        if target == DRAIN:
            router.draining |= 1 << port
            if is_head:
                discard(cycle, record.channel, family.discards)
            return 1
        router.requesting |= 1 << port
        asking.output = family.output_lanes[state.vertices[switch].first_output + target].port
        family.outputs[switch, asking.output].requests |= 1 << port
        return 1
    return 0


@compiled
def _select(may_start, record):
    """The selection function: the output lane that a head asks for.

    A candidate that it can have, an escape that it can have, any candidate, or any escape; the lowest of them. What
    chooses at random among candidates begins here.
    """
    wanted = record.candidates if record.candidates != 0 else record.escapes
    wanted = record.escapes & may_start if record.escapes & may_start != 0 else wanted
    wanted = record.candidates & may_start if record.candidates & may_start != 0 else wanted
    return lowest_bit(wanted)
