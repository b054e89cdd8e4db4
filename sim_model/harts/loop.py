"""The compiled cycle loop of a hexagonal mesh: the common engine around its node."""

from pathlib import Path

from sim_model.common.engine.clock import LIMIT
from sim_model.common.engine.compiled import compiled_loop
from sim_model.common.engine.cycle import after_routers, before_routers
from sim_model.common.engine.state import CYCLE
from sim_model.harts.node import step_nodes


@compiled_loop(Path(__file__).parent)
def run_cycles(state, family, trace, until_cycle):
    """Run to ``until_cycle``, the end, or a deadlock, and record if the trace has rows. Returns why it stopped."""
    first_cycle = state.counters[CYCLE]
    cycle = first_cycle
    reason = LIMIT
    while cycle < until_cycle and reason == LIMIT:
        changes = before_routers(cycle, state, trace, cycle - first_cycle)
        changes = step_nodes(cycle, changes, state, family)
        reason, cycle = after_routers(cycle, changes, until_cycle, state)
    state.counters[CYCLE] = cycle
    return reason
