"""Alarms: one bit per switch that has work in a cycle, so that idle switches are skipped.

There are two maps, for this cycle and the next one. They are words of 32 switches.
"""

import numpy as np

from sim_model.loops.compiled import compiled

WORD_SHIFT = 5
"""A switch number splits into a word and a bit in it."""
BIT_MASK = 31
ALL = (1 << BIT_MASK + 1) - 1
ROW_SHIFT = 3
"""Families that step eight switches at a time group them in rows: a switch number is a row and a place in it."""
ROW_MASK = 7
ROWS_SHIFT = WORD_SHIFT - ROW_SHIFT
"""A row number splits into a word and one of its bytes."""


def alarm_words(vertices: int) -> int:
    """Return the number of words that hold one bit per vertex."""
    return (vertices >> WORD_SHIFT) + 1


def make_alarms(vertices: int) -> np.ndarray:
    """Return alarms that wake every switch in cycle 0. int64[2, words]."""
    alarms = np.zeros((2, alarm_words(vertices)), dtype=np.int64)
    alarms[0] = ALL
    return alarms


@compiled
def wake(vertex, cycle, alarms):
    """Set the alarm of a switch for a cycle, this one or the next. Processors have bits, too, which are never read."""
    alarms[cycle & 1, vertex >> WORD_SHIFT] |= 1 << (vertex & BIT_MASK)


@compiled
def wake_if(condition, vertex, cycle, alarms):
    """Set the alarm if an unpredictable condition holds, without a branch: a misprediction would cost more."""
    alarms[cycle & 1, vertex >> WORD_SHIFT] |= (1 if condition else 0) << (vertex & BIT_MASK)


@compiled
def take_alarms(word, cycle, state):
    """Return and clear the alarms of a word of switches, as bits."""
    woken = state.alarms[cycle & 1, word]
    state.alarms[cycle & 1, word] = 0
    beyond = state.switches - (word << WORD_SHIFT)
    return woken & ((1 << beyond) - 1) if beyond <= BIT_MASK else woken


@compiled
def row_alarms(row, cycle, alarms):
    """Return the alarms of a row of switches, as bits; ``clear_alarms`` clears them."""
    byte = row & ((1 << ROWS_SHIFT) - 1)
    return alarms[cycle & 1, row >> ROWS_SHIFT] >> (byte << ROW_SHIFT) & ((1 << ROW_MASK + 1) - 1)


@compiled
def wake_row(switches, row, cycle, alarms):
    """Set the alarms of those switches of a row that are bits of a mask."""
    byte = row & ((1 << ROWS_SHIFT) - 1)
    alarms[cycle & 1, row >> ROWS_SHIFT] |= switches << (byte << ROW_SHIFT)


@compiled
def clear_alarms(cycle, alarms):
    """Clear all alarms of a cycle."""
    for word in range(alarms.shape[1]):
        alarms[cycle & 1, word] = 0
