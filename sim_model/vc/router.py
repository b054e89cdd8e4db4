"""The router with virtual channels, one cycle of all switches (docs/look_up/timing_torus.md).

Everything reads the state at the start of the cycle, which determines the order here: deliveries and grants first,
because inputs whose flit is granted or dropped choose anew; then available VCs, credits and choices, for eight switches
at a time; and then the new requests.
"""

from collections.abc import Callable
from types import FunctionType
from typing import Any

from sim_model.engines.cycle.wakeups import clear_alarms, row_alarms, wake_row
from sim_model.loops.bits import lowest_bit, message_of
from sim_model.loops.compiled import compiled
from sim_model.vc.choices import choose_vcs, count_delays, find_candidates, make_requests, note_chosen
from sim_model.vc.credits import step_credits
from sim_model.vc.delivery import deliver
from sim_model.vc.grants import drain_all, grant_requests
from sim_model.vc.registers import (
    ACTIVE,
    AGAIN,
    ARRIVED,
    DRAINING,
    DROPPED,
    EMPTIED,
    ENDED,
    GRANTED,
    HEADS,
    LOOKED_UP,
    NONEMPTY,
    OPERATIONS,
    REQUESTED,
    ROW,
    WIDTH,
    WIRES,
)
from sim_model.vc.state import DRAIN

vector_at, put, splat = OPERATIONS["vector_at"], OPERATIONS["put"], OPERATIONS["splat"]
any_of, places_of = OPERATIONS["any_of"], OPERATIONS["places_of"]


def route(_switch, _vc, _message, _state, _routes):
    """Return no route candidates: placeholder for the routing of a family.

    Returns:
        int: Mask of the output VCs for a head of the message that comes on an input VC of a switch.
    """
    return 0


def vc_router(family_route: Callable[..., Any]) -> Callable[..., Any]:
    """Return one cycle of all routers of a family, for ``family_loop``.

    Parameters:
        family_route (compiled function): As ``route``; its last argument is what ``make_vc_state`` was given.
    """
    names = {**globals(), "route": family_route}
    for part in (_look_up, _read_heads, _step_row):
        names[part.__name__] = compiled(FunctionType(part.__code__, names))
    return compiled(FunctionType(_step_routers.__code__, names))


def _step_routers(cycle, moves, state, family):
    """Step all routers by one cycle. Returns 0 only if nothing moved and no register of any router changed."""
    changes = moves + deliver(cycle, state, family)
    grant_requests(cycle, state, family)
    for row in range(family.rows):
        if _is_awake(cycle, row, state, family):  # the worms of all others are blocked as before
            changed = _step_row(cycle, row, state, family)
            changes += changed
            wake_row(changed, row, cycle + 1, state.alarms)
    clear_alarms(cycle, state.alarms)
    make_requests(cycle, family)
    return changes


@compiled
def _is_awake(cycle, row, state, family):
    """Return whether one of eight switches has work, an arriving flit, or a credit on its wires."""
    wires = vector_at(family.words, row * ROW + WIRES + (cycle & 1) * WIDTH)
    return row_alarms(row, cycle, state.alarms) | any_of(vector_at(family.words, row * ROW + ARRIVED) | wires) != 0


def _step_row(cycle, row, state, family):
    """Step eight routers by one cycle, except for grants and requests. Returns a mask of those that changed."""
    words, at = family.words, row * ROW
    if any_of(vector_at(words, at + DRAINING)) != 0:
        for column in range(WIDTH):
            drain_all(cycle, (row * WIDTH + column) * family.most_vcs, at + column, state, family)
    arrived, granted = vector_at(words, at + ARRIVED), vector_at(words, at + GRANTED)
    dropped, requested = vector_at(words, at + DROPPED), vector_at(words, at + REQUESTED)
    nonempty = vector_at(words, at + NONEMPTY) & ~vector_at(words, at + EMPTIED)
    put(words, at + ARRIVED, splat(0))
    put(words, at + NONEMPTY, nonempty | arrived)
    active = vector_at(words, at + ACTIVE)
    now_active = (active | granted) & ~vector_at(words, at + ENDED)
    put(words, at + ACTIVE, now_active)
    wires = at + WIRES + (cycle & 1) * WIDTH
    returned = vector_at(words, wires)
    put(words, wires, splat(0))
    may_send, may_start = step_credits(at, returned, state.buffer_depth_flits, family)

    following = active & (nonempty | arrived) & (vector_at(words, at + AGAIN) | now_active & ~dropped)
    heads = nonempty & ~active & ~granted & ~dropped
    arriving = splat(0)
    if family.routing_cycles == 1:
        arriving = arrived & ~active & ~nonempty & ~granted
    heads, delayed = _read_heads(row, heads | arriving, granted, state, family)

    sends, starts = find_candidates(row, following | heads, may_send, may_start, family)
    eligible = following & sends | heads & starts | arriving
    waiting = requested & ~granted & ~dropped
    chosen = splat(0)
    if any_of(eligible) != 0:
        chosen = choose_vcs(row, eligible, waiting, family)
        note_chosen(row, at, chosen, family)
    put(words, at + REQUESTED, waiting | chosen)
    for note in range(GRANTED, EMPTIED + WIDTH, WIDTH):
        put(words, at + note, splat(0))
    return places_of(arrived | returned | granted | requested | delayed | chosen)


def _read_heads(row, heads, granted, state, family):
    """Look up new heads at the front of input VCs of eight switches, and delay them.

    Returns:
        heads, delayed : vector: Those that can be requested, and those whose delay counted.
    """
    words, at, first = family.words, row * ROW, row * WIDTH
    looked_up = vector_at(words, at + LOOKED_UP) & ~granted
    new = heads & ~looked_up
    put(words, at + LOOKED_UP, looked_up | new)
    put(words, at + HEADS, new)
    rest = places_of(new)
    while rest != 0:
        column = lowest_bit(rest)
        rest &= rest - 1
        _look_up(first + column, words[at + HEADS + column], state, family)
    put(words, at + HEADS, heads)
    if family.routing_cycles > 2 and any_of(heads) != 0:
        for column in range(WIDTH):
            own = words[at + HEADS + column]
            words[at + HEADS + column] ^= count_delays((first + column) * family.most_vcs, own, family)
    ready = vector_at(words, at + HEADS)
    return ready, heads ^ ready


def _look_up(switch, vcs, state, family):
    """Look up heads that have moved to the front of input VCs in the family's routing."""
    while vcs != 0:
        vc = lowest_bit(vcs)
        vcs &= vcs - 1
        record = family.input_vcs[switch * family.most_vcs + vc]
        message = message_of(state.slots[record.channel, state.channels[record.channel].front])
        candidates = route(switch, vc, message, state, family.routes)
        family.target_masks[record.target_masks] = candidates if candidates != 0 else 1 << DRAIN
        record.delay = 0
