"""Grants: flits that are asked for leave their buffers for the output registers, or for the delivery buffer."""

from sim_model.common.engine.alarms import wake
from sim_model.common.engine.bits import INDEX_MASK, INDEX_SHIFT, TAIL, first_at_or_after, lowest_bit, source_bit
from sim_model.common.engine.compiled import compiled
from sim_model.common.engine.links import pop
from sim_model.common.engine.state import FLITS_IN_NETWORK
from sim_model.common.vc.delivery import load_output
from sim_model.common.vc.state import DRAIN

INDEX = INDEX_MASK << INDEX_SHIFT
"""Of a packed flit; 0 in a head."""


@compiled
def grant_requests(cycle, switch, credited, usable, state, family):
    """Grant or drop the first request at each output, and grant all of worms that are drained.

    The first one is granted if it is good, and dropped if not. All others stay.

    Parameters
    ----------
    credited, usable : int
        Output lanes that have credits, and those that a head can have.

    Returns
    -------
    granted : int
        Input lanes whose flit was granted.
    sent : int
        Output lanes that it was sent to.
    dropped : int
        Input lanes whose request was dropped: the first one at an output, and not good.
    again : int
        Of the dropped ones, those that can be asked for again at once: the worm goes on behind its first flit.
    """
    router = family.routers[switch]
    granted, sent, dropped, again = 0, 0, 0, 0
    active = router.active
    rest = router.requesting
    while rest != 0:
        port = lowest_bit(rest)
        asking = family.inputs[switch, port]
        output = family.outputs[switch, asking.output]
        if output.requests != 1 << port:
            rivals = output.requests & ~router.yielding
            port = first_at_or_after(rivals if rivals != 0 else output.requests, output.turn)
            asking = family.inputs[switch, port]
        rest &= ~output.requests
        output.requests ^= 1 << port
        router.requesting ^= 1 << port
        if (credited if active >> asking.lane & 1 else usable) >> asking.target & 1 == 0:
            dropped |= 1 << asking.lane
            again |= _goes_on(switch, asking.lane, state) & active
            continue
        output.turn = port + 1  # behind the last input nobody is found, which is as good as 0
        granted |= 1 << asking.lane
        sent |= 1 << asking.target
        _grant(cycle, switch, asking.lane, asking.target, state, family)
    if router.draining != 0:
        granted |= _drain_all(cycle, switch, state, family)
    return granted, sent, dropped, again


@compiled
def _goes_on(switch, lane, state):
    """The mask of a lane, or 0 if there is no flit behind its first one, or that is a tail."""
    number = state.input_channel[switch, lane]
    channel = state.channels[number]
    return 1 << lane if channel.count > 1 and state.slots[number, channel.front] & TAIL == 0 else 0


@compiled
def _grant(cycle, switch, lane, target, state, family):
    """The first flit of an input lane goes to an output lane."""
    flit = _take(cycle, switch, lane, target, state, family)
    # a head takes the output lane, a tail gives it back; the one flit of a short worm does neither
    family.routers[switch].free ^= _changes_hands(flit) << target
    load_output(switch, target, flit, state, family)


@compiled
def _drain_all(cycle, switch, state, family):
    """All requests of worms that are drained are granted. Returns the mask of their input lanes."""
    router = family.routers[switch]
    rest = router.draining
    router.draining = 0
    granted = 0
    while rest != 0:
        lane = family.inputs[switch, lowest_bit(rest)].lane
        rest &= rest - 1
        _take(cycle, switch, lane, DRAIN, state, family)
        state.counters[FLITS_IN_NETWORK] -= 1
        granted |= 1 << lane
    return granted


@compiled
def _take(cycle, switch, lane, target, state, family):
    """The first flit of an input lane, whose credit is on the wire in the next cycle."""
    record, vertex, router = family.input_lanes[switch, lane], state.vertices[switch], family.routers[switch]
    channel = state.channels[record.channel]
    # of processors, nobody looks at either
    family.wires[channel.source, (cycle + 1) & 1] |= source_bit(channel)
    wake(channel.source, cycle + 1, state.alarms)
    flit = pop(record.channel, 1 << lane, vertex, state)
    # for a head; the others find it so already, and which it is cannot be foreseen
    record.candidates = 1 << target
    record.escapes = 0
    record.delay = 0
    router.looked_up &= ~(1 << lane)
    router.active ^= _changes_hands(flit) << lane
    return flit


@compiled
def _changes_hands(flit):
    """1 if a flit is either a head or a tail."""
    head = 1 if flit & INDEX == 0 else 0
    return head ^ (flit & TAIL)
