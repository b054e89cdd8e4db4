"""Recorded signals of hypercube switches besides flits: wires, and bad input (docs/understand/lockstep.md)."""

from sim_model.engines.cycle.discards import record_discards
from sim_model.loops.compiled import compiled
from sim_model.vc.registers import RELEASES, WIDTH, WIRES


@compiled
def record_wires(cycle, _state, family, trace, row):
    """Write side wires and status outputs into a recording."""
    signals, credits, releases = trace.signals[row], family.credit_ends, family.release_ends
    parity = (cycle & 1) * WIDTH
    for position in range(len(credits)):
        place, vc_port = credits[position, 0], credits[position, 1]
        signals[position] = family.words[place + WIRES + parity] >> vc_port & 1
    for position in range(len(releases)):
        place, vc_port = releases[position, 0], releases[position, 1]
        signals[len(credits) + position] = family.words[place + RELEASES + parity] >> vc_port & 1
    record_discards(cycle, family.discards, signals, len(credits) + len(releases))
