"""The compiled loop over cycles."""

from hydranoc.studies.hypercube.ideal.crossbar import move_requested
from hydranoc.studies.hypercube.ideal.events import arrive, move_worms, return_credits
from hydranoc.studies.hypercube.ideal.queues import generate, receive_messages
from hydranoc.studies.hypercube.ideal.router import deliver, give_vcs, move_flits
from hydranoc.studies.hypercube.ideal.state import CYCLE, OUTSTANDING, QUIET_CYCLES, WATCHED_LEFT
from sim_model.loops.compiled import compiled_loop

LIMIT, DONE, DEADLOCK = range(3)
"""Reasons to stop: the cycle is reached, all watched messages have arrived, or nothing can ever move again."""


@compiled_loop
def run_cycles(state, until_cycle):
    """Run to a cycle, or to an earlier end, and return why it stopped.

    A node reads only its own state, and its changes at other nodes take effect after the cycle. So nodes are stepped
    one after the other, and idle ones are skipped.
    """
    counters = state.counters
    cycle = counters[CYCLE]
    longest_delay = state.hop_cycles + state.link_cycles + state.credit_cycles + state.host_cycles
    reason = LIMIT
    while cycle < until_cycle and reason == LIMIT:
        if state.hop_cycles > 0:
            move_worms(cycle, state)
        generate(cycle, state)
        moved = 0
        for node in range(len(state.nodes)):
            if state.nodes[node].heads != 0:
                give_vcs(cycle, node, state)
            if state.single_requests:
                moved += move_requested(cycle, node, state)
                continue
            if state.nodes[node].ready != 0:
                moved += move_flits(cycle, node, state)
            if state.nodes[node].delivering != 0:
                moved += deliver(cycle, node, state)
        receive_messages(cycle, state)
        arrive(cycle, state)
        return_credits(cycle, state)
        counters[QUIET_CYCLES] = 0 if moved or counters[OUTSTANDING] == 0 else counters[QUIET_CYCLES] + 1
        if counters[WATCHED_LEFT] == 0:
            reason = DONE
        elif counters[QUIET_CYCLES] > longest_delay + 1:
            reason = DEADLOCK
        cycle += 1
    counters[CYCLE] = cycle
    return reason
