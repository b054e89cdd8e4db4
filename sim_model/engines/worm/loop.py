"""The loop of the worm engine: from one cycle with a router decision to the next."""

from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

from sim_model.engines.calendar import WHEEL_MASK, cancel, next_entry_cycle
from sim_model.engines.cycle.clock import DEADLOCKED, FINISHED, LIMIT
from sim_model.engines.cycle.occupied_outputs import INTO_PROCESSOR
from sim_model.engines.cycle.state import CYCLE, NEVER, NONE, UNSENT, EngineState
from sim_model.engines.hosts import schedule_hosts
from sim_model.engines.worm.flits import move, put_on_agenda
from sim_model.engines.worm.hosts import inject_worms, tail_moves
from sim_model.engines.worm.route_unit import scan_header
from sim_model.engines.worm.state import (
    AGENDA,
    ALIVE,
    ALL_COPIES,
    CHANNEL_KINDS,
    HORIZON,
    HOST_SIDE,
    LAST_CHANGE,
    MAX_COPIES,
    POP,
    READY,
    SENT,
    STREAMS,
    WormState,
)
from sim_model.engines.worm.steady import (
    MIN_FLITS,
    ROUND_FLITS,
    find_tree,
    flits_in_injector,
    last_known,
    leave_out,
    streams,
)
from sim_model.loops.compiled import compiled, compiled_loop

WormLoop = Callable[[WormState, EngineState, Any, int], int]


@compiled
def copy_flits(_number, _worms, _state, _family):
    """Copy nothing: placeholder for the copies that the routers of a family make of an input's flits."""


@compiled
def end_worm(_cycle, _kind, _number, _worms, _state, _family):
    """Do nothing: placeholder for a family's reaction to a copied tail, or to a popped flit that it marked."""


@compiled
def end_cycle(_cycle, _switch, _worms, _state, _family):
    """Decide nothing: placeholder for a router's decisions after its route unit and the ends of worms."""


def run_cycles(worms, state, family, until_cycle):
    """Run to ``until_cycle``, the end, or a deadlock, and return why it stopped."""
    cycle = state.counters[CYCLE]
    if cycle >= until_cycle:
        return LIMIT
    worms.counters[HORIZON] = until_cycle
    _go_on(cycle, worms, state, family)
    first_cycle = cycle
    cycle -= 1
    while True:
        _find_times(worms, state, family)
        cycle = next_entry_cycle(cycle, state.calendar)
        if cycle >= until_cycle:
            break
        _run_cycle(cycle, worms, state, family)
        if worms.counters[ALIVE] == 0 and state.counters[UNSENT] == 0:
            state.counters[CYCLE] = cycle + 1
            return FINISHED
    if cycle == NEVER:
        quiet = max(first_cycle, _last_change(worms) + 1)
        if quiet < until_cycle:
            state.counters[CYCLE] = quiet + 1
            return DEADLOCKED
    state.counters[CYCLE] = until_cycle
    return LIMIT


def worm_loop(copy: Callable[..., Any], end: Callable[..., Any], decide: Callable[..., Any], folder: Path) -> WormLoop:
    """Return the compiled loop of a family.

    Parameters:
        copy, end, decide (compiled functions): Replacements for ``copy_flits``, ``end_worm`` and ``end_cycle``.
        folder: The family's folder, whose name is part of the loop's.
    """
    own = {"copy_flits": copy, "end_worm": end, "end_cycle": decide}
    scope = {**globals(), **own}
    for part in (_run_stream, _find_times, _run_cycle):
        code = part.py_func if hasattr(part, "py_func") else part
        scope[code.__name__] = compiled(FunctionType(code.__code__, scope))
    loop = FunctionType(run_cycles.__code__, scope)
    loop.__doc__, loop.__qualname__ = run_cycles.__doc__, f"run_worms_{folder.name}"
    return compiled_loop(loop)


