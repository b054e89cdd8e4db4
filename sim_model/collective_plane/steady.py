"""Search for steady stretches of a run, in which words stream and nothing else changes from period to period.

The control of the plane (``control.py``) in a cycle is then that of a period before. ``stretches.py`` skips the rest.
"""

from sim_model.collective_plane.folding import wide
from sim_model.collective_plane.state import (
    FLUSH_WIRES,
    FLUSHED,
    LEFT,
    RESETTING,
    STEADY_CYCLE,
    STEADY_HOPS,
    STEADY_LEFT,
    STEADY_MODE,
    STEADY_PERIOD,
    STEADY_THEN,
    WORD_HOPS,
)
from sim_model.engines.cycle.records import NEVER
from sim_model.loops.compiled import compiled, compiled_apart

WATCH, COMPARE, STRETCH, SKIP = range(4)
"""Values of ``STEADY_MODE``: look whether words move; compare with the remembered cycle; a stretch has been found; its
last periods are run."""
WATCH_CYCLES = 64
"""Cycles between searches for a steady stretch."""
MAX_PERIODS = 4
"""Maximum of a period, in those that the positions of all rings have in common."""


@compiled_apart
def seek_steady_stretch(cycle, state):
    """Search for a steady stretch, one step in each of the cycles that ``STEADY_CYCLE`` names.

    Returns:
        bool: One has been found, or one that is skipped is at its end.
    """
    counters = state.counters
    if counters[STEADY_MODE] == SKIP:
        return True
    is_kept = counters[STEADY_LEFT] == counters[LEFT]
    period = cycle - counters[STEADY_THEN]
    if counters[STEADY_MODE] == COMPARE and is_kept and period == counters[STEADY_PERIOD]:
        if _repeats(state):
            if _is_worth_a_skip(state):
                counters[STEADY_MODE] = STRETCH
                return True
        elif period < MAX_PERIODS * state.period:
            counters[STEADY_PERIOD] = 2 * period
            counters[STEADY_CYCLE] = cycle + period
            return False
    can_begin = counters[STEADY_MODE] == WATCH and is_kept and counters[STEADY_HOPS] != counters[WORD_HOPS]
    counters[STEADY_LEFT] = counters[LEFT]
    counters[STEADY_HOPS] = counters[WORD_HOPS]
    counters[STEADY_MODE] = WATCH
    counters[STEADY_CYCLE] = cycle + WATCH_CYCLES
    if can_begin and counters[FLUSH_WIRES] | counters[FLUSHED] | counters[RESETTING] == 0:
        for position in range(len(state.control)):
            state.control_then[position] = state.control[position]
        for number in range(len(state.members)):
            state.sent_then[number] = state.members[number].sent
        counters[STEADY_MODE] = COMPARE
        counters[STEADY_THEN] = cycle
        counters[STEADY_PERIOD] = state.period
        counters[STEADY_CYCLE] = cycle + state.period
    return False


@compiled
def _repeats(state):
    """Return whether the control is that of the remembered cycle."""
    for position in range(len(state.control)):
        if (state.control[position] ^ state.control_then[position]) & state.control_mask[position] != 0:
            return False
    return True


@compiled
def _is_worth_a_skip(state):
    """Return whether enough words are left in all packets that move."""
    rest = NEVER
    for number in range(len(state.members)):
        member = state.members[number]
        moved = member.sent - state.sent_then[number]
        if moved > 0 and member.next < member.end:
            rest = min(rest, (wide(state.jobs[member.next].words) - wide(member.sent)) // moved)
    hops = state.counters[WORD_HOPS] - state.counters[STEADY_HOPS]
    return rest < NEVER and rest * hops >= state.min_skipped_hops
