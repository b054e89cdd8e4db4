"""The switches of a hypercube, one cycle of all of them (docs/timing.md, "Router with adaptive routing").

Everything reads the state at the start of the cycle. That decides the order here: who waits and what is free is noted
first; then grants and new requests; then the examination, the pick and the election, which only write registers.
"""

from sim_model.common.engine.bits import TAIL, first_at_or_after, lowest_bit, message_of
from sim_model.common.engine.compiled import compiled
from sim_model.common.engine.discards import discard
from sim_model.common.engine.links import pop
from sim_model.common.engine.route_unit import end_cycle
from sim_model.common.engine.state import FLITS_IN_NETWORK, NONE
from sim_model.common.vc.delivery import deliver
from sim_model.hypercube.allocator import elect, examine, first_lane, is_hopeful, lanes_of, pick, step_random_order
from topology.common.lanes import ROOM_FLITS


@compiled
def step_routers(cycle, moves, state, family):
    """One cycle of all switches. Returns 0 only if nothing moved and nothing can change without a host."""
    changes = moves
    for switch in range(state.switches):
        vertex, router = state.vertices[switch], family.routers[switch]
        credited, released = family.wires[switch, cycle & 1], family.releases[switch, cycle & 1]
        if vertex.arrived | credited | released | router.busy | router.delivering & ~vertex.occupied == 0:
            continue
        family.wires[switch, cycle & 1] = 0
        family.releases[switch, cycle & 1] = 0
        if router.next_cycle != cycle:
            _catch_up(cycle, switch, vertex, router, family)
        changes += _step_router(cycle, switch, credited, released, state, family)
        router.next_cycle = cycle + 1
        end_cycle(vertex)
    return changes


@compiled
def _catch_up(cycle, switch, vertex, router, family):
    """Nothing happened for some cycles: who was elected in the last two of them."""
    asking = vertex.nonempty & ~router.active
    router.leader = elect(asking, cycle - 2, family)
    pick(switch, router, family)
    router.leader = elect(asking, cycle - 1, family)


@compiled
def _step_router(cycle, switch, credited, released, state, family):
    """One cycle of a switch. Returns 0 only if no register changed but those of the election."""
    vertex, router = state.vertices[switch], family.routers[switch]
    present, active = vertex.nonempty, router.active
    ready = present & ~family.host_lanes | router.read
    waiting = ready & ~active & ~router.nowhere
    drained = ready & ~active & router.nowhere
    asking = (present | vertex.arrived & ~family.host_lanes) & ~active
    room = router.room
    changes = vertex.arrived | credited | released | router.requesting | router.closing | drained | router.chose
    changes |= asking & ~waiting
    changes |= is_hopeful(switch, waiting, router, family)
    changes |= _step_delivery(cycle, switch, state, family)
    granted, closing, freed = _grant_requests(cycle, switch, state, family)
    draining = active & present & router.nowhere
    changes |= draining
    closing |= _drain(cycle, switch, draining, state, family)
    changes |= _choose_requests(switch, active, present, granted, credited, room, state, family)
    _count_credits(switch, active, granted, credited, family)
    began, taken = examine(switch, waiting, router, family)
    chose = pick(switch, router, family)
    if router.chose:  # in the cycle before: this pick goes by the same order
        step_random_order(switch, router, family)
    router.chose = chose
    router.leader = elect(asking, cycle, family)
    _read_heads(cycle, switch, present, active, began, drained, state, family)
    router.active &= ~router.closing
    router.closing = closing
    router.active |= began | drained
    router.free = (router.free | released | freed) & ~taken
    _begin(switch, began | drained, drained, state, family)
    router.busy = 1 if changes | asking | router.requesting | router.chose | router.closing else 0
    return 1 if changes else 0


@compiled
def _step_delivery(cycle, switch, state, family):
    """The delivery buffer, before anything is granted. Returns 0 if it does not change."""
    vertex, router = state.vertices[switch], family.routers[switch]
    delivery = first_lane(family.dimensions, family)
    count = family.buffers[family.output_lanes[vertex.first_output + delivery].buffer].count
    room = 1 if count <= family.delivery_flits - ROOM_FLITS else 0
    changes = room ^ router.room
    router.room = room
    ready = router.delivering & ~vertex.occupied
    if ready != 0:
        deliver(cycle, switch, ready, state, family)
    return changes | ready


@compiled
def _grant_requests(cycle, switch, state, family):
    """At each output the first request of the cycle is granted.

    Returns
    -------
    granted : int
        Input lanes whose flit left.
    closing : int
        Those from links whose tail left.
    freed : int
        The delivery lane, if a tail was granted it.
    """
    router = family.routers[switch]
    granted, closing, freed, outputs = 0, 0, 0, 0
    row = (cycle + 1) % len(family.order)
    requesting = router.requesting
    for place in range(family.order.shape[1]):
        port = family.order[row, place]
        if port >= family.inputs or requesting >> port & 1 == 0:
            continue
        asking = family.inputs_of[switch, port]
        if outputs >> asking.output & 1:
            continue
        outputs |= 1 << asking.output
        router.requesting ^= 1 << port
        granted |= 1 << asking.lane
        flit = _leave(cycle, switch, asking.lane, state, family)
        if flit & TAIL:
            if asking.output == family.dimensions:
                freed = 1 << first_lane(family.dimensions, family)
            if family.host_lanes >> asking.lane & 1:
                router.active ^= 1 << asking.lane
            else:
                closing |= 1 << asking.lane
    return granted, closing, freed


