"""Routing in a torus or mesh for the router with virtual channels: dimension order, along the row first (Sec. 2)."""

from sim_model.engines.cycle.state import NONE
from sim_model.loops.compiled import compiled
from sim_model.vc.router import vc_router
from topology.torus.grid import X_POSITIVE, Y_POSITIVE


@compiled
def route(switch, vc, message, state, routes):
    """Return the mask of the output VCs for a head of a message on an input VC; 0 if it is unroutable."""
    here = routes.switches[switch]
    arrival = routes.arrivals[state.input_channel[switch, vc]]
    direction, distance = direction_and_distance(here, routes.headers[message])
    if direction == NONE:  # no message goes back to the host that it comes from
        return 0 if arrival.direction == NONE else 1 << here.host_vc
    if direction < X_POSITIVE:
        allowed = arrival.direction == NONE or arrival.direction == direction
    else:
        allowed = arrival.direction < X_POSITIVE or arrival.direction == direction
    first = routes.first_vc[switch, direction]
    if first == NONE or not allowed:
        return 0
    came_high = arrival.direction == direction and arrival.high != 0
    return vcs_of_direction(direction, distance, came_high, routes) << first


@compiled
def direction_and_distance(here, header):
    """Return the direction in which a header leaves a switch, and the distance; NONE at its destination."""
    if here.column != header.column:
        return Y_POSITIVE + header.y_negative, header.column - here.column
    if here.row != header.row:
        return X_POSITIVE + header.x_negative, header.row - here.row
    return NONE, 0


@compiled
def vcs_of_direction(direction, distance, came_high, routes):
    """Return the mask of the VCs of a channel that a header may have."""
    low = (1 << routes.low_vcs) - 1
    high = ((1 << routes.high_vcs) - 1) << routes.low_vcs
    if not routes.classed:
        return high
    ahead = distance < 0 if direction & 1 == 0 else distance > 0  # the channel that closes the ring
    low_allowed = (routes.looks_ahead and ahead) or (routes.looks_back and not came_high)
    high_allowed = not ahead if routes.looks_ahead else came_high
    return (low if low_allowed else 0) | (high if high_allowed else 0)


step_routers = vc_router(route)
