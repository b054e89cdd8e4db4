"""Timeout of a subordinate, as in ``rtl/axi4/timeout.py``: the memories of the model must not rest for so long."""

from sim_model.axi4.state import STOPPED
from sim_model.engines.cycle.records import NONE
from sim_model.loops.compiled import compiled


@compiled
def step_timeout(number, flit, aw_ready, w_ready, ar_ready, b_ready, r_ready, ends):
    """Count cycles in which a subordinate rests, before its other steps; note it if the timeout ends.

    Parameters:
        number: Subordinate.
        flit: Word of a request that its interface has, or NONE.
        aw_ready, w_ready, ar_ready: Of the subordinate.
        b_ready, r_ready: Of its interface.
        ends
    """
    own = ends.subordinates[number]
    offers_beat = own.in_body != 0 and flit != NONE
    moves = (own.aw_valid != 0 and aw_ready) or (offers_beat and w_ready)
    has_write = own.aw_valid != 0 or offers_beat or own.w_taken > own.writes_answered
    rests = has_write and not moves and own.b_valid == 0
    own.idle_writes = min(own.idle_writes + 1, ends.timeout_cycles) if rests else 0
    has_read = own.ar_valid != 0 or own.ar_taken > own.reads_answered
    rests = has_read and not (own.ar_valid != 0 and ar_ready) and own.r_valid == 0
    own.idle_reads = min(own.idle_reads + 1, ends.timeout_cycles) if rests else 0
    waits = (own.b_valid != 0 and not b_ready) or (own.r_valid != 0 and not r_ready)
    if max(own.idle_writes, own.idle_reads) == ends.timeout_cycles and not waits:
        ends.counters[STOPPED] = number + 1
