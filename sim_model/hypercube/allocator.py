"""Which waiting heads get which output lanes (docs/timing.md, "Router with adaptive routing")."""

from sim_model.common.engine.bits import lowest_bit
from sim_model.common.engine.compiled import compiled
from sim_model.common.engine.state import NONE
from topology.common.choice_orders import ORDER_FEEDBACK


@compiled
def elect(asking, cycle, family):
    """The leader: the first lane of the cycle of the first input of the cycle in which a head asks."""
    if asking == 0:
        return NONE
    row = (cycle + 1) % len(family.order)
    for place in range(family.order.shape[1]):
        port = family.order[row, place]
        if port >= family.inputs:
            continue
        first, count = first_lane(port, family), lanes_of(port, family)
        lanes = asking >> first & ((1 << count) - 1)
        if lanes == 0:
            continue
        lane_row = (cycle + 1) % len(family.lane_order)
        for lane_place in range(family.lane_order.shape[1]):
            lane = family.lane_order[lane_row, lane_place]
            if lane < count and lanes >> lane & 1:
                return first + lane
    return NONE


@compiled
def first_lane(port, family):
    """The first lane-port of a port, on either side."""
    if port <= family.dimensions:
        return port * family.lanes
    return family.dimensions * family.lanes + port - family.dimensions


@compiled
def lanes_of(port, family):
    """How many lanes a port has."""
    return family.lanes if port < family.dimensions else 1


@compiled
def free_lanes(free, output, family):
    """Mask of the free lanes of an output that any head may have, from bit 0 on."""
    count = family.adaptive_lanes if output < family.dimensions else 1
    return free >> first_lane(output, family) & ((1 << count) - 1)


@compiled
def has_free_escape(free, dimension, family):
    """Whether the escape lane in a dimension is free."""
    return free >> (dimension + 1) * family.lanes - 1 & 1


@compiled
def escape_of(switch, wanted, family):
    """The dimension whose escape lane a head may have, or NONE."""
    dimensions = wanted & ((1 << family.dimensions) - 1)
    if dimensions == 0 or not family.has_escapes:
        return NONE
    if family.turns_escapes and is_odd(switch):
        highest = 0
        while dimensions > 1:
            dimensions >>= 1
            highest += 1
        return highest
    return lowest_bit(dimensions)


@compiled
def is_odd(switch):
    """Whether a number has an odd number of ones."""
    ones = 0
    while switch != 0:
        switch &= switch - 1
        ones ^= 1
    return ones == 1


@compiled
def pick(switch, router, family):
    """The leader picks an output: registers for the examination in the next cycle. Returns whether by a choice."""
    leader = router.leader
    router.examined = leader
    router.adaptive = 0
    router.escape = NONE
    router.line = 0
    if leader == NONE:
        return 0
    record = family.input_lanes[switch, leader]
    usable = 0
    rest = record.wanted
    while rest != 0:
        output = lowest_bit(rest)
        rest &= rest - 1
        if free_lanes(router.free, output, family) != 0:
            usable |= 1 << output
    code = 0
    if usable != 0 or not family.has_escapes:
        router.adaptive = 1
        if usable >> family.dimensions & 1:
            code = family.dimensions
        elif usable != 0:
            for place in range(family.dimensions):
                if usable >> family.random_order[switch, place] & 1:
                    code = family.random_order[switch, place]
                    break
    else:
        router.escape = escape_of(switch, record.wanted, family)
        code = max(router.escape, 0)
    router.line = code ^ family.codes[record.port]
    return 1 if usable & ((1 << family.dimensions) - 1) != 0 else 0


@compiled
def step_random_order(switch, router, family):
    """The random order after a choice (``topology.common.choice_orders.next_random_order``)."""
    order, size = family.random_order, family.dimensions
    swap = router.state & 1 and size > 1
    for place in range(size):
        number = (order[switch, place] + 1) % size
        order[switch, place] = 1 - number if swap and number < 2 else number
    router.state = router.state >> 1 ^ (ORDER_FEEDBACK if router.state & 1 else 0)


@compiled
def examine(switch, waiting, router, family):
    """All inputs look along the diagonal; heads get lanes. Returns the masks of input lanes and of output lanes."""
    granted, taken = 0, 0
    leader = router.examined
    for port in range(family.inputs):
        output = family.codes[port] ^ router.line
        if output > family.dimensions:
            continue
        free = free_lanes(router.free, output, family)
        if free == 0:
            continue
        leads = leader != NONE and family.input_lanes[switch, leader].port == port
        first = first_lane(port, family)
        for lane in range(first, first + lanes_of(port, family)):
            if leads and not (lane == leader and router.adaptive):
                continue
            if waiting >> lane & 1 and family.input_lanes[switch, lane].wanted >> output & 1:
                target = first_lane(output, family) + lowest_bit(free)
                family.input_lanes[switch, lane].target = target
                granted |= 1 << lane
                taken |= 1 << target
                break
    escapes = leader != NONE and router.escape != NONE and waiting >> leader & 1
    if escapes and has_free_escape(router.free, router.escape, family):
        target = (router.escape + 1) * family.lanes - 1
        family.input_lanes[switch, leader].target = target
        granted |= 1 << leader
        taken |= 1 << target
    return granted, taken


@compiled
def is_hopeful(switch, waiting, router, family):
    """Whether a waiting head could have a lane."""
    while waiting != 0:
        lane = lowest_bit(waiting)
        waiting &= waiting - 1
        wanted = family.input_lanes[switch, lane].wanted
        escape = escape_of(switch, wanted, family)
        if escape != NONE and has_free_escape(router.free, escape, family):
            return 1
        while wanted != 0:
            if free_lanes(router.free, lowest_bit(wanted), family) != 0:
                return 1
            wanted &= wanted - 1
    return 0
