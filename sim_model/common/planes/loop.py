"""The loop of the engine that moves planes: one cycle of 64 routers, or of several times as many, at a time."""

# Offsets of planes are names that ``loop.py`` puts into the scope of these functions, as constants.
# ruff: noqa: F821
# pyright: reportUndefinedVariable=false

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

from sim_model.common.engine.bits import lowest_bit
from sim_model.common.engine.clock import DEADLOCKED, FINISHED, LIMIT
from sim_model.common.engine.compiled import compiled, compiled_loop
from sim_model.common.engine.state import CYCLE, FLIT_HOPS, NEVER, UNSENT, EngineState
from sim_model.common.planes import counts, hosts, router
from sim_model.common.planes.bits import rotated
from sim_model.common.planes.hosts import expect_host, first_in_line, join_line, leave_line, take_hosts
from sim_model.common.planes.layout import WORD_SHIFT, plane_offsets
from sim_model.common.planes.plane_rows import row_operations
from sim_model.common.planes.state import ALIVE, CHANGED, PlaneState
from sim_model.common.worms.calendar import next_entry_cycle

PLANES_FOLDER = Path(__file__).parent
WORMS_FOLDER = PLANES_FOLDER.parent / "worms"
PlaneLoop = Callable[[PlaneState, EngineState, Any, int], int]


def find_way(_switch, _port, _lane, _message, _state, _routes):
    """Stands for the routing of a family.

    Returns
    -------
    output, lanes : int
        Port of the output, and mask of its lanes, for a head of the message that comes on an input lane.
    """
    return 0, 0


def run_planes(planes, state, routes, until_cycle):
    """Run to ``until_cycle``, the end, or a deadlock, and return why it stopped."""
    cycle = state.counters[CYCLE]
    if cycle < until_cycle:
        for host in range(len(state.hosts)):
            expect_host(host, cycle - 1, planes, state)
    reason = LIMIT
    while cycle < until_cycle and reason == LIMIT:
        planes.counters[CHANGED] = 0
        for group in range(len(planes.rows)):
            if planes.awake[cycle & 1, group]:
                planes.awake[cycle & 1, group] = 0
                step_group(cycle, group, planes, state, routes)
            elif len(planes.counts) > 0:
                count_blocked(group, 1, planes)
        take_hosts(cycle, planes)
        step_hosts(cycle, planes, state)
        following = cycle + 1
        if planes.counters[ALIVE] == 0 and state.counters[UNSENT] == 0:
            reason = FINISHED
        elif planes.counters[CHANGED] == 0:
            wake_cycle = next_host_cycle(cycle, planes)
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


@compiled
def next_host_cycle(cycle, planes):
    """The first cycle after this one in which a host does something, or one before it; NEVER if none will."""
    return next_entry_cycle(cycle, planes.calendar)


def step_group(cycle, group, planes, state, routes):
    """One cycle of the routers of a group of words, and their hosts."""
    cells, coming = planes.rows[group], planes.outputs[cycle & 1]
    row, out, left = row_of(cells), row_of(planes.outputs[cycle + 1 & 1, group]), row_of(coming[group])
    if len(planes.counts) > 0:
        count_registers(row, left, planes.counts[group])
    moves = 0
    for place in range(WIDTH):
        moves |= take_from_links(group * WIDTH + place, place, cells, coming, planes.ahead, planes.back)
    state.counters[FLIT_HOPS] += count_arrived(row)
    delivers = row[DELIVERED]
    moved, arrived = move_to_and_from_hosts(cycle, group, row, planes, state)
    state.counters[FLIT_HOPS] += count_all(moved) + count_all(arrived)
    changed = delivers | moved | arrived
    for slot in range(SLOTS):
        changed |= row[REQUEST_LANE + slot]
    note_what_can_be_had(row, planes.empty_reuse)
    find_first_requests(row, planes.low_injection)
    grant_first_requests(row, planes.low_injection)
    changed |= move_through_buffers(row, out, planes.routing_cycles == 1)
    keep_granted_lanes(row)
    send_flits(row, out)
    count_credits(row)
    if planes.routing_cycles > 2:
        changed |= count_delays(row, planes.delays[group], planes.routing_cycles - 2)
    popped, new = row[HEAD_POPPED], row[HEADS] & ~row[LOOKED_UP]
    for slot in range(SLOTS):
        popped |= row[HEAD_POPPED + slot]
        new |= row[HEADS + slot] & ~row[LOOKED_UP + slot]
    if any_of(popped) != 0:
        for place in range(WIDTH):
            pass_heads_on(group * WIDTH + place, place, cells, planes)
    if any_of(new) != 0:
        for place in range(WIDTH):
            look_up_heads(group * WIDTH + place, place, cells, planes, state, routes)
    changed |= choose_requests(row)
    moves |= any_of(changed)
    if moves != 0:
        planes.counters[CHANGED] = 1
    wake_groups(cycle + 1, group, moves, out, left, planes.near, planes.awake)


def wake_groups(cycle, group, changed, out, left, near, awake):
    """A group sleeps when nothing has changed in it and nothing has left it in this cycle or the one before.

    By then both its rows of ``outputs`` are 0. What leaves it wakes the groups that the links lead to.
    """
    leaving, leaves = out[0], left[0]
    for plane in range(OUT_SIZE):
        leaving |= out[plane]
        leaves |= left[plane]
    is_leaving = any_of(leaving)
    if changed | is_leaving | any_of(leaves):
        awake[cycle & 1, group] = 1
    if is_leaving:
        for position in range(near.shape[1]):
            awake[cycle & 1, near[group, position]] = 1


