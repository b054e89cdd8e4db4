"""Which switches have something to do in a cycle: a bit for each, so that the others are not even looked at."""

from sim_model.common.engine.compiled import compiled

WORD_SHIFT = 5
WORD_MASK = 31
"""Switches per word of the map, less one."""


@compiled
def wake(switch, cycle, alarms):
    """A switch has something to do in a cycle, which is this one or the next."""
    alarms[cycle & 1, switch >> WORD_SHIFT] |= 1 << (switch & WORD_MASK)
