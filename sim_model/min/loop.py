"""The compiled cycle loop of a multistage network: the common engine around its switch."""

from pathlib import Path

from sim_model.common.engine.clock import LIMIT, next_cycle, status
from sim_model.common.engine.compiled import compiled_loop
from sim_model.common.engine.hosts import step_hosts
from sim_model.common.engine.links import move_flits
from sim_model.common.engine.state import CYCLE, NEXT_HOST_CYCLE
from sim_model.common.engine.tallies import count_channels
from sim_model.min.router import step_routers


@compiled_loop(Path(__file__).parent)
def run_cycles(state, family, trace, until_cycle):
    """Run to ``until_cycle``, the end, or a deadlock, and record if the trace has rows. Returns why it stopped."""
    counters = state.counters
    first_cycle = counters[CYCLE]
    cycle = first_cycle
    reason = LIMIT
    counting = len(state.tallies) > 0
    while cycle < until_cycle and reason == LIMIT:
        row = cycle - first_cycle
        if counting:
            count_channels(state, 1)
        changes = move_flits(cycle, state, trace, row)
        if cycle >= counters[NEXT_HOST_CYCLE]:
            changes += step_hosts(cycle, state, trace, row)
        changes += step_routers(cycle, state, family)
        reason = status(changes, counters)
        following = next_cycle(cycle, changes, until_cycle, counters) if reason == LIMIT else cycle + 1
        if counting:
            count_channels(state, following - cycle - 1)
        cycle = following
    counters[CYCLE] = cycle
    return reason