def take_from_links(word, place, cells, coming, ahead, back):
    """Flits and credits that are on the links. Returns a word that is 0 only if there are none."""
    changed = 0
    for port in range(HOST):
        for lane in range(LANES):
            slot = lane * PORTS + port
            cells[ARRIVED + slot, place] = 0
            cells[ARRIVED_TAIL + slot, place] = 0
            cells[RETURNED + slot, place] = 0
        for part in range(ahead.begins[port, word], ahead.begins[port, word + 1]):
            source, column = coming[ahead.word[part] // WIDTH], ahead.word[part] % WIDTH
            turn, mask = ahead.turn[part], ahead.mask[part]
            for lane in range(LANES):
                slot = lane * PORTS + port
                cells[ARRIVED + slot, place] |= rotated(source[OUT_VALID + slot, column], turn) & mask
                cells[ARRIVED_TAIL + slot, place] |= rotated(source[OUT_TAIL + slot, column], turn) & mask
        for part in range(back.begins[port, word], back.begins[port, word + 1]):
            source, column = coming[back.word[part] // WIDTH], back.word[part] % WIDTH
            turn, mask = back.turn[part], back.mask[part]
            for lane in range(LANES):
                slot = lane * PORTS + port
                cells[RETURNED + slot, place] |= rotated(source[OUT_CREDIT + slot, column], turn) & mask
        for lane in range(LANES):
            slot = lane * PORTS + port
            changed |= cells[ARRIVED + slot, place] | cells[RETURNED + slot, place]
    return changed


def count_arrived(row):
    """Flits that move over links between switches."""
    flits = 0
    for lane in range(LANES):
        for port in range(HOST):
            flits += count_all(row[ARRIVED + lane * PORTS + port])
    return flits


def pass_heads_on(word, place, cells, planes):
    """The messages of heads that were granted are in line where these go."""
    for slot in range(SLOTS):
        heads = cells[HEAD_POPPED + slot, place]
        while heads != 0:
            bit = lowest_bit(heads)
            heads &= heads - 1
            switch = word << WORD_SHIFT | bit
            message, output = leave_line(slot, switch, planes), planes.ways[slot, switch]
            if output == HOST:
                join_line(SLOTS, switch, message, planes)
            else:
                target = 0
                while cells[CANDIDATES + target * SLOTS + slot, place] >> bit & 1 == 0:
                    target += 1
                join_line(target * PORTS + output, planes.neighbours[output, switch], message, planes)


def look_up_heads(word, place, cells, planes, state, routes):
    """Ask the family's routing where heads can go."""
    for slot in range(SLOTS):
        heads = cells[HEADS + slot, place] & ~cells[LOOKED_UP + slot, place]
        cells[LOOKED_UP + slot, place] |= heads
        while heads != 0:
            bit = lowest_bit(heads)
            heads &= heads - 1
            switch = word << WORD_SHIFT | bit
            one = planes.bit[bit]
            cells[WANTED + planes.ways[slot, switch] * SLOTS + slot, place] &= ~one
            message = first_in_line(slot, switch, planes)
            output, lanes = find_way(switch, slot % PORTS, slot // PORTS, message, state, routes)
            planes.ways[slot, switch] = output
            cells[WANTED + output * SLOTS + slot, place] |= one
            for target in range(LANES):
                candidates = CANDIDATES + target * SLOTS + slot
                cells[candidates, place] = cells[candidates, place] & ~one | (one if lanes >> target & 1 else 0)


def _nothing(_first, _second, _third):
    """In place of what counts, in groups where nothing is counted."""
    return 0


@cache
def plane_loop(
    way: Callable[..., Any], ports: int, lanes: int, depth_flits: int, width: int, folder: Path
) -> PlaneLoop:
    """The compiled loop of a family, for one number of lanes, one depth of buffers and one width of groups.

    Parameters
    ----------
    way : compiled function
        As ``find_way``.
    ports, lanes, depth_flits : int
        As for ``plane_offsets``.
    width : int
        Words of a group, see ``width_for``.
    folder : Path
        The family's folder, whose sources decide whether the loop has to be compiled anew.
    """
    modules = (counts, hosts, router, sys.modules[__name__])
    scope: dict[str, Any] = {}
    for module in modules:
        scope |= vars(module)
    scope |= {**plane_offsets(ports, lanes, depth_flits), "WIDTH": width, **row_operations(width)}
    for module in modules:
        for part in list(vars(module).values()):
            if isinstance(part, FunctionType) and part.__module__ == module.__name__:
                scope[part.__name__] = compiled(FunctionType(part.__code__, scope))
    scope["find_way"] = way
    if width > 1:  # see ``width_for``
        for name in ("count_registers", "count_blocked", "count_delays"):
            scope[name] = compiled(_nothing)
    loop = FunctionType(run_planes.__code__, scope)
    loop.__doc__, loop.__qualname__ = (
        run_planes.__doc__,
        f"run_planes_{folder.name}_{ports}_{lanes}_{depth_flits}_{width}",
    )
    return compiled_loop(PLANES_FOLDER, WORMS_FOLDER, folder)(loop)
