"""The halves of a cycle before and after the routers have had their turn: the same in every family."""

from sim_model.common.engine.clock import LIMIT, next_cycle, status
from sim_model.common.engine.compiled import compiled
from sim_model.common.engine.hosts import step_hosts
from sim_model.common.engine.links import move_flits
from sim_model.common.engine.state import NEXT_HOST_CYCLE
from sim_model.common.engine.tallies import count_channels


@compiled
def before_routers(cycle, state, trace, row):
    """Links and hosts. Returns the number of changes."""
    if len(state.tallies) > 0:
        count_channels(state, 1)
    changes = move_flits(cycle, state, trace, row)
    if cycle >= state.counters[NEXT_HOST_CYCLE]:
        changes += step_hosts(cycle, state, trace, row)
    return changes


@compiled
def after_routers(cycle, changes, until_cycle, state):
    """The clock. Returns why the run has to stop, or ``LIMIT``, and the cycle to run next."""
    counters = state.counters
    reason = status(changes, counters)
    following = next_cycle(cycle, changes, until_cycle, counters) if reason == LIMIT else cycle + 1
    if len(state.tallies) > 0:
        count_channels(state, following - cycle - 1)
    return reason, following
