"""Recorded signals of routers with virtual channels: credits and bad input (docs/understand/lockstep.md)."""

from sim_model.engines.cycle.discards import record_discards
from sim_model.loops.compiled import compiled
from sim_model.vc.registers import WIDTH, WIRES


@compiled
def record_vcs(cycle, _state, family, trace, row):
    """Write side wires and status outputs into a recording."""
    signals, wires = trace.signals[row], family.credit_wires
    for position in range(len(wires)):
        place, vc_port = wires[position, 0], wires[position, 1]
        signals[position] = family.words[place + WIRES + (cycle & 1) * WIDTH] >> vc_port & 1
    record_discards(cycle, family.discards, signals, len(wires))
