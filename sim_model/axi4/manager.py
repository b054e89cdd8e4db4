"""Interface of a manager, as in ``rtl/axi4/manager.py``, with its manager: one step, from the registers."""

from sim_model.axi4.answers import read_offer, step_receiver, step_writes
from sim_model.axi4.hosts import end_beat, end_transaction, offer_requests, takes
from sim_model.axi4.requests import count_stalls, step_port, step_sender, step_store
from sim_model.axi4.state import AR, AW, LEFT, MANAGER, READS, WRITES, B, R, W
from sim_model.engines.cycle.records import NONE
from sim_model.loops.compiled import compiled


@compiled
def step_manager(number, cycle, row, trace, ends, requests, responses):
    """Step an interface and its manager by one cycle. Returns the number of handshakes."""
    manager = ends.managers[number]
    offer_requests(number, cycle, ends)
    b_ready, r_ready = takes(cycle, number, B, ends), takes(cycle, number, R, ends)
    if row < len(trace.manager_ready):
        _record(number, row, trace, ends, responses)
        trace.manager_ready[row, number, B] = 1 if b_ready else 0
        trace.manager_ready[row, number, R] = 1 if r_ready else 0
    handshakes = 0
    if manager.b_valid:
        if b_ready:
            handshakes += 1
            _end(manager, manager.b_transaction, cycle, ends)
        else:
            ends.stalls[MANAGER] += 1
    handshakes += step_receiver(number, r_ready, ends, responses)
    if manager.ended != NONE:
        _end(manager, manager.ended, cycle, ends)
    step_sender(number, ends, requests)
    count_stalls(number, ends)
    freed = step_writes(number, b_ready, ends)
    handshakes += step_port(number, WRITES, manager.aw_pop != 0, manager.aw_start != 0, freed, ends)
    freed = 0
    if manager.ended != NONE and not manager.read_failed:
        freed = 1 << ends.transactions[manager.ended].slot
    read_popped = manager.ar_pop != 0 or manager.read_failed != 0
    handshakes += step_port(number, READS, read_popped, manager.ar_start != 0, freed, ends)
    if step_store(manager, ends):
        handshakes += 1
        end_beat(manager, ends)
    return handshakes


@compiled
def _end(manager, transaction, cycle, ends):
    end_transaction(manager, transaction, cycle, ends)
    ends.counters[LEFT] -= 1


@compiled
def _record(number, row, trace, ends, responses):
    """Record what interface and manager show at the start of a cycle, except for the manager's ``ready``."""
    manager = ends.managers[number]
    aw, ar = ends.ports[2 * number + WRITES], ends.ports[2 * number + READS]
    offers, readies = trace.manager_offers, trace.manager_ready
    if aw.offer != NONE:
        offers[row, number, AW] = aw.offer << 8
    if ar.offer != NONE:
        offers[row, number, AR] = ar.offer << 8
    if manager.w_offer != NONE:
        offers[row, number, W] = manager.w_offer << 8 | manager.w_beat
    if manager.b_valid:
        offers[row, number, B] = manager.b_transaction << 8
        trace.manager_answers[row, number] = ends.transactions[manager.b_transaction].response
    offers[row, number, R] = read_offer(number, ends, responses)
    readies[row, number, AW] = aw.ready
    readies[row, number, AR] = ar.ready
    readies[row, number, W] = manager.w_ready
