"""The switches of a hypercube, one cycle of all of them (docs/timing.md, "Router with adaptive routing").

Everything reads the state at the start of the cycle. That decides the order here: who waits and what is free is noted
first; then grants and new requests; then the examination, the pick and the election, which only write registers.
"""

from sim_model.common.engine.alarms import BIT_MASK, WORD_SHIFT, take_alarms, wake_if
from sim_model.common.engine.bits import lowest_bit, message_of
from sim_model.common.engine.compiled import compiled
from sim_model.common.engine.discards import discard
from sim_model.common.engine.route_unit import end_cycle
from sim_model.common.engine.state import NONE
from sim_model.hypercube.allocator import elect, examine, is_hopeful, pick, step_random_order
from sim_model.hypercube.choices import choose_requests
from sim_model.hypercube.credits import count_credits
from sim_model.hypercube.delivery import deliver
from sim_model.hypercube.grants import drain, grant_requests
from sim_model.hypercube.orders import order_of


@compiled
def step_routers(cycle, moves, state, family):
    """One cycle of all switches. Returns 0 only if nothing moved and nothing can change without a host."""
    changes = moves
    order = order_of(cycle, family)
    for word in range((state.switches + BIT_MASK) >> WORD_SHIFT):
        rest = take_alarms(word, cycle, state)
        while rest != 0:
            switch = word << WORD_SHIFT | lowest_bit(rest)
            rest &= rest - 1
            router = family.routers[switch]
            if router.next_cycle != cycle:
                _catch_up(cycle, switch, state.vertices[switch], router, family)
            changes += _step_router(cycle, switch, order, state, family)
            router.next_cycle = cycle + 1
    return changes


@compiled
def _catch_up(cycle, switch, vertex, router, family):
    """Nothing happened for some cycles: who was elected in the last two of them."""
    asking = vertex.nonempty & ~router.active
    router.leader = elect(asking, order_of(cycle - 2, family), switch, family)
    pick(switch, _free_lanes(router, family), router, family)
    router.leader = elect(asking, order_of(cycle - 1, family), switch, family)


@compiled
def _step_router(cycle, switch, order, state, family):
    """One cycle of a switch. Returns 0 only if no register changed but those of the election."""
    vertex, router = state.vertices[switch], family.routers[switch]
    credited, released = family.wires[switch, cycle & 1], family.releases[switch, cycle & 1]
    family.wires[switch, cycle & 1] = 0
    family.releases[switch, cycle & 1] = 0
    present, active, room = vertex.nonempty, router.active, router.room
    ready = (present & ~family.host_lanes | router.read) & ~active
    waiting, drained = ready & ~router.nowhere, ready & router.nowhere
    asking = (present | vertex.arrived & ~family.host_lanes) & ~active
    draining = active & present & router.nowhere
    free = _free_lanes(router, family)
    changes = vertex.arrived | credited | released | router.requesting | router.closing | router.chose
    changes |= drained | draining | asking & ~waiting
    changes |= _step_delivery(cycle, switch, state, family)
    sent, finished, ended = grant_requests(cycle, switch, order, state, family)
    ended |= drain(cycle, switch, draining, state, family)
    delivery = family.delivery_lanes
    count_credits(router, credited & ~delivery, sent & ~delivery, state.buffer_depth_flits)
    can_send = router.credited if room else router.credited & ~delivery
    following = active & (vertex.nonempty | vertex.arrived) & ~ended & ~router.nowhere
    choose_requests(switch, following, can_send, state, family)
    changes |= router.requesting
    if changes == 0:
        changes = is_hopeful(switch, waiting, free, family)
    began, taken = examine(switch, waiting, free, router, family)
    chose = pick(switch, free, router, family)
    if router.chose:  # in the cycle before: this pick goes by the same order
        step_random_order(switch, router, family)
    router.chose = chose
    router.leader = elect(asking, order, switch, family)
    _read_heads(switch, present, active, began, ended, state, family)
    _start_draining(cycle, switch, drained, family)
    router.active = active & ~router.closing & ~(ended & family.queue_lanes) | began | drained
    router.closing = ended & ~family.queue_lanes
    router.free = (router.free | released | finished & family.tail_lanes) & ~taken
    goes_on = changes | asking | router.requesting | router.chose | router.closing
    wake_if(goes_on, switch, cycle + 1, state.alarms)
    end_cycle(vertex)
    return 1 if changes else 0


@compiled
def _free_lanes(router, family):
    """Output lanes that a head can have: of those that were given away empty, all credits are there."""
    return router.free & router.credited if family.shared_lanes else router.free


@compiled
def _step_delivery(cycle, switch, state, family):
    """The delivery buffer, before anything is granted. Returns 0 if it does not change."""
    vertex, router = state.vertices[switch], family.routers[switch]
    room = 1
    if router.delivering != 0:
        buffer = family.output_lanes[vertex.first_output + lowest_bit(router.delivering)].buffer
        room = 1 if family.buffers[buffer].count <= family.most_flits_with_room else 0
    changes = room ^ router.room
    router.room = room
    ready = router.delivering & ~vertex.occupied
    if ready != 0:
        deliver(cycle, switch, ready, state, family)
    return changes | ready


@compiled
def _read_heads(switch, present, active, began, ended, state, family):
    """What heads that come to the front of their lanes want."""
    router, vertex = family.routers[switch], state.vertices[switch]
    from_host = present & ~active & family.host_lanes
    router.read = from_host & ~began
    behind_tails = (vertex.nonempty | vertex.arrived) & ended
    starts = from_host | (vertex.arrived & ~present & ~active | behind_tails) & ~family.host_lanes
    router.nowhere &= ~starts
    while starts != 0:
        lane = lowest_bit(starts)
        starts &= starts - 1
        record = family.input_lanes[switch, lane]
        message = message_of(state.slots[record.channel, state.channels[record.channel].front])
        remaining = switch ^ family.key[message]
        wanted = remaining & ~(1 << record.port)
        record.candidates = family.candidates[wanted]
        record.escapes = family.escapes[router.parity, wanted]
        strays = remaining == 0 if family.host_lanes >> lane & 1 else remaining != wanted
        if strays:  # and yet it can be the leader
            record.candidates &= ~family.delivery_lanes
            router.nowhere |= 1 << lane


@compiled
def _start_draining(cycle, switch, lanes, family):
    """Worms without a way have no output lane."""
    while lanes != 0:
        record = family.input_lanes[switch, lowest_bit(lanes)]
        lanes &= lanes - 1
        record.target = NONE
        discard(cycle - 1, record.channel, family.discards)
