"""Routing in a torus or mesh for the router with lanes: dimension order, along the row first (Sec. 2)."""

from sim_model.common.engine.compiled import compiled
from sim_model.common.engine.state import NONE
from sim_model.common.vc.router import lane_router
from topology.torus.grid import X_POSITIVE, Y_POSITIVE


@compiled
def route(switch, lane, message, state, routes):
    """Masks of the output lanes for a head of a message on an input lane, and of its escapes, of which there are none.

    Both masks are 0 if there is no way.
    """
    here, header = routes.switches[switch], routes.headers[message]
    arrival = routes.arrivals[state.input_channel[switch, lane]]
    if here.column != header.column:
        direction = Y_POSITIVE + header.y_negative
        distance = header.column - here.column
        allowed = arrival.direction == NONE or arrival.direction == direction
    elif here.row != header.row:
        direction = X_POSITIVE + header.x_negative
        distance = header.row - here.row
        allowed = arrival.direction < X_POSITIVE or arrival.direction == direction
    else:  # no message goes back to the host that it comes from
        return (0 if arrival.direction == NONE else 1 << here.host_lane), 0
    first = routes.first_lane[switch, direction]
    if first == NONE or not allowed:
        return 0, 0
    if routes.dateline:
        is_high = arrival.direction == direction and arrival.crossed != 0
    else:  # whether the channel that closes the ring is not ahead
        is_high = distance > 0 if direction & 1 == 0 else distance < 0
    if routes.classed and not is_high:
        return ((1 << routes.low_lanes) - 1) << first, 0
    return ((1 << routes.high_lanes) - 1) << first + routes.low_lanes, 0


step_routers = lane_router(route)
