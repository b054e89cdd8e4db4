"""The loop of the engine that moves planes: one cycle of 64 routers at a time."""

# Offsets of planes are names that ``loop.py`` puts into the scope of these functions, as constants.
# ruff: noqa: F821
# pyright: reportUndefinedVariable=false

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

from sim_model.engines.cycle.clock import DEADLOCKED, FINISHED, LIMIT
from sim_model.engines.cycle.state import CYCLE, FLIT_HOPS, NEVER, NEXT_HOST_CYCLE, UNSENT, EngineState
from sim_model.engines.hosts import schedule_hosts
from sim_model.engines.plane import buffers, counts, hosts, lines, router
from sim_model.engines.plane.layout import WORD_SHIFT, plane_offsets
from sim_model.engines.plane.state import ALIVE, CHANGED, PlaneState
from sim_model.loops.bits import lowest_bit
from sim_model.loops.compiled import compiled, compiled_loop
from sim_model.loops.plane_bits import count_bits
from sim_model.loops.vector_operations import memory_operations, turn_operations, word_operations

PlaneLoop = Callable[[PlaneState, EngineState, Any, int], int]


def find_way(_switch, _port, _lane, _message, _state, _routes):
    """Return no route: placeholder for the routing of a family.

    Returns
    -------
    output, lanes : int
        Port of the output, and mask of its VCs, for a head of the message that comes on an input VC.
    """
    return 0, 0


def run_planes(planes, state, routes, until_cycle):
    """Run to ``until_cycle``, the end, or a deadlock, and return why it stopped."""
    cycle = state.counters[CYCLE]
    schedule_hosts(cycle, state)
    reason = LIMIT
    while cycle < until_cycle and reason == LIMIT:
        planes.counters[CHANGED] = 0
        for word in range(len(planes.rows)):
            if planes.awake[cycle & 1, word]:
                planes.awake[cycle & 1, word] = 0
                step_word(cycle, word, planes, state, routes)
            elif len(planes.counts) > 0:
                count_blocked(word, 1, planes)
        inject_messages(cycle, planes, state)
        following = cycle + 1
        if planes.counters[ALIVE] == 0 and state.counters[UNSENT] == 0:
            reason = FINISHED
        elif planes.counters[CHANGED] == 0:
            wake_cycle = state.counters[NEXT_HOST_CYCLE]
            if wake_cycle == NEVER:
                reason = DEADLOCKED
            else:
                following = max(following, min(until_cycle, wake_cycle))
                if len(planes.counts) > 0:
                    for word in range(len(planes.rows)):
                        count_blocked(word, following - cycle - 1, planes)
        cycle = following
    state.counters[CYCLE] = cycle
    return reason


def step_word(cycle, word, planes, state, routes):
    """Step 64 routers and their hosts by one cycle."""
    row, out, coming = planes.rows[word], planes.outputs[cycle + 1 & 1, word], planes.outputs[cycle & 1]
    if len(planes.counts) > 0:
        count_registers(row, coming[word], planes.counts[word], planes.depth)
    delivers = row[DELIVERED]
    from_hosts = move_to_and_from_hosts(cycle, word, row, planes, state)
    changed, flits = take_from_links(word, row, coming, planes.ahead, planes.back, from_hosts)
    state.counters[FLIT_HOPS] += flits
    update_vc_availability(row, planes.empty_reuse, planes.depth)
    find_first_requests(row, planes.low_injection)
    asked, granted = grant_first_requests(row, planes.low_injection)
    looks_ahead = 1 if planes.routing_cycles == 1 else 0
    changed = changed | asked | move_through_buffers(row, out, asked, granted, looks_ahead, planes.depth)
    keep_granted_lanes(row)
    send_flits(row, out)
    count_credits(row, planes.depth)
    if planes.routing_cycles > 2:
        changed = changed | count_delays(row, planes.delays[word], planes.routing_cycles - 2)
    pass_heads_on(word, row, planes)
    look_up_heads(word, row, planes, state, routes)
    changed = changed | choose_requests(row) | splat(delivers)
    has_changed = any_of(changed)
    if has_changed != 0:
        planes.counters[CHANGED] = 1
    wake_words(cycle + 1, word, has_changed, out, coming[word], planes.near, planes.awake)


def wake_words(cycle, word, changed, out, left, near, awake):
    """Put a word to sleep when nothing has changed in it or left it in this cycle or the one before.

    By then both its rows of ``outputs`` are 0. Flits and credits that leave it wake the words at their links.
    """
    leaving, leaves = splat(0), splat(0)
    for place in range(0, OUT_SIZE, WIDTH):
        leaving, leaves = leaving | vector_at(out, place), leaves | vector_at(left, place)
    is_leaving = any_of(leaving)
    if changed | is_leaving | any_of(leaves):
        awake[cycle & 1, word] = 1
    if is_leaving:
        for position in range(near.shape[1]):
            awake[cycle & 1, near[word, position]] = 1


