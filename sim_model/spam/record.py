"""What a recording says about the routers besides flits: bad input (docs/lockstep.md)."""

from sim_model.common.engine.compiled import compiled
from sim_model.common.engine.discards import record_discards


@compiled
def record_routers(cycle, _state, spam, trace, row):
    """Write the status outputs into a recording."""
    record_discards(cycle, spam.discards, trace.signals[row], 0)