@compiled
def _find_times(worms, state, family):
    """Find all times whose terms are known."""
    while worms.counters[AGENDA] > 0 or worms.counters[STREAMS] > 0:
        if worms.counters[AGENDA] == 0:
            _run_stream(worms, state, family)
        worms.counters[AGENDA] -= 1
        number = worms.agenda[worms.counters[AGENDA]]
        worms.channels[number].listed = 0
        copy_flits(number, worms, state, family)


@compiled
def _run_stream(worms, state, family):
    """Find times flit by flit after all heads have got through, until the worm streams, and skip the rest."""
    worms.counters[STREAMS] -= 1
    known = find_tree(worms.streams[worms.counters[STREAMS]], worms, state, family)
    worms.counters[MAX_COPIES] = ROUND_FLITS
    last, before = 0, NONE
    while last > before and flits_in_injector(worms.tree[0], worms) >= MIN_FLITS:
        for position in range(known - 1, -1, -1):
            number = worms.tree[position]
            if state.channels[number].role != INTO_PROCESSOR:
                copy_flits(number, worms, state, family)
        last, before = last_known(known, worms, state), last
        if streams(known, last, worms, state):
            leave_out(known, worms, state)
            break
    worms.counters[MAX_COPIES] = ALL_COPIES
    for position in range(known):
        if state.channels[worms.tree[position]].role != INTO_PROCESSOR:
            put_on_agenda(worms.tree[position], worms)


@compiled
def _go_on(cycle, worms, state, family):
    """Schedule hosts, and allow times at and beyond the horizon of the last run."""
    schedule_hosts(cycle, state)
    for number in range(len(worms.channels)):
        channel = worms.channels[number]
        if channel.loaded > channel.moved and move(number, worms, state, family) and channel.feeder != NONE:
            put_on_agenda(channel.feeder, worms)
        if channel.copying:
            put_on_agenda(number, worms)


@compiled
def _run_cycle(cycle, worms, state, family):
    """Run one cycle: arrivals at hosts, injections, and the routers that have decisions to make."""
    reached, woken, ended = _take_entries(cycle, worms, state)
    for position in range(reached):
        tail_moves(worms.reached[position], cycle, worms, state)
    inject_worms(cycle, worms, state, family)
    for position in range(woken):
        switch = worms.woken[position]
        worms.complete[switch] = scan_header(cycle, switch, worms, state, family)
    for position in range(ended):
        entry = worms.ended[position]
        channels = len(worms.channels)
        end_worm(cycle, entry // channels, entry % channels, worms, state, family)
    for position in range(woken):
        end_cycle(cycle, worms.woken[position], worms, state, family)


@compiled
def _take_entries(cycle, worms, state):
    """Take a cycle's entries out of the calendar. Returns how many tails reach or leave hosts, how many switches are
    woken, and how many worms end."""
    channels, calendar = len(worms.channels), state.calendar
    reached, woken, ended = 0, 0, 0
    entry = calendar.first[cycle & WHEEL_MASK]
    while entry != NONE:
        following = calendar.entries[entry].following
        if calendar.entries[entry].cycle == cycle and entry < state.first_host_entry:
            cancel(entry, calendar)
            kind, number = entry // channels, entry % channels
            if kind == HOST_SIDE:
                worms.reached[reached] = number
                reached += 1
            else:
                switch = (entry - CHANNEL_KINDS * channels) % state.switches
                if kind == READY:
                    switch = state.channels[number].sink
                elif kind in (POP, SENT):
                    switch = state.channels[number].sink if kind == POP else state.channels[number].source
                    worms.ended[ended] = entry
                    ended += 1
                if worms.woken_cycle[switch] != cycle:
                    worms.woken_cycle[switch] = cycle
                    worms.woken[woken] = switch
                    woken += 1
        entry = following
    return reached, woken, ended


@compiled
def _last_change(worms):
    """Return the last cycle with a change, if none is to follow."""
    last = worms.counters[LAST_CHANGE]
    for number in range(len(worms.channels)):
        channel = worms.channels[number]
        last = max(last, channel.load_cycle, channel.move_cycle, channel.pop_cycle)
    return last
