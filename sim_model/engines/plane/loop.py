"""The loop of the engine that moves planes: one cycle of 64 routers at a time."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from sim_model.engines.cycle.clock import DEADLOCKED, FINISHED, LIMIT
from sim_model.engines.cycle.state import CYCLE, FLIT_HOPS, NEVER, NEXT_HOST_CYCLE, UNSENT, EngineState
from sim_model.engines.hosts import schedule_hosts
from sim_model.engines.plane.counts import count_planes
from sim_model.engines.plane.hosts import inject_messages, move_to_and_from_hosts
from sim_model.engines.plane.layout import WORD_SHIFT, PlaneLayout
from sim_model.engines.plane.lines import first_of, join, leave
from sim_model.engines.plane.router import (
    choose_requests,
    count_credits,
    count_delays,
    find_first_requests,
    grant_first_requests,
    keep_granted_vcs,
    move_through_buffers,
    send_flits,
    update_vc_availability,
)
from sim_model.engines.plane.state import ALIVE, CHANGED, PlaneState
from sim_model.loops.bits import count_bits, lowest_bit
from sim_model.loops.compiled import compiled, compiled_loop

PlaneLoop = Callable[[PlaneState, EngineState, Any, int], int]


@compiled
def run_planes(planes, state, routes, until_cycle, at: PlaneLayout):
    """Run to ``until_cycle``, the end, or a deadlock, and return why it stopped."""
    cycle = state.counters[CYCLE]
    schedule_hosts(cycle, state)
    reason = LIMIT
    while cycle < until_cycle and reason == LIMIT:
        planes.counters[CHANGED] = 0
        for word in range(len(planes.rows)):
            if len(planes.counts) > 0:
                count_planes(1, word, cycle, planes, at)
            if planes.awake[cycle & 1, word]:
                planes.awake[cycle & 1, word] = 0
                step_word(cycle, word, planes, state, routes, at)
        inject_messages(cycle, planes, state, at)
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
                        count_planes(following - cycle - 1, word, cycle + 1, planes, at)
        cycle = following
    state.counters[CYCLE] = cycle
    return reason


@compiled
def step_word(cycle, word, planes, state, routes, at: PlaneLayout):
    """Step 64 routers and their hosts by one cycle."""
    row, out, coming = planes.rows[word], planes.outputs[cycle + 1 & 1, word], planes.outputs[cycle & 1]
    delivers = row[at.DELIVERED]
    from_hosts = move_to_and_from_hosts(cycle, word, row, planes, state, at)
    changed, flits = take_from_links(word, row, coming, planes.ahead, planes.back, from_hosts, at)
    state.counters[FLIT_HOPS] += flits
    update_vc_availability(row, planes.empty_reuse, planes.depth, at)
    find_first_requests(row, planes.low_injection, at)
    asked, granted = grant_first_requests(row, planes.low_injection, at)
    looks_ahead = 1 if planes.routing_cycles == 1 else 0
    changed = changed | asked | move_through_buffers(row, out, asked, granted, looks_ahead, planes.depth, at)
    keep_granted_vcs(row, at)
    send_flits(row, out, at)
    count_credits(row, planes.depth, at)
    if planes.routing_cycles > 2:
        changed = changed | count_delays(row, planes.delays[word], planes.routing_cycles - 2, at)
    pass_heads_on(word, row, planes, at)
    look_up_heads(word, row, planes, state, routes, at)
    changed = changed | choose_requests(row, at) | at.splat(delivers)
    has_changed = at.any_of(changed)
    if has_changed != 0:
        planes.counters[CHANGED] = 1
    wake_words(cycle + 1, word, has_changed, out, coming[word], planes.near, planes.awake, at)


@compiled
def wake_words(cycle, word, changed, out, left, near, awake, at: PlaneLayout):
    """Put a word to sleep when nothing has changed in it or left it in this cycle or the one before.

    By then both its rows of ``outputs`` are 0. Flits and credits that leave it wake the words at their links.
    """
    leaving, leaves = at.splat(0), at.splat(0)
    for place in range(0, at.OUT_SIZE, at.WIDTH):
        leaving, leaves = leaving | at.vector_at(out, place), leaves | at.vector_at(left, place)
    is_leaving = at.any_of(leaving)
    if changed | is_leaving | at.any_of(leaves):
        awake[cycle & 1, word] = 1
    if is_leaving:
        for position in range(near.shape[1]):
            awake[cycle & 1, near[word, position]] = 1


@compiled
def take_from_links(word, row, coming, ahead, back, from_hosts, at: PlaneLayout):
    """Receive the flits and credits that are on the links, and those of the hosts.

    Parameters:
        from_hosts (tuple of int): As returned by ``move_to_and_from_hosts``.

    Returns:
        changed (vector): 0 only if there are none.
        flits (int): Those that move into buffers and to hosts.
    """
    moved, ended, delivered = from_hosts
    flits, changed = count_bits(delivered), at.splat(0)
    arrived, tails, returned = at.alone(moved, at.HOST), at.alone(ended, at.HOST), at.alone(delivered, at.HOST)
    for vc in range(0, at.SLOTS, at.WIDTH):
        for part in range(ahead.begins[word], ahead.begins[word + 1]):
            source, turn, mask = coming[ahead.word[part]], ahead.turn[part], at.vector_at(ahead.mask[part], 0)
            arrived = arrived | at.rotated(at.vector_at(source, at.OUT_VALID + vc), at.vector_at(turn, 0)) & mask
            tails = tails | at.rotated(at.vector_at(source, at.OUT_TAIL + vc), at.vector_at(turn, 0)) & mask
        for part in range(back.begins[word], back.begins[word + 1]):
            source, turn, mask = coming[back.word[part]], back.turn[part], at.vector_at(back.mask[part], 0)
            returned = returned | at.rotated(at.vector_at(source, at.OUT_CREDIT + vc), at.vector_at(turn, 0)) & mask
        at.put(row, at.ARRIVED + vc, arrived)
        at.put(row, at.ARRIVED_TAIL + vc, tails)
        at.put(row, at.RETURNED + vc, returned)
        flits += at.count_all(arrived)
        changed = changed | arrived | returned
        arrived, tails, returned = at.splat(0), at.splat(0), at.splat(0)
    return changed, flits


@compiled
def pass_heads_on(word, row, planes, at: PlaneLayout):
    """Pass the messages of granted heads on to the queues at their outputs."""
    for vc in range(0, at.SLOTS, at.WIDTH):
        ports = at.places_of(at.vector_at(row, at.HEAD_POPPED + vc))
        while ports != 0:
            slot = vc + lowest_bit(ports)
            ports &= ports - 1
            heads = row[at.HEAD_POPPED + slot]
            while heads != 0:
                bit = lowest_bit(heads)
                heads &= heads - 1
                pass_on(word << WORD_SHIFT | bit, bit, slot, row, planes, at)


@compiled
def pass_on(switch, bit, slot, row, planes, at: PlaneLayout):
    """Move the message of a head to the queue at its output."""
    message, output = leave(planes.worms[slot, switch]), planes.front_outputs[slot, switch]
    if output == at.HOST:
        join(planes.worms[at.SLOTS, switch], message)
    else:
        target = 0
        while row[at.CANDIDATES + target * at.SLOTS + slot] >> bit & 1 == 0:
            target += 1
        join(planes.worms[target * at.WIDTH + output, planes.neighbours[output, switch]], message)


@compiled
def look_up_heads(word, row, planes, state, routes, at: PlaneLayout):
    """Look up the outputs of new heads in the family's routing."""
    for vc in range(0, at.SLOTS, at.WIDTH):
        looked_up = at.vector_at(row, at.LOOKED_UP + vc)
        new = at.vector_at(row, at.HEADS + vc) & ~looked_up
        at.put(row, at.LOOKED_UP + vc, looked_up | new)
        at.put(row, at.NEW_HEADS, new)
        ports = at.places_of(new)
        while ports != 0:
            port = lowest_bit(ports)
            ports &= ports - 1
            heads = row[at.NEW_HEADS + port]
            while heads != 0:
                bit = lowest_bit(heads)
                heads &= heads - 1
                look_up(word << WORD_SHIFT | bit, planes.bit[bit], vc + port, row, planes, state, routes, at)


