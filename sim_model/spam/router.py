"""The SPAM router, one cycle of all switches (Sec. 3.2; docs/timing.md).

Everything reads the state at the start of the cycle. That decides the order here: the route unit first (it must not see
this cycle's grants and releases), then grants, then copies, and last the new entry in the queues.
"""

from sim_model.common.engine.bits import TAIL, lowest_bit
from sim_model.common.engine.compiled import compiled
from sim_model.common.engine.links import pop
from sim_model.common.engine.movers import load_register
from sim_model.common.engine.route_unit import end_cycle, forget_header, scan_header
from sim_model.common.engine.state import FLITS_IN_NETWORK, NONE
from sim_model.spam.split_enqueue import enqueue_one, oldest_everywhere


@compiled
def step_routers(cycle, moves, state, spam):
    """One cycle of all routers. Returns 0 only if nothing moved and no register of any router changed."""
    vertices, input_channel = state.vertices, state.input_channel
    inputs, routers = spam.inputs, spam.routers
    changes = moves
    more_flits = 0
    for switch in range(state.switches):
        vertex, router = vertices[switch], routers[switch]
        waiting = (vertex.nonempty | vertex.arrived) & ~(router.queued | router.active)
        if waiting == 0 and not (vertex.awake or router.recheck or vertex.arrived) and spam.atomic:
            continue  # all worms here are blocked as before
        complete = NONE
        if waiting != 0:
            scans, complete = scan_header(cycle, switch, waiting, state, spam)
            changes += scans
        if router.recheck:
            changes += grant(switch, input_channel, spam)
        ready = router.active & vertex.nonempty
        while ready != 0:
            port = lowest_bit(ready)
            ready &= ready - 1
            number = input_channel[switch, port]
            if vertex.occupied & inputs[number].request:
                continue
            copies = _copy(port, number, vertex, router, inputs[number], state)
            more_flits += copies - 1
            changes += 1  # a worm without a way has no copies, but goes
        if not spam.atomic:
            changes += enqueue_one(switch, state, spam)
        if complete != NONE:
            enqueue(switch, complete, input_channel, spam)
        end_cycle(vertex)
    state.counters[FLITS_IN_NETWORK] += more_flits
    return changes


@compiled
def _copy(port, number, vertex, router, header, state):
    """Copy the first flit of an input into all its output registers, release after the tail. Returns the copies."""
    flit = pop(number, 1 << port, vertex, state)
    vertex.occupied |= header.request
    if header.request == 0:
        router.recheck = 1  # no register will wake this router for the next flit
    copies = 0
    outputs = header.request
    while outputs != 0:
        load_register(vertex.first_output + lowest_bit(outputs), flit, state)
        outputs &= outputs - 1
        copies += 1
    if flit & TAIL:
        router.active ^= 1 << port
        router.owned ^= header.request
        router.recheck = 1
        forget_header(header)
    return copies


@compiled
def enqueue(switch, port, input_channel, spam):
    """Enter all requests of an input at once: it is younger than all that wait."""
    number, router = input_channel[switch, port], spam.routers[switch]
    if spam.atomic:
        spam.older[number, 0] = router.queued
        router.recheck = 1
    else:
        spam.inputs[number].pending = spam.inputs[number].request
    router.queued |= 1 << port


@compiled
def grant(switch, input_channel, spam):
    """Give their outputs to all queued inputs that may have them. Returns the number of grants."""
    router = spam.routers[switch]
    router.recheck = 0
    waiting = router.queued
    grants = 0
    rest = waiting
    while rest != 0:
        port = lowest_bit(rest)
        rest &= rest - 1
        number = input_channel[switch, port]
        if spam.inputs[number].request & router.owned:
            continue
        if _is_first(switch, number, waiting, input_channel, spam):
            grants += 1
            router.queued ^= 1 << port
            router.active |= 1 << port
            router.owned |= spam.inputs[number].request
            _leave_queues(switch, 1 << port, input_channel, spam)
    return grants


@compiled
def _is_first(switch, number, waiting, input_channel, spam):
    """Whether an input is first in all the queues in which it stands."""
    if not spam.atomic:
        return oldest_everywhere(number, waiting, spam)
    request = spam.inputs[number].request
    rest = spam.older[number, 0] & waiting
    while rest != 0:
        if spam.inputs[input_channel[switch, lowest_bit(rest)]].request & request:
            return False
        rest &= rest - 1
    return True


@compiled
def _leave_queues(switch, bit, input_channel, spam):
    """A granted input stands before nobody any longer."""
    rest = spam.routers[switch].queued
    while rest != 0:
        number = input_channel[switch, lowest_bit(rest)]
        rest &= rest - 1
        for queue in range(spam.older.shape[1]):
            spam.older[number, queue] &= ~bit
