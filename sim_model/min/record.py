"""Recorded signals of multistage switches besides flits: token rings, and bad input (docs/understand/lockstep.md)."""

from sim_model.engines.cycle.discards import record_discards
from sim_model.loops.compiled import compiled


@compiled
def record_switches(cycle, _state, family, trace, row):
    """Write side wires and status outputs into a recording."""
    signals = trace.signals[row]
    _record_tokens(cycle, family, signals)
    rings = len(family.groups)
    first = 2 * rings  # error outputs of the rings
    for ring in range(rings):
        first += family.groups[ring].switches
    record_discards(cycle, family.discards, signals, first)


@compiled
def _record_tokens(cycle, family, signals):
    """Write ``token_out`` of every switch on a ring, in the order of ``token_wires``.

    A switch that has passed a token on in the cycle before puts it on its wire; in the first cycle none has. The error
    outputs of the rings stay 0, for no token of the model is ever lost or duplicated.
    """
    groups, first = family.groups, 0
    for number in range(len(groups)):
        group = groups[number]
        on_way = cycle - 1 + group.wire_cycles - group.free_cycle
        if not group.held and cycle > 0 and on_way >= 0 and on_way % group.wire_cycles == 0:
            following = group.free_position + on_way // group.wire_cycles
            signals[first + (following + group.switches - 1) % group.switches] = 1
        first += group.switches
