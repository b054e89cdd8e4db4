"""What a recording says about the switches of a hypercube besides flits: wires, and bad input (docs/lockstep.md)."""

from sim_model.common.engine.compiled import compiled
from sim_model.common.engine.discards import record_discards


@compiled
def record_wires(cycle, _state, family, trace, row):
    """Write side wires and status outputs into a recording."""
    signals, ends = trace.signals[row], family.wire_ends
    count = len(ends)
    for position in range(count):
        switch, lane_port = ends[position, 0], ends[position, 1]
        signals[position] = family.wires[switch, cycle & 1] >> lane_port & 1
        signals[count + position] = family.releases[switch, cycle & 1] >> lane_port & 1
    record_discards(cycle, family.discards, signals, 2 * count)
