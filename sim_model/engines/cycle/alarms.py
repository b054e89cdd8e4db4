"""Which switches have something to do in a cycle: a bit for each, so that the others are not even looked at.

There are two maps, for this cycle and the next one. They are words of 32 switches.
"""

import numpy as np

from sim_model.loops.compiled import compiled

WORD_SHIFT = 5
"""A number of a switch is a word and a bit in it."""
BIT_MASK = 31
ALL = (1 << BIT_MASK + 1) - 1
ROW_SHIFT = 3
"""Families that step eight switches at a time have them in rows: the number of a switch is a row and a place in it."""
ROW_MASK = 7
ROWS_SHIFT = WORD_SHIFT - ROW_SHIFT
"""The number of a row is a word and one of its bytes."""


def alarm_words(vertices: int) -> int:
    """Return words that hold a bit for each."""
    return (vertices >> WORD_SHIFT) + 1


def make_alarms(vertices: int) -> np.ndarray:
    """Return in cycle 0 everybody is looked at. int64[2, words]."""
    alarms = np.zeros((2, alarm_words(vertices)), dtype=np.int64)
    alarms[0] = ALL
    return alarms


@compiled
def wake(vertex, cycle, alarms):
    """A switch has something to do in a cycle, this one or the next. Processors have bits, too, but nobody looks."""
    alarms[cycle & 1, vertex >> WORD_SHIFT] |= 1 << (vertex & BIT_MASK)


@compiled
def wake_if(condition, vertex, cycle, alarms):
    """The same if a condition holds, which is seldom foreseen: a branch would cost more than it saves."""
    alarms[cycle & 1, vertex >> WORD_SHIFT] |= (1 if condition else 0) << (vertex & BIT_MASK)


@compiled
def take_alarms(word, cycle, state):
    """The switches of a word that have something to do, as bits, which are cleared."""
    woken = state.alarms[cycle & 1, word]
    state.alarms[cycle & 1, word] = 0
    beyond = state.switches - (word << WORD_SHIFT)
    return woken & ((1 << beyond) - 1) if beyond <= BIT_MASK else woken


@compiled
def row_alarms(row, cycle, alarms):
    """The switches of a row that have something to do, as bits; ``clear_alarms`` clears them."""
    byte = row & ((1 << ROWS_SHIFT) - 1)
    return alarms[cycle & 1, row >> ROWS_SHIFT] >> (byte << ROW_SHIFT) & ((1 << ROW_MASK + 1) - 1)


@compiled
def wake_row(switches, row, cycle, alarms):
    """Those of a row that are bits of a mask have something to do in a cycle."""
    byte = row & ((1 << ROWS_SHIFT) - 1)
    alarms[cycle & 1, row >> ROWS_SHIFT] |= switches << (byte << ROW_SHIFT)


@compiled
def clear_alarms(cycle, alarms):
    """All have been looked at."""
    for word in range(alarms.shape[1]):
        alarms[cycle & 1, word] = 0
