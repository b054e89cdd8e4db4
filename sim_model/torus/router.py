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
    low = ((1 << routes.low_lanes) - 1) << first
    high = ((1 << routes.high_lanes) - 1) << first + routes.low_lanes
    if not routes.classed:
        return high, 0
    ahead = distance < 0 if direction & 1 == 0 else distance > 0  # the channel that closes the ring
    came_high = arrival.direction == direction and arrival.high != 0
    low_allowed = (routes.looks_ahead and ahead) or (routes.looks_back and not came_high)
    high_allowed = not ahead if routes.looks_ahead else came_high
    return (low if low_allowed else 0) | (high if high_allowed else 0), 0


step_routers = lane_router(route)
