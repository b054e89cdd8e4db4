"""Recorded signals of SPAM routers besides flits: bad input (docs/understand/lockstep.md)."""

from sim_model.engines.cycle.discards import record_discards
from sim_model.loops.compiled import compiled


@compiled
def record_routers(cycle, _state, spam, trace, row):
    """Write the status outputs into a recording."""
    record_discards(cycle, spam.discards, trace.signals[row], 0)
