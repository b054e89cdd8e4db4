"""The loop of the engine that moves planes, for hypercubes: one cycle of 64 routers at a time."""

# Names in capitals are offsets of planes, which the loop has as constants.
# ruff: noqa: F821
# pyright: reportUndefinedVariable=false

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

from sim_model.engines.cycle.clock import DEADLOCKED, FINISHED, LIMIT
from sim_model.engines.cycle.state import CYCLE, FLIT_HOPS, NEVER, NEXT_HOST_CYCLE, UNSENT, EngineState
from sim_model.engines.hosts import schedule_hosts
from sim_model.engines.plane import buffers, lines
from sim_model.engines.plane.state import ALIVE, CHANGED
from sim_model.hypercube.planes import allocator, counts, grants, heads, hosts, links
from sim_model.hypercube.planes.layout import WORD_SHIFT, cube_offsets
from sim_model.hypercube.planes.state import ASKING_HEADS
from sim_model.loops.compiled import compiled, compiled_loop
from sim_model.loops.plane_bits import count_bits
from sim_model.loops.vector_operations import (
    cube_operations,
    memory_operations,
    move_operations,
    word_operations,
)

CubeLoop = Callable[[Any, EngineState, Any, int], int]


def run_planes(planes, state, _routes, until_cycle):
    """Run to ``until_cycle``, the end, or a deadlock, and return why it stopped."""
    cycle = state.counters[CYCLE]
    schedule_hosts(cycle, state)
    reason = LIMIT
    while cycle < until_cycle and reason == LIMIT:
        planes.counters[CHANGED] = 0
        planes.counters[ASKING_HEADS] = 0
        for word in range(len(planes.rows)):
            if planes.awake[cycle & 1, word]:
                planes.awake[cycle & 1, word] = 0
                step_word(cycle, word, planes, state)
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
            elif planes.counters[ASKING_HEADS] == 0:  # otherwise leaders change in every cycle
                following = max(following, min(until_cycle, wake_cycle))
                if len(planes.counts) > 0:
                    for word in range(len(planes.rows)):
                        count_blocked(word, following - cycle - 1, planes)
        cycle = following
    state.counters[CYCLE] = cycle
    return reason


def step_word(cycle, word, planes, state):
    """Step 64 routers and their hosts by one cycle, all from the state at its start."""
    row, out, coming = planes.rows[word], planes.outputs[cycle + 1 & 1, word], planes.outputs[cycle & 1]
    order = planes.input_orders[(cycle + 1) % len(planes.input_orders)]
    lane_order = planes.lane_orders[(cycle + 1) % len(planes.lane_orders)]
    if len(planes.counts) > 0:
        count_registers(row, coming[word], planes.counts[word], planes.depth)
    stirred = move_flits(cycle, word, row, coming, planes, state)
    stirred = stirred | note_who_waits(row)
    note_free_outputs(row)
    granted = grant_requests(row, order)
    ended = move_through_buffers(row, out, granted)
    send_flits(row, out, ended)
    count_credits(row, out)
    stirred = stirred | granted | choose_requests(row)
    stirred = stirred | examine(row)
    give_lanes(word, row, planes)
    chose = pick(row, planes.highest[word])
    changed = any_of(stirred) | row[CHOSE]
    if changed == 0:
        changed = is_hopeful(row, planes.highest[word])
    if row[CHOSE] != 0:
        step_random_orders(row, row[CHOSE])
    row[CHOSE] = chose
    asking = any_of(elect(row, order, lane_order))
    read_heads(word, row, planes)
    end_cycle(row, out)
    if asking != 0:
        planes.counters[ASKING_HEADS] = 1
    if changed != 0:
        planes.counters[CHANGED] = 1
    wake_words(cycle + 1, word, changed | asking | chose, out, coming[word], planes.awake)


def wake_words(cycle, word, changed, out, left, awake):
    """Put a word to sleep when nothing changes in it, no head requests, and nothing has left it for two cycles.

    By then both its rows of ``outputs`` are 0. Flits and credits that leave it wake the words at their links.
    """
    leaving, leaves = splat(0), splat(0)
    for place in range(0, OUT_SIZE, WIDTH):
        leaving, leaves = leaving | vector_at(out, place), leaves | vector_at(left, place)
    if any_of(leaving | leaves) | changed:
        awake[cycle & 1, word] = 1
    if DIMENSIONS > WORD_SHIFT and any_of(leaving) != 0:
        for dimension in range(WORD_SHIFT, DIMENSIONS):
            awake[cycle & 1, word ^ 1 << dimension - WORD_SHIFT] = 1


def move_flits(cycle, word, row, coming, planes, state):
    """Move flits on all links for one cycle. Returns a vector that is 0 only if links are idle and no worm ends."""
    take_from_links(word, row, coming)
    moved = move_from_injectors(row, planes.unloaded[word], planes.depth)
    free_injectors(cycle, word, row, state)
    arrived, delivered = move_to_hosts(cycle, word, row, planes, state)
    state.counters[FLIT_HOPS] += count_arrived(row) + count_all(moved) + count_bits(arrived)
    stirred = moved | splat(delivered)
    for place in range(0, OUT_SIZE, WIDTH):
        stirred = stirred | vector_at(row, ARRIVED + place)
    for lane in range(0, LANES * WIDTH, WIDTH):
        stirred = stirred | vector_at(row, CLOSING + lane)
    return stirred


def end_cycle(row, out):
    """Update the registers of virtual channels at the end of the cycle."""
    from_host = vector_at(row, IS_HOST)
    for lane in range(0, LANES * WIDTH, WIDTH):
        ended, closing = vector_at(row, ENDED + lane), vector_at(row, CLOSING + lane)
        active = vector_at(row, ACTIVE + lane) & ~closing & ~(ended & from_host)
        put(row, ACTIVE + lane, active | vector_at(row, GOT + lane))
        put(row, CLOSING + lane, ended & ~from_host)
        put(row, FREE + lane, vector_at(row, FREE + lane) | vector_at(row, RELEASED + lane))
    put(row, READ, vector_at(row, HEADS) & ~vector_at(row, GOT))
    row[FREE + DIMENSIONS] |= out[OUT_TAIL + DIMENSIONS]


@cache
def cube_loop(dimensions: int, lanes: int, room: int, channels: int, adaptive_lanes: int) -> CubeLoop:
    """Return the compiled loop of hypercubes of a shape; parameters as for ``cube_offsets``."""
    at = cube_offsets(dimensions, lanes, room, channels, adaptive_lanes)
    width = at["WIDTH"]
    operations = {
        **memory_operations(width, at["OUTPUTS"]),
        **word_operations(width),
        **move_operations(width),
        **cube_operations(width, min(dimensions, WORD_SHIFT)),
    }
    modules = (buffers, lines, counts, links, hosts, grants, allocator, heads)
    scope: dict[str, Any] = {}
    for module in modules:
        scope |= vars(module)
    scope |= {**globals(), **operations, **at}
    own = {__name__, *(module.__name__ for module in modules)}
    for name, part in list(scope.items()):
        if isinstance(part, FunctionType) and part.__module__ in own:
            scope[name] = compiled(FunctionType(part.__code__, scope))
    loop = FunctionType(run_planes.__code__, scope)
    shape = f"{dimensions}_{lanes}_{room}_{channels}_{adaptive_lanes}"
    loop.__doc__, loop.__qualname__ = run_planes.__doc__, f"run_planes_hypercube_{shape}"
    return compiled_loop(loop)
