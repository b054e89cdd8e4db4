"""The router with lanes, one cycle of all switches (docs/timing.md, "Router with lanes").

Everything reads the state at the start of the cycle. That decides the order here: what can be had and who is active is
noted first; then grants, because inputs whose flit is granted or dropped choose anew; then choices; and credits last.
"""

from collections.abc import Callable
from types import FunctionType
from typing import Any

from sim_model.common.engine.bits import lowest_bit, message_of
from sim_model.common.engine.compiled import compiled
from sim_model.common.engine.route_unit import end_cycle
from sim_model.common.vc.choices import choose_requests, count_delays
from sim_model.common.vc.delivery import deliver
from sim_model.common.vc.grants import grant_requests
from sim_model.common.vc.state import DRAIN


def route(_switch, _lane, _message, _state, _routes):
    """Stands for the routing of a family: nothing has a way.

    Returns
    -------
    candidates, escapes : int
        Masks of output lanes for a head of the message that comes on an input lane of a switch.
    """
    return 0, 0


def lane_router(family_route: Callable[..., Any]) -> Callable[..., Any]:
    """One cycle of all routers of a family, for ``family_loop``.

    Parameters
    ----------
    family_route : compiled function
        As ``route``; its last argument is what ``make_lane_state`` was given.
    """
    names = {**globals(), "route": family_route}
    names["_look_up"] = compiled(FunctionType(_look_up.__code__, names))
    names["_step_router"] = compiled(FunctionType(_step_router.__code__, names))
    return compiled(FunctionType(_step_routers.__code__, names))


def _step_routers(cycle, moves, state, family):
    """One cycle of all routers. Returns 0 only if nothing moved and no register of any router changed."""
    changes = moves
    for switch in range(state.switches):
        vertex, router = state.vertices[switch], family.routers[switch]
        returned = family.wires[switch, cycle & 1]
        if not (vertex.arrived or returned or router.busy or router.delivering & ~vertex.occupied):
            continue  # all worms here are blocked as before
        stirred = _step_router(cycle, switch, state, family)
        if returned != 0:
            family.wires[switch, cycle & 1] = 0
            _count_credits(returned, router, vertex.first_output, state.buffer_depth_flits, family.output_lanes)
            stirred += 1
        router.busy = 1 if stirred else 0
        changes += stirred
        end_cycle(vertex)
    return changes


def _step_router(cycle, switch, state, family):
    """One cycle of a router but for the credits on its wires. Returns 0 only if no register changed."""
    vertex, router = state.vertices[switch], family.routers[switch]
    changes = 1 if router.requesting | router.draining | router.fresh else 0
    if router.delivering & ~vertex.occupied:
        changes += deliver(cycle, switch, state, family)
    active, held, credited = router.active, vertex.nonempty, router.credited
    usable = router.free & (router.full if family.empty_reuse else credited)
    granted, dropped, again = grant_requests(cycle, switch, credited, usable, state, family)
    asked = granted | dropped

    present = vertex.nonempty | vertex.arrived
    following = active & present & (again | router.active & ~dropped)
    heads = held & ~active & ~asked
    arriving = vertex.arrived & ~active & ~held
    exempt = router.fresh
    if family.routing_cycles == 1:
        exempt |= arriving
        heads |= arriving
    elif family.routing_cycles > 2 and heads != 0:
        delayed = count_delays(switch, heads, family)
        heads ^= delayed
        changes += delayed
    if heads & ~router.looked_up:
        _look_up(switch, heads & ~router.looked_up, state, family)
    if following | heads:
        changes += choose_requests(cycle, switch, following, heads, exempt, usable, state, family)

    router.fresh = granted & ~(active & router.active) | arriving
    if router.was_credited != credited or router.was_usable != usable:
        router.was_credited, router.was_usable = credited, usable
        changes += 1
    return changes + (1 if router.fresh else 0)


def _look_up(switch, lanes, state, family):
    """Ask the family's routing where heads on input lanes can go."""
    family.routers[switch].looked_up |= lanes
    while lanes != 0:
        lane = lowest_bit(lanes)
        lanes &= lanes - 1
        record = family.input_lanes[switch, lane]
        message = message_of(state.slots[record.channel, state.channels[record.channel].front])
        candidates, escapes = route(switch, lane, message, state, family.routes)
        record.candidates = candidates if candidates | escapes else 1 << DRAIN
        record.escapes = escapes


@compiled
def _count_credits(returned, router, first_output, depth, lanes):
    """Count the credits on the wires of this cycle."""
    router.credited |= returned
    while returned != 0:
        lane = lanes[first_output + lowest_bit(returned)]
        lane.credits += 1
        if lane.credits == depth:
            router.full |= returned & -returned
        returned &= returned - 1
