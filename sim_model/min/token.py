"""The token of a group of switches: its place, its holder, and its release (Sec. 3.2)."""

from sim_model.engines.cycle.state import NONE
from sim_model.engines.cycle.wakeups import wake_if
from sim_model.loops.bits import first_at_or_after
from sim_model.loops.compiled import compiled


@compiled
def seek_token(cycle, switch, tree, state, family):
    """Grant the token to a tree operation, if it is here.

    Parameters:
        tree (int): Input whose request has just become complete and is a tree operation, or NONE.

    Returns:
        changes (int): 0 only if the token cannot come without something else happening.
        holder (int): Input that gets the token in this cycle, or NONE.
    """
    router, groups = family.routers[switch], family.groups
    if tree == NONE and router.seeking == 0:
        return 0, NONE
    if groups[router.group].held:
        if tree != NONE:
            router.seeking |= 1 << tree
        return 0, NONE
    if not _is_here(cycle, groups[router.group], router.ring_position):
        if tree != NONE:
            router.seeking |= 1 << tree
        return 1, NONE
    holder = tree
    if router.seeking != 0:
        holder = first_at_or_after(router.seeking, router.token_turn)
        router.token_turn = holder + 1 if holder + 1 < state.vertices[switch].inputs else 0
        router.seeking ^= 1 << holder
        if tree != NONE:
            router.seeking |= 1 << tree
    router.holder = holder
    router.popped = 0
    groups[router.group].held = 1
    return 1, holder


@compiled
def _is_here(cycle, group, position):
    """Return whether the free token, which moves from switch to switch, is at a place of the ring."""
    if cycle < group.free_cycle:
        return False
    on_way = cycle - group.free_cycle
    if group.wire_cycles > 1:
        if on_way % group.wire_cycles != 0:
            return False
        on_way //= group.wire_cycles
    return (group.free_position + on_way) % group.switches == position


@compiled
def pass_on(cycle, router, groups):
    """Release the token: it is on its way to the next switch from the next cycle on."""
    group = groups[router.group]
    router.holder = NONE
    group.held = 0
    group.free_cycle = cycle + group.wire_cycles
    group.free_position = (router.ring_position + 1) % group.switches


@compiled
def wake_seekers(cycle, group, state, family):
    """Wake the switches of a ring that seek its token, for the next cycle on."""
    for position in range(family.groups[group].switches):
        seeker = family.rings[group, position]
        wake_if(family.routers[seeker].seeking != 0, seeker, cycle + 1, state.alarms)