@compiled
def _leave(cycle, switch, lane, state, family):
    """The first flit of an input lane leaves it for its output lane. Returns it."""
    vertex, router = state.vertices[switch], family.routers[switch]
    flit = _take(cycle, switch, lane, state, family)
    target = family.input_lanes[switch, lane].target
    number = vertex.first_output + target
    buffer = family.output_lanes[number].buffer
    if buffer == NONE:
        state.channels[number].register = flit
        vertex.occupied |= 1 << target
        return flit
    places = family.buffers[buffer]
    family.slots[buffer, (places.front + places.count) & (family.slots.shape[1] - 1)] = flit
    places.count += 1
    router.delivering |= 1 << target
    return flit


@compiled
def _take(cycle, switch, lane, state, family):
    """Take the first flit out of an input lane. Its credit is on the wire in the next cycle."""
    number = family.input_lanes[switch, lane].channel
    channel, vertex = state.channels[number], state.vertices[switch]
    flit = pop(number, 1 << lane, vertex, state.buffer_depth_flits, state.channels, state.slots, state.vertices)
    following = (cycle + 1) & 1
    family.wires[channel.source, following] |= channel.source_bit  # nobody looks at those of processors
    if flit & TAIL:
        family.releases[channel.source, following] |= channel.source_bit
    return flit


@compiled
def _drain(cycle, switch, lanes, state, family):
    """The first flits of worms without a way are thrown away. Returns the input lanes from links whose tail left."""
    closing = 0
    while lanes != 0:
        lane = lowest_bit(lanes)
        lanes &= lanes - 1
        state.counters[FLITS_IN_NETWORK] -= 1
        if _take(cycle, switch, lane, state, family) & TAIL:
            if family.host_lanes >> lane & 1:
                family.routers[switch].active ^= 1 << lane
            else:
                closing |= 1 << lane
    return closing


@compiled
def _choose_requests(switch, active, present, granted, credited, room, state, family):
    """New requests of all inputs that have none, or whose request was granted. Returns how many."""
    router, vertex = family.routers[switch], state.vertices[switch]
    choices = 0
    candidates = active & (present | vertex.arrived) & ~router.nowhere
    while candidates != 0:
        port = family.input_lanes[switch, lowest_bit(candidates)].port
        first = first_lane(port, family)
        lanes = ((1 << lanes_of(port, family)) - 1) << first
        rest = candidates & lanes
        candidates &= ~lanes
        if router.requesting >> port & 1:
            continue
        asking = family.inputs_of[switch, port]
        while rest != 0:
            lane = first_at_or_after(rest, asking.turn)
            rest ^= 1 << lane
            if not _is_eligible(switch, lane, granted, credited, room, state, family):
                continue
            asking.turn = lane + 1  # behind the last lane nobody is found, which is as good as the first one
            asking.lane = lane
            target = family.input_lanes[switch, lane].target
            asking.output = family.output_lanes[vertex.first_output + target].port
            router.requesting |= 1 << port
            choices += 1
            break
    return choices


@compiled
def _is_eligible(switch, lane, granted, credited, room, state, family):
    """Whether an active lane with a flit can go on in the next cycle; what was granted in this one has left already."""
    record = family.input_lanes[switch, lane]
    asks = granted >> lane & 1
    number = record.channel
    channel = state.channels[number]
    if asks:
        if channel.count == 0:
            return False  # the next flit of its worm may be long in coming
        # in front stands the flit behind the one that left: the next worm's, if that was a tail
        if state.slots[number, (channel.front - 1) & state.slot_mask] & TAIL:
            return False
    if record.target == first_lane(family.dimensions, family):
        return room == 1
    return record.credits > asks or credited >> record.target & 1 == 1


@compiled
def _count_credits(switch, active, granted, credited, family):
    """Credits of worms that had an output lane at the start of the cycle."""
    while active != 0:
        lane = lowest_bit(active)
        active &= active - 1
        record = family.input_lanes[switch, lane]
        if record.target != NONE:
            record.credits += (credited >> record.target & 1) - (granted >> lane & 1)


@compiled
def _read_heads(cycle, switch, present, active, began, drained, state, family):
    """What heads that come to the front of their lanes want."""
    router, vertex = family.routers[switch], state.vertices[switch]
    hosts = present & ~active & family.host_lanes
    router.read = hosts & ~began
    starts = hosts | vertex.arrived & ~present & ~active & ~family.host_lanes
    while starts != 0:
        lane = lowest_bit(starts)
        starts &= starts - 1
        record = family.input_lanes[switch, lane]
        message = message_of(state.slots[record.channel, state.channels[record.channel].front])
        remaining = switch ^ family.key[message]
        is_host = family.host_lanes >> lane & 1
        strays = remaining == 0 if is_host else remaining >> record.port & 1 == 1
        record.wanted = (
            (0 if is_host else 1 << family.dimensions) if remaining == 0 else remaining & ~(1 << record.port)
        )
        router.nowhere &= ~(1 << lane)
        if strays:
            router.nowhere |= 1 << lane
    while drained != 0:
        lane = lowest_bit(drained)
        drained &= drained - 1
        discard(cycle - 1, family.input_lanes[switch, lane].channel, family.discards)


@compiled
def _begin(switch, lanes, drained, state, family):
    """Worms that begin: all credits are there."""
    while lanes != 0:
        lane = lowest_bit(lanes)
        lanes &= lanes - 1
        record = family.input_lanes[switch, lane]
        record.credits = state.buffer_depth_flits
        if drained >> lane & 1:
            record.target = NONE
