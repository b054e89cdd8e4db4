"""What a recording says about the switches besides flits: the token rings (docs/lockstep.md)."""

from sim_model.common.engine.compiled import compiled


@compiled
def record_tokens(cycle, _state, family, trace, row):
    """Write ``token_out`` of every switch on a ring into a recording, in the order of ``token_wires``.

    A switch that has passed a token on in the cycle before puts it on its wire; in the first cycle none has.
    The watch over the rings says nothing, for no token of the model is ever lost or duplicated.
    """
    groups, signals, first = family.groups, trace.signals[row], 0
    for number in range(len(groups)):
        group = groups[number]
        on_way = cycle - 1 + group.wire_cycles - group.free_cycle
        if not group.held and cycle > 0 and on_way >= 0 and on_way % group.wire_cycles == 0:
            following = group.free_place + on_way // group.wire_cycles
            signals[first + (following + group.switches - 1) % group.switches] = 1
        first += group.switches