def take_from_links(word, row, coming, ahead, back, from_hosts):
    """Receive the flits and credits that are on the links, and those of the hosts.

    Parameters
    ----------
    from_hosts : tuple of int
        As returned by ``move_to_and_from_hosts``.

    Returns
    -------
    changed : vector
        0 only if there are none.
    flits : int
        Those that move into buffers and to hosts.
    """
    moved, ended, delivered = from_hosts
    flits, changed = count_bits(delivered), splat(0)
    arrived, tails, returned = alone(moved, HOST), alone(ended, HOST), alone(delivered, HOST)
    for lane in range(0, SLOTS, WIDTH):
        for part in range(ahead.begins[word], ahead.begins[word + 1]):
            source, turn, mask = coming[ahead.word[part]], ahead.turn[part], vector_at(ahead.mask[part], 0)
            arrived = arrived | rotated(vector_at(source, OUT_VALID + lane), vector_at(turn, 0)) & mask
            tails = tails | rotated(vector_at(source, OUT_TAIL + lane), vector_at(turn, 0)) & mask
        for part in range(back.begins[word], back.begins[word + 1]):
            source, turn, mask = coming[back.word[part]], back.turn[part], vector_at(back.mask[part], 0)
            returned = returned | rotated(vector_at(source, OUT_CREDIT + lane), vector_at(turn, 0)) & mask
        put(row, ARRIVED + lane, arrived)
        put(row, ARRIVED_TAIL + lane, tails)
        put(row, RETURNED + lane, returned)
        flits += count_all(arrived)
        changed = changed | arrived | returned
        arrived, tails, returned = splat(0), splat(0), splat(0)
    return changed, flits


def pass_heads_on(word, row, planes):
    """Pass the messages of granted heads on to the queues at their outputs."""
    for lane in range(0, SLOTS, WIDTH):
        ports = places_of(vector_at(row, HEAD_POPPED + lane))
        while ports != 0:
            slot = lane + lowest_bit(ports)
            ports &= ports - 1
            heads = row[HEAD_POPPED + slot]
            while heads != 0:
                bit = lowest_bit(heads)
                heads &= heads - 1
                pass_on(word << WORD_SHIFT | bit, bit, slot, row, planes)


def pass_on(switch, bit, slot, row, planes):
    """Move the message of a head to the queue at its output."""
    message, output = leave(planes.worms[slot, switch]), planes.ways[slot, switch]
    if output == HOST:
        join(planes.worms[SLOTS, switch], message)
    else:
        target = 0
        while row[CANDIDATES + target * SLOTS + slot] >> bit & 1 == 0:
            target += 1
        join(planes.worms[target * WIDTH + output, planes.neighbours[output, switch]], message)


def look_up_heads(word, row, planes, state, routes):
    """Look up the outputs of new heads in the family's routing."""
    for lane in range(0, SLOTS, WIDTH):
        looked_up = vector_at(row, LOOKED_UP + lane)
        new = vector_at(row, HEADS + lane) & ~looked_up
        put(row, LOOKED_UP + lane, looked_up | new)
        put(row, NEW_HEADS, new)
        ports = places_of(new)
        while ports != 0:
            port = lowest_bit(ports)
            ports &= ports - 1
            heads = row[NEW_HEADS + port]
            while heads != 0:
                bit = lowest_bit(heads)
                heads &= heads - 1
                look_up(word << WORD_SHIFT | bit, planes.bit[bit], lane + port, row, planes, state, routes)


def look_up(switch, one, slot, row, planes, state, routes):
    """Look up the outputs of one head; ``one`` is the bit of its switch."""
    before = planes.ways[slot, switch]
    row[WANTED + before * SLOTS + slot] &= ~one
    row[WAY + slot * WIDTH + before] &= ~one
    message = first_of(planes.worms[slot, switch])
    output, lanes = find_way(switch, slot % WIDTH, slot // WIDTH, message, state, routes)
    planes.ways[slot, switch] = output
    row[WANTED + output * SLOTS + slot] |= one
    row[WAY + slot * WIDTH + output] |= one
    for target in range(LANES):
        candidates = CANDIDATES + target * SLOTS + slot
        row[candidates] = row[candidates] & ~one | (one if lanes >> target & 1 else 0)


@cache
def plane_loop(way: Callable[..., Any], ports: int, lanes: int, room: int, folder: Path) -> PlaneLoop:
    """Return the compiled loop of a family, for one number of virtual channels and one room in buffers.

    Parameters
    ----------
    way : compiled function
        As ``find_way``.
    ports, lanes, room : int
        As for ``plane_offsets``.
    folder : Path
        The family's folder, whose name is part of the loop's.
    """
    at = plane_offsets(ports, lanes, room)
    modules = (buffers, counts, hosts, lines, router, sys.modules[__name__])
    scope: dict[str, Any] = {}
    for module in modules:
        scope |= vars(module)
    width = at["WIDTH"]
    scope |= {**at, **memory_operations(width, ports), **word_operations(width), **turn_operations(width)}
    for module in modules:
        for part in list(vars(module).values()):
            if isinstance(part, FunctionType) and part.__module__ == module.__name__:
                scope[part.__name__] = compiled(FunctionType(part.__code__, scope))
    scope["find_way"] = way
    loop = FunctionType(run_planes.__code__, scope)
    loop.__doc__, loop.__qualname__ = run_planes.__doc__, f"run_planes_{folder.name}_{ports}_{lanes}_{room}"
    return compiled_loop(loop)
