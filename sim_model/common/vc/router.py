"""The router with lanes, one cycle of all switches (docs/timing.md, "Router with lanes").

Everything reads the state at the start of the cycle. That decides the order here: what can be had and who is active is
noted first; then grants, because inputs whose flit is granted or dropped choose anew; then choices; and credits last.
"""

from collections.abc import Callable
from types import FunctionType
from typing import Any

from sim_model.common.engine.alarms import BIT_MASK, WORD_SHIFT, take_alarms, wake_if
from sim_model.common.engine.bits import lowest_bit, message_of
from sim_model.common.engine.compiled import compiled
from sim_model.common.vc.choices import choose_requests, count_delays
from sim_model.common.vc.credits import count_credits, with_all_credits, with_all_credits_soon
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
    for word in range((state.switches + BIT_MASK) >> WORD_SHIFT):
        rest = take_alarms(word, cycle, state)
        while rest != 0:  # the worms of all others are blocked as before
            switch = word << WORD_SHIFT | lowest_bit(rest)
            rest &= rest - 1
            changed = _step_router(cycle, switch, state, family)
            changes += 1 if changed else 0
            wake_if(changed, switch, cycle + 1, state.alarms)
    return changes


def _step_router(cycle, switch, state, family):
    """One cycle of a router. Returns 0 only if no register changed."""
    vertex, router = state.vertices[switch], family.routers[switch]
    returned = family.wires[switch, cycle & 1]
    family.wires[switch, cycle & 1] = 0
    ready = router.delivering & ~vertex.occupied
    changes = vertex.arrived | returned | ready | router.requesting | router.draining
    if ready != 0:
        deliver(cycle, switch, ready, state, family)
    active, held = router.active, vertex.nonempty
    credited = router.credited
    depth, free = state.buffer_depth_flits, router.free
    usable = free & (with_all_credits(router, depth) if family.empty_reuse else credited)
    may_send = credited | returned
    may_start = free & (with_all_credits_soon(router, depth, returned) if family.empty_reuse else may_send)
    granted, sent, dropped, again = grant_requests(cycle, switch, credited, usable, state, family)
    asked = granted | dropped

    following = active & (vertex.nonempty | vertex.arrived) & (again | router.active & ~dropped)
    heads = held & ~active & ~asked
    arriving = 0
    if family.routing_cycles == 1:
        arriving = vertex.arrived & ~active & ~held
        heads |= arriving
    elif family.routing_cycles > 2 and heads != 0:
        delayed = count_delays(switch, heads, family)
        heads ^= delayed
        changes |= delayed
    if heads & ~router.looked_up:
        _look_up(switch, heads & ~router.looked_up, state, family)
    changes |= choose_requests(cycle, switch, following, heads, arriving, may_send, may_start, state, family)
    count_credits(router, returned, sent, depth)
    vertex.nonempty |= vertex.arrived
    vertex.arrived = 0
    return changes


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
