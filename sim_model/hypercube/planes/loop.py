"""The loop of the engine that moves planes, for hypercubes: one cycle of 64 routers at a time."""

from collections.abc import Callable
from functools import cache
from typing import Any

from sim_model.engines.cycle.clock import DEADLOCKED, FINISHED, LIMIT
from sim_model.engines.cycle.state import CYCLE, FLIT_HOPS, NEVER, NEXT_HOST_CYCLE, UNSENT, EngineState
from sim_model.engines.hosts import schedule_hosts
from sim_model.engines.plane.counts import count_planes
from sim_model.engines.plane.state import ALIVE, CHANGED
from sim_model.hypercube.planes.allocator import elect, examine, is_hopeful, note_free_outputs, pick, step_random_orders
from sim_model.hypercube.planes.grants import choose_requests, grant_requests, move_through_buffers, note_who_waits
from sim_model.hypercube.planes.heads import give_vcs, read_heads
from sim_model.hypercube.planes.hosts import free_injectors, inject_messages, move_from_injectors, move_to_hosts
from sim_model.hypercube.planes.layout import WORD_SHIFT, CubeLayout
from sim_model.hypercube.planes.links import count_arrived, count_credits, send_flits, take_from_links
from sim_model.hypercube.planes.state import ASKING_HEADS
from sim_model.loops.bits import count_bits
from sim_model.loops.compiled import compiled, compiled_loop

CubeLoop = Callable[[Any, EngineState, Any, int], int]


@compiled
def run_planes(planes, state, _routes, until_cycle, at: CubeLayout):
    """Run to ``until_cycle``, the end, or a deadlock, and return why it stopped."""
    cycle = state.counters[CYCLE]
    schedule_hosts(cycle, state)
    reason = LIMIT
    while cycle < until_cycle and reason == LIMIT:
        planes.counters[CHANGED] = 0
        planes.counters[ASKING_HEADS] = 0
        for word in range(len(planes.rows)):
            if len(planes.counts) > 0:
                count_planes(1, word, cycle, planes, at)
            if planes.awake[cycle & 1, word]:
                planes.awake[cycle & 1, word] = 0
                step_word(cycle, word, planes, state, at)
        inject_messages(cycle, planes, state, at)
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
                        count_planes(following - cycle - 1, word, cycle + 1, planes, at)
        cycle = following
    state.counters[CYCLE] = cycle
    return reason


@compiled
def step_word(cycle, word, planes, state, at: CubeLayout):
    """Step 64 routers and their hosts by one cycle, all from the state at its start."""
    row, out, coming = planes.rows[word], planes.outputs[cycle + 1 & 1, word], planes.outputs[cycle & 1]
    order = planes.input_orders[(cycle + 1) % len(planes.input_orders)]
    lane_order = planes.vc_orders[(cycle + 1) % len(planes.vc_orders)]
    stirred = move_flits(cycle, word, row, coming, planes, state, at)
    stirred = stirred | note_who_waits(row, at)
    note_free_outputs(row, at)
    granted = grant_requests(row, order, at)
    ended = move_through_buffers(row, out, granted, at)
    send_flits(row, out, ended, at)
    count_credits(row, out, at)
    stirred = stirred | granted | choose_requests(row, at)
    stirred = stirred | examine(row, at)
    give_vcs(word, row, planes, at)
    chose = pick(row, planes.highest[word], at)
    changed = at.any_of(stirred) | row[at.CHOSE]
    if changed == 0:
        changed = is_hopeful(row, planes.highest[word], at)
    if row[at.CHOSE] != 0:
        step_random_orders(row, row[at.CHOSE], at)
    row[at.CHOSE] = chose
    asking = at.any_of(elect(row, order, lane_order, at))
    read_heads(word, row, planes, at)
    end_cycle(row, out, at)
    if asking != 0:
        planes.counters[ASKING_HEADS] = 1
    if changed != 0:
        planes.counters[CHANGED] = 1
    wake_words(cycle + 1, word, changed | asking | chose, out, coming[word], planes.awake, at)


@compiled
def wake_words(cycle, word, changed, out, left, awake, at: CubeLayout):
    """Put a word to sleep when nothing changes in it, no head requests, and nothing has left it for two cycles.

    By then both its rows of ``outputs`` are 0. Flits and credits that leave it wake the words at their links.
    """
    leaving, leaves = at.splat(0), at.splat(0)
    for place in range(0, at.OUT_SIZE, at.WIDTH):
        leaving, leaves = leaving | at.vector_at(out, place), leaves | at.vector_at(left, place)
    if at.any_of(leaving | leaves) | changed:
        awake[cycle & 1, word] = 1
    if at.DIMENSIONS > WORD_SHIFT and at.any_of(leaving) != 0:
        for dimension in range(WORD_SHIFT, at.DIMENSIONS):
            awake[cycle & 1, word ^ 1 << dimension - WORD_SHIFT] = 1


@compiled
def move_flits(cycle, word, row, coming, planes, state, at: CubeLayout):
    """Move flits on all links for one cycle. Returns a vector that is 0 only if links are idle and no worm ends."""
    take_from_links(word, row, coming, at)
    moved = move_from_injectors(row, planes.unloaded[word], planes.depth, at)
    free_injectors(cycle, word, row, state, at)
    arrived, delivered = move_to_hosts(cycle, word, row, planes, state, at)
    state.counters[FLIT_HOPS] += count_arrived(row, at) + at.count_all(moved) + count_bits(arrived)
    stirred = moved | at.splat(delivered)
    for place in range(0, at.OUT_SIZE, at.WIDTH):
        stirred = stirred | at.vector_at(row, at.ARRIVED + place)
    for vc in range(0, at.VCS * at.WIDTH, at.WIDTH):
        stirred = stirred | at.vector_at(row, at.CLOSING + vc)
    return stirred


@compiled
def end_cycle(row, out, at: CubeLayout):
    """Update the registers of virtual channels at the end of the cycle."""
    from_host = at.vector_at(row, at.IS_HOST)
    for vc in range(0, at.VCS * at.WIDTH, at.WIDTH):
        ended, closing = at.vector_at(row, at.ENDED + vc), at.vector_at(row, at.CLOSING + vc)
        active = at.vector_at(row, at.ACTIVE + vc) & ~closing & ~(ended & from_host)
        at.put(row, at.ACTIVE + vc, active | at.vector_at(row, at.GOT + vc))
        at.put(row, at.CLOSING + vc, ended & ~from_host)
        at.put(row, at.FREE + vc, at.vector_at(row, at.FREE + vc) | at.vector_at(row, at.RELEASED + vc))
    at.put(row, at.READ, at.vector_at(row, at.HEADS) & ~at.vector_at(row, at.GOT))
    row[at.FREE + at.DIMENSIONS] |= out[at.OUT_TAIL + at.DIMENSIONS]


@cache
def cube_loop(layout: CubeLayout) -> CubeLoop:
    """Return the compiled loop of hypercubes for a layout."""

    def loop(planes, state, routes, until_cycle):
        return run_planes(planes, state, routes, until_cycle, layout)

    loop.__doc__, loop.__qualname__ = run_planes.__doc__, f"run_planes_hypercube_{layout.shape}"
    return compiled_loop(loop)