@compiled
def look_up(switch, one, slot, row, planes, state, routes, at: PlaneLayout):
    """Look up the outputs of one head; ``one`` is the bit of its switch."""
    before = planes.front_outputs[slot, switch]
    row[at.WANTED + before * at.SLOTS + slot] &= ~one
    row[at.ROUTE + slot * at.WIDTH + before] &= ~one
    message = first_of(planes.worms[slot, switch])
    output, vcs = at.find_route(switch, slot % at.WIDTH, slot // at.WIDTH, message, state, routes)
    planes.front_outputs[slot, switch] = output
    row[at.WANTED + output * at.SLOTS + slot] |= one
    row[at.ROUTE + slot * at.WIDTH + output] |= one
    for target in range(at.VCS):
        candidates = at.CANDIDATES + target * at.SLOTS + slot
        row[candidates] = row[candidates] & ~one | (one if vcs >> target & 1 else 0)


@cache
def plane_loop(layout: PlaneLayout, folder: Path) -> PlaneLoop:
    """Return the compiled loop of a family for a layout.

    Parameters:
        folder: The family's folder, whose name is part of the loop's.
    """

    def loop(planes, state, routes, until_cycle):
        return run_planes(planes, state, routes, until_cycle, layout)

    loop.__doc__, loop.__qualname__ = run_planes.__doc__, f"run_planes_{folder.name}_{layout.shape}"
    return compiled_loop(loop)
