"""The clock: the next cycle, a jump over idle time, or the end of the run."""

from sim_model.engines.cycle.state import FLITS_IN_NETWORK, NEVER, NEXT_HOST_CYCLE, UNSENT
from sim_model.loops.compiled import compiled

# Why a run stopped.
LIMIT, FINISHED, DEADLOCKED = 0, 1, 2


@compiled
def status(changes, counters):
    """Return FINISHED when all work is done, DEADLOCKED when no state can ever change again, else LIMIT.

    Routers and links are a deterministic machine whose only inputs are the injectors and the ejectors' users. So a
    cycle in which no bit of it changed (``changes`` is 0: no flit moved, nothing scanned, counted, enqueued, granted or
    copied, no injector waits for a source that pauses, and no flit for a receiver that stalls) repeats for ever unless
    a host acts. No time-out is needed, and none can fire too early.
    """
    if counters[FLITS_IN_NETWORK] == 0 and counters[UNSENT] == 0:
        return FINISHED
    if changes == 0 and counters[NEXT_HOST_CYCLE] == NEVER:
        return DEADLOCKED
    return LIMIT


@compiled
def next_cycle(cycle, changes, until_cycle, counters):
    """Return the cycle to run after ``cycle``. After a cycle without changes, it is the next act of a host."""
    if changes == 0:
        return max(cycle + 1, min(until_cycle, counters[NEXT_HOST_CYCLE]))
    return cycle + 1
