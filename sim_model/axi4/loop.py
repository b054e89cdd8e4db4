"""Loop of AXI4 ends: one cycle of all interfaces and hosts, between two networks that run that cycle next."""

from sim_model.axi4.manager import step_manager
from sim_model.axi4.state import CYCLE, HOPS, LEFT, QUIET, STOPPED
from sim_model.axi4.streams import load_source, update_sink
from sim_model.axi4.subordinate import step_subordinate
from sim_model.engines.cycle.clock import DEADLOCKED, FINISHED, LIMIT
from sim_model.engines.cycle.state import FLIT_HOPS
from sim_model.loops.compiled import compiled, compiled_loop


@compiled_loop
def step_ends(ends, requests, responses, trace, row):
    """Complete the cycle that the networks have run, and step all ends by the next one, unless the run has ended.

    Parameters:
        row: Of the recording, if it has any.

    Returns:
        int: ``LIMIT``, or ``FINISHED`` or ``DEADLOCKED``, when nothing has been done. A run whose subordinate has
        stopped is finished.
    """
    counters = ends.counters
    cycle = counters[CYCLE]
    _complete_cycle(cycle - 1, ends, requests, responses)
    hops = requests.counters[FLIT_HOPS] + responses.counters[FLIT_HOPS]
    if hops != counters[HOPS]:
        counters[QUIET] = 0
    counters[HOPS] = hops
    if len(trace.manager_ready) == 0:
        if counters[LEFT] == 0 or counters[STOPPED] > 0:
            return FINISHED
        if counters[QUIET] > ends.patience_cycles:
            return DEADLOCKED
    handshakes = 0
    for number in range(len(ends.managers)):
        handshakes += step_manager(number, cycle, row, trace, ends, requests, responses)
    for number in range(len(ends.subordinates)):
        handshakes += step_subordinate(number, cycle, row, trace, ends, requests, responses)
    counters[QUIET] = 0 if handshakes > 0 else counters[QUIET] + 1
    counters[CYCLE] = cycle + 1
    return LIMIT


@compiled
def _complete_cycle(cycle, ends, requests, responses):
    """Load output registers and update ejectors, as the networks' last cycle leaves them."""
    for number in range(len(ends.managers)):
        load_source(ends.request_sources[number], cycle, requests)
        update_sink(ends.response_sinks[number], ends.response_buffers[number], responses)
    for number in range(len(ends.subordinates)):
        load_source(ends.response_sources[number], cycle, responses)
        update_sink(ends.request_sinks[number], ends.request_buffers[number], requests)
