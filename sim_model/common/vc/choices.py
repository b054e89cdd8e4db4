"""Choices: inputs without a request look for the lane that they ask for next."""

from sim_model.common.engine.bits import first_at_or_after, lowest_bit
from sim_model.common.engine.compiled import compiled
from sim_model.common.engine.discards import discard
from sim_model.common.engine.state import NONE


@compiled
def count_delays(switch, heads, state, family):
    """Delay heads by ``routing_cycles`` - 2. Returns the mask of the lanes whose delay counted."""
    delayed = 0
    while heads != 0:
        lane = lowest_bit(heads)
        heads &= heads - 1
        record = family.lanes[state.input_channel[switch, lane]]
        if record.delay < family.routing_cycles - 2:
            record.delay += 1
            delayed |= 1 << lane
    return delayed


@compiled
def choose_requests(cycle, switch, following, heads, exempt, usable, state, family):
    """New requests of all inputs that have none.

    Parameters
    ----------
    following : int
        Active input lanes with a flit that can be asked for.
    heads : int
        Input lanes with a head that can be asked for.
    exempt : int
        Of them, those for which it need not be worth while.
    usable : int
        Output lanes that a head can have.

    Returns
    -------
    int
        How many.
    """
    requesting = family.routers[switch].requesting
    choices = 0
    waiting = following | heads
    while waiting != 0:
        port = family.lanes[state.input_channel[switch, lowest_bit(waiting)]].input_port
        rest = waiting & family.inputs[switch, port].lanes
        waiting ^= rest
        if requesting >> port & 1 == 0:
            choices += _choose(cycle, switch, port, rest, heads, exempt, usable, state, family)
    return choices


@compiled
def _choose(cycle, switch, port, waiting, heads, exempt, usable, state, family):
    """The request of one input: for the first of its waiting lanes that is worth while. Returns 1 if there is one."""
    router, asking = family.routers[switch], family.inputs[switch, port]
    while waiting != 0:
        lane = first_at_or_after(waiting, asking.turn)
        waiting ^= 1 << lane
        number = state.input_channel[switch, lane]
        is_head = heads >> lane & 1
        if not (exempt >> lane & 1 or _is_worth(is_head, family.lanes[number], router)):
            continue
        target = _select(usable, family.lanes[number]) if is_head else family.lanes[number].target
        if is_head and target == NONE:
            discard(cycle, number, family.discards)
        asking.turn = lane + 1  # behind the last lane nobody is found, which is as good as 0
        asking.lane = lane
        asking.target = target
        _enter(switch, port, target, state, family)
        return 1
    return 0


@compiled
def _is_worth(is_head, lane, router):
    """Whether asking was worth while by what could be had in the last cycle; always for worms without a way."""
    if is_head:
        ways = lane.candidates | lane.escapes
        return ways == 0 or ways & router.was_usable != 0
    return lane.target == NONE or router.was_credited >> lane.target & 1 != 0


@compiled
def _select(usable, lane):
    """The selection function: the output lane that a head asks for, or NONE if there is no way for it.

    A candidate that it can have, an escape that it can have, or any candidate; the lowest of them. What chooses at
    random among candidates begins here.
    """
    if lane.candidates & usable:
        return lowest_bit(lane.candidates & usable)
    if lane.escapes & usable:
        return lowest_bit(lane.escapes & usable)
    if lane.candidates:
        return lowest_bit(lane.candidates)
    return lowest_bit(lane.escapes) if lane.escapes else NONE


@compiled
def _enter(switch, port, target, state, family):
    """A request stands at its output from the next cycle on."""
    router = family.routers[switch]
    router.requesting |= 1 << port
    if target == NONE:
        router.draining |= 1 << port
        return
    output_port = family.lanes[state.vertices[switch].first_output + target].output_port
    router.wanted |= 1 << output_port
    family.outputs[switch, output_port].requests |= 1 << port
