"""Flits leave the buffers of input lanes: those whose request is granted, and those of worms without a way."""

from sim_model.common.engine.alarms import wake
from sim_model.common.engine.bits import TAIL, lowest_bit, source_bit
from sim_model.common.engine.compiled import compiled
from sim_model.common.engine.links import pop
from sim_model.common.engine.state import FLITS_IN_NETWORK
from sim_model.hypercube.delivery import load_output
from sim_model.hypercube.orders import first_in_order


@compiled
def grant_requests(cycle, switch, order, state, family):
    """At each output the first request in the order of the cycle is granted.

    Returns
    -------
    sent, finished : int
        Output lanes that got a flit, and those that got a tail.
    ended : int
        Input lanes whose tail left.
    """
    router = family.routers[switch]
    sent, finished, ended = 0, 0, 0
    rest = router.requesting
    while rest != 0:
        output = family.inputs[switch, lowest_bit(rest)].output
        rivals = family.requests[switch, output]
        rest &= ~rivals
        port = first_in_order(rivals, order.input, order)
        family.requests[switch, output] ^= 1 << port
        router.requesting ^= 1 << port
        lane = family.inputs[switch, port].lane
        target = family.input_lanes[switch, lane].target
        flit = _take(cycle, switch, lane, state, family)
        load_output(switch, target, flit, state, family)
        sent |= 1 << target
        finished |= (flit & TAIL) << target
        ended |= (flit & TAIL) << lane
    return sent, finished, ended


@compiled
def drain(cycle, switch, lanes, state, family):
    """The first flits of worms without a way are thrown away. Returns the input lanes whose tail left."""
    ended = 0
    while lanes != 0:
        lane = lowest_bit(lanes)
        lanes &= lanes - 1
        ended |= (_take(cycle, switch, lane, state, family) & TAIL) << lane
        state.counters[FLITS_IN_NETWORK] -= 1
    return ended


@compiled
def _take(cycle, switch, lane, state, family):
    """Take the first flit out of an input lane. Its credit, and release, are on the wires in the next cycle."""
    number = family.input_lanes[switch, lane].channel
    channel, vertex = state.channels[number], state.vertices[switch]
    flit = pop(number, 1 << lane, vertex, state)
    following = (cycle + 1) & 1
    family.wires[channel.source, following] |= source_bit(channel)  # nobody looks at those of processors
    if flit & TAIL:
        family.releases[channel.source, following] |= source_bit(channel) & ~family.tail_lanes
    wake(channel.source, following, state.alarms)
    return flit
