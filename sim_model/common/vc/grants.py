"""Grants: flits that are asked for leave their buffers for the output registers, or for the delivery buffer."""

from sim_model.common.engine.bits import INDEX_MASK, INDEX_SHIFT, TAIL, first_at_or_after, lowest_bit
from sim_model.common.engine.compiled import compiled
from sim_model.common.engine.links import pop
from sim_model.common.engine.state import FLITS_IN_NETWORK, NONE

INDEX = INDEX_MASK << INDEX_SHIFT
"""Of a packed flit; 0 in a head."""


@compiled
def grant_requests(cycle, switch, usable, state, family):
    """Grant one good request for each output, and all of worms that are drained; drop what is not good.

    Parameters
    ----------
    usable : int
        Output lanes that a head can have.

    Returns
    -------
    granted : int
        Input lanes whose flit was granted.
    dropped : int
        Input lanes whose request was dropped.
    again : int
        Of the dropped ones, those that can be asked for again at once: the worm goes on behind its first flit.
    """
    router = family.routers[switch]
    credited = router.credited
    granted, dropped, again = 0, 0, 0
    outputs = router.wanted
    while outputs != 0:
        port = lowest_bit(outputs)
        outputs &= outputs - 1
        output = family.outputs[switch, port]
        rest = output.requests
        while rest != 0:
            asking = family.inputs[switch, lowest_bit(rest)]
            bit = rest & -rest
            rest ^= bit
            if (credited if router.active >> asking.lane & 1 else usable) >> asking.target & 1 == 0:
                output.requests ^= bit
                router.requesting ^= bit
                dropped |= 1 << asking.lane
                again |= _goes_on(switch, asking.lane, state) & router.active
        if output.requests != 0:
            chosen = first_at_or_after(output.requests, output.turn)
            output.turn = chosen + 1  # behind the last input nobody is found, which is as good as 0
            output.requests ^= 1 << chosen
            granted |= _grant(cycle, switch, chosen, state, family)
        if output.requests == 0:
            router.wanted ^= 1 << port
    rest = router.draining
    router.requesting ^= rest
    router.draining = 0
    while rest != 0:
        granted |= _drain(cycle, switch, lowest_bit(rest), state, family)
        rest &= rest - 1
    return granted, dropped, again


@compiled
def _goes_on(switch, lane, state):
    """The mask of a lane, or 0 if there is no flit behind its first one, or that is a tail."""
    number = state.input_channel[switch, lane]
    channel = state.channels[number]
    return 1 << lane if channel.count > 1 and state.slots[number, channel.front] & TAIL == 0 else 0


@compiled
def _grant(cycle, switch, port, state, family):
    """The flit of an input's request goes to its output lane. Returns the mask of its input lane."""
    router, vertex = family.routers[switch], state.vertices[switch]
    lane, target = family.inputs[switch, port].lane, family.inputs[switch, port].target
    router.requesting ^= 1 << port
    flit = _take(cycle, switch, lane, target, state, family)
    number = vertex.first_output + target
    _use_credit(router, 1 << target, family.lanes[number])
    # a head takes the lane, a tail gives it back; the one flit of a short worm does neither
    router.free ^= (1 << target) * _changes_hands(flit)
    buffer = family.lanes[number].buffer
    if buffer == NONE:
        state.channels[number].register = flit
        vertex.occupied |= 1 << target
    else:
        waiting = family.buffers[buffer]
        family.slots[buffer, (waiting.front + waiting.count) & (family.slots.shape[1] - 1)] = flit
        waiting.count += 1
        router.delivering |= 1 << target
    return 1 << lane


@compiled
def _changes_hands(flit):
    """1 if a flit is either a head or a tail."""
    head = 1 if flit & INDEX == 0 else 0
    return head ^ (flit & TAIL)


@compiled
def _use_credit(router, bit, lane):
    lane.credits -= 1
    router.full &= ~bit
    if lane.credits == 0:
        router.credited ^= bit


@compiled
def _drain(cycle, switch, port, state, family):
    """The flit of an input's request goes nowhere. Returns the mask of its input lane."""
    lane = family.inputs[switch, port].lane
    _take(cycle, switch, lane, NONE, state, family)
    state.counters[FLITS_IN_NETWORK] -= 1
    return 1 << lane


@compiled
def _take(cycle, switch, lane, target, state, family):
    """The first flit of an input lane, whose credit is on the wire in the next cycle."""
    number = state.input_channel[switch, lane]
    channel, router = state.channels[number], family.routers[switch]
    if channel.source < state.switches:
        family.wires[channel.source, (cycle + 1) & 1] |= channel.source_bit
    vertex = state.vertices[switch]
    flit = pop(number, 1 << lane, vertex, state.buffer_depth_flits, state.channels, state.slots, state.vertices)
    if flit & INDEX == 0:
        family.lanes[number].target = target
        family.lanes[number].delay = 0
        router.looked_up ^= 1 << lane
    router.active ^= (1 << lane) * _changes_hands(flit)
    return flit
