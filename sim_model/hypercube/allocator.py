"""VC allocation for waiting heads (docs/look_up/timing_hypercube.md)."""

from sim_model.engines.cycle.state import NONE
from sim_model.hypercube.orders import first_in_order
from sim_model.loops.bits import lowest_bit
from sim_model.loops.compiled import compiled
from topology.common.choice_orders import ORDER_FEEDBACK


@compiled
def elect(asking, order, switch, family):
    """Return the leader, or NONE: the first VC of the cycle of the first input of the cycle with a requesting head."""
    if asking == 0:
        return NONE
    some_vc = first_in_order(asking, order.vc_port, order)
    vcs = family.vcs_of[family.input_vcs[switch * family.most_vcs + some_vc].port]
    first_vc = lowest_bit(vcs)
    return first_vc + first_in_order((asking & vcs) >> first_vc, order.vc, order)


@compiled
def pick(switch, free, router, family):
    """Pick an output for the leader, to be examined in the next cycle. Returns whether by a choice."""
    router.examined = router.leader
    router.adaptive = 0
    router.escape = 0
    router.line = 0
    if router.leader == NONE:
        return 0
    record = family.input_vcs[switch * family.most_vcs + router.leader]
    usable = record.candidates & free
    output, chose = 0, 0
    if usable != 0 or not family.has_escapes:
        router.adaptive = 1
        if usable & family.delivery_vcs:
            output = family.dimensions
        elif usable != 0:
            output, chose = _first_at_random(switch, usable, family), 1
    elif record.escapes != 0:
        router.escape = record.escapes
        output = family.input_vcs[switch * family.most_vcs + lowest_bit(record.escapes)].port  # numbered like outputs
    router.line = output ^ record.code
    return chose


@compiled
def _first_at_random(switch, usable, family):
    """Return the first dimension in the random order that has one of some VCs."""
    place = 0
    while usable & family.vcs_of[family.random_order[switch, place]] == 0:
        place += 1
    return family.random_order[switch, place]


@compiled
def step_random_order(switch, router, family):
    """Step the random order after a choice (``topology.common.choice_orders.next_random_order``)."""
    order, size = family.random_order, family.dimensions
    swap = router.state & 1 and size > 1
    for place in range(size):
        number = order[switch, place] + 1
        if number == size:
            number = 0
        if swap and number < 2:
            number = 1 - number
        order[switch, place] = number
    router.state = router.state >> 1 ^ (ORDER_FEEDBACK if router.state & 1 else 0)


@compiled
def examine(switch, waiting, free, router, family):
    """Grant output VCs to the heads on the diagonal. Returns the masks of input VCs and of output VCs."""
    granted, taken = 0, 0
    leader = router.examined
    rest = waiting
    if leader != NONE:  # at its own input only the leader counts
        others = family.vcs_of[family.input_vcs[switch * family.most_vcs + leader].port]
        rest &= ~others | router.adaptive << leader
    while rest != 0:
        vc = lowest_bit(rest)
        rest &= rest - 1
        record = family.input_vcs[switch * family.most_vcs + vc]
        vcs = record.candidates & free & family.vcs_of[record.code ^ router.line]
        if vcs != 0:
            _give(lowest_bit(vcs), record, family)
            granted |= 1 << vc
            taken |= vcs & -vcs
            rest &= ~family.vcs_of[record.port]
    if router.escape & free and waiting >> leader & 1:
        _give(lowest_bit(router.escape), family.input_vcs[switch * family.most_vcs + leader], family)
        granted |= 1 << leader
        taken |= router.escape
    return granted, taken


@compiled
def _give(target, record, family):
    """Give a worm an output VC."""
    record.target = target
    family.target_masks[record.target_masks] = 1 << target


@compiled
def is_hopeful(switch, waiting, free, family):
    """Return whether a waiting head could get a VC."""
    while waiting != 0:
        record = family.input_vcs[switch * family.most_vcs + lowest_bit(waiting)]
        if (record.candidates | record.escapes) & free:
            return 1
        waiting &= waiting - 1
    return 0
