"""Choices: inputs without a request look for the lane that they ask for next."""

from sim_model.common.engine.bits import first_at_or_after, lowest_bit
from sim_model.common.engine.compiled import compiled


@compiled
def choose_requests(switch, lanes, can_send, state, family):
    """New requests of all inputs that have none.

    Parameters
    ----------
    lanes : int
        Active input lanes with a flit that can be asked for.
    can_send : int
        Output lanes to which one more flit can go.
    """
    requesting = family.routers[switch].requesting
    while lanes != 0:
        port = family.input_lanes[switch, lowest_bit(lanes)].port
        rest = lanes & family.lanes_of[port]
        lanes ^= rest
        if requesting >> port & 1 == 0:
            _choose(switch, port, rest, can_send, state, family)


@compiled
def _choose(switch, port, lanes, can_send, state, family):
    """The request of one input: for the first of some lanes whose output lane a flit can go to."""
    asking = family.inputs[switch, port]
    while lanes != 0:
        lane = first_at_or_after(lanes, asking.turn)
        lanes ^= 1 << lane
        target = family.input_lanes[switch, lane].target
        if can_send >> target & 1:
            asking.turn = lane + 1  # behind the last lane nobody is found, which is as good as the first one
            asking.lane = lane
            asking.output = family.output_lanes[state.vertices[switch].first_output + target].port
            family.requests[switch, asking.output] |= 1 << port
            family.routers[switch].requesting |= 1 << port
            return
