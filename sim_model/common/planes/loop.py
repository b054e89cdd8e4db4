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

from sim_model.common.engine.bits import lowest_bit
from sim_model.common.engine.clock import DEADLOCKED, FINISHED, LIMIT
from sim_model.common.engine.compiled import compiled, compiled_loop
from sim_model.common.engine.state import CYCLE, FLIT_HOPS, NEVER, UNSENT, EngineState
from sim_model.common.planes import counts, hosts, router
from sim_model.common.planes.bits import count_bits, rotated
from sim_model.common.planes.hosts import expect_host, first_in_line, join_line, leave_line, take_hosts
from sim_model.common.planes.layout import WORD_SHIFT, plane_offsets
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
        for word in range(len(planes.rows)):
            if planes.awake[cycle & 1, word]:
                planes.awake[cycle & 1, word] = 0
                step_word(cycle, word, planes, state, routes)
            elif len(planes.counts) > 0:
                count_blocked(word, 1, planes)
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


def step_word(cycle, word, planes, state, routes):
    """One cycle of 64 routers and their hosts."""
    row, out, coming = planes.rows[word], planes.outputs[cycle + 1 & 1, word], planes.outputs[cycle & 1]
    if len(planes.counts) > 0:
        count_registers(row, coming[word], planes.counts[word])
    changed = take_from_links(word, row, coming, planes.ahead, planes.back)
    state.counters[FLIT_HOPS] += count_arrived(row)
    delivers = row[DELIVERED]
    moved, arrived = move_to_and_from_hosts(cycle, word, row, planes, state)
    state.counters[FLIT_HOPS] += count_bits(moved) + count_bits(arrived)
    changed |= delivers | moved | arrived
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
        changed |= count_delays(row, planes.delays[word], planes.routing_cycles - 2)
    pass_heads_on(word, row, planes)
    look_up_heads(word, row, planes, state, routes)
    changed |= choose_requests(row)
    if changed != 0:
        planes.counters[CHANGED] = 1
    wake_words(cycle + 1, word, changed, out, coming[word], planes.near, planes.awake)


def wake_words(cycle, word, changed, out, left, near, awake):
    """A word sleeps when nothing has changed in it and nothing has left it in this cycle or the one before.

    By then both its rows of ``outputs`` are 0. What leaves it wakes the words that the links lead to.
    """
    leaving, leaves = 0, 0
    for plane in range(OUT_SIZE):
        leaving |= out[plane]
        leaves |= left[plane]
    if changed | leaving | leaves:
        awake[cycle & 1, word] = 1
    if leaving:
        for position in range(near.shape[1]):
            awake[cycle & 1, near[word, position]] = 1


def take_from_links(word, row, coming, ahead, back):
    """Flits and credits that are on the links. Returns a word that is 0 only if there are none."""
    changed = 0
    for port in range(HOST):
        for lane in range(LANES):
            slot = lane * PORTS + port
            row[ARRIVED + slot] = 0
            row[ARRIVED_TAIL + slot] = 0
            row[RETURNED + slot] = 0
        for part in range(ahead.begins[port, word], ahead.begins[port, word + 1]):
            source, turn, mask = coming[ahead.word[part]], ahead.turn[part], ahead.mask[part]
            for lane in range(LANES):
                slot = lane * PORTS + port
                row[ARRIVED + slot] |= rotated(source[OUT_VALID + slot], turn) & mask
                row[ARRIVED_TAIL + slot] |= rotated(source[OUT_TAIL + slot], turn) & mask
        for part in range(back.begins[port, word], back.begins[port, word + 1]):
            source, turn, mask = coming[back.word[part]], back.turn[part], back.mask[part]
            for lane in range(LANES):
                slot = lane * PORTS + port
                row[RETURNED + slot] |= rotated(source[OUT_CREDIT + slot], turn) & mask
        for lane in range(LANES):
            slot = lane * PORTS + port
            changed |= row[ARRIVED + slot] | row[RETURNED + slot]
    return changed


def count_arrived(row):
    """Flits that move over links between switches."""
    flits = 0
    for lane in range(LANES):
        for port in range(HOST):
            flits += count_bits(row[ARRIVED + lane * PORTS + port])
    return flits


def pass_heads_on(word, row, planes):
    """The messages of heads that were granted are in line where these go."""
    for slot in range(SLOTS):
        heads = row[HEAD_POPPED + slot]
        while heads != 0:
            bit = lowest_bit(heads)
            heads &= heads - 1
            switch = word << WORD_SHIFT | bit
            message, output = leave_line(slot, switch, planes), planes.ways[slot, switch]
            if output == HOST:
                join_line(SLOTS, switch, message, planes)
            else:
                target = 0
                while row[CANDIDATES + target * SLOTS + slot] >> bit & 1 == 0:
                    target += 1
                join_line(target * PORTS + output, planes.neighbours[output, switch], message, planes)


def look_up_heads(word, row, planes, state, routes):
    """Ask the family's routing where heads can go."""
    for slot in range(SLOTS):
        heads = row[HEADS + slot] & ~row[LOOKED_UP + slot]
        row[LOOKED_UP + slot] |= heads
        while heads != 0:
            bit = lowest_bit(heads)
            heads &= heads - 1
            switch = word << WORD_SHIFT | bit
            one = planes.bit[bit]
            row[WANTED + planes.ways[slot, switch] * SLOTS + slot] &= ~one
            message = first_in_line(slot, switch, planes)
            output, lanes = find_way(switch, slot % PORTS, slot // PORTS, message, state, routes)
            planes.ways[slot, switch] = output
            row[WANTED + output * SLOTS + slot] |= one
            for target in range(LANES):
                place = CANDIDATES + target * SLOTS + slot
                row[place] = row[place] & ~one | (one if lanes >> target & 1 else 0)


@cache
def plane_loop(way: Callable[..., Any], ports: int, lanes: int, depth_flits: int, folder: Path) -> PlaneLoop:
    """The compiled loop of a family, for one number of lanes and one depth of buffers.

    Parameters
    ----------
    way : compiled function
        As ``find_way``.
    ports, lanes, depth_flits : int
        As for ``plane_offsets``.
    folder : Path
        The family's folder, whose sources decide whether the loop has to be compiled anew.
    """
    modules = (counts, hosts, router, sys.modules[__name__])
    scope: dict[str, Any] = {}
    for module in modules:
        scope |= vars(module)
    scope |= plane_offsets(ports, lanes, depth_flits)
    for module in modules:
        for part in list(vars(module).values()):
            if isinstance(part, FunctionType) and part.__module__ == module.__name__:
                scope[part.__name__] = compiled(FunctionType(part.__code__, scope))
    scope["find_way"] = way
    loop = FunctionType(run_planes.__code__, scope)
    loop.__doc__, loop.__qualname__ = run_planes.__doc__, f"run_planes_{folder.name}_{ports}_{lanes}_{depth_flits}"
    return compiled_loop(PLANES_FOLDER, WORMS_FOLDER, folder)(loop)
