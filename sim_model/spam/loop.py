"""The compiled cycle loop of a SPAM network: the common engine around the SPAM router."""

from pathlib import Path

from sim_model.common.engine.clock import LIMIT
from sim_model.common.engine.compiled import compiled_loop
from sim_model.common.engine.cycle import after_routers, before_routers
from sim_model.common.engine.state import CYCLE
from sim_model.spam.router import step_routers


@compiled_loop(Path(__file__).parent)
def run_cycles(state, spam, trace, until_cycle):
    """Run to ``until_cycle``, the end, or a deadlock, and record if the trace has rows. Returns why it stopped."""
    first_cycle = state.counters[CYCLE]
    cycle = first_cycle
    reason = LIMIT
    while cycle < until_cycle and reason == LIMIT:
        changes = before_routers(cycle, state, trace, cycle - first_cycle)
        changes += step_routers(state, spam)
        reason, cycle = after_routers(cycle, changes, until_cycle, state)
    state.counters[CYCLE] = cycle
    return reason
