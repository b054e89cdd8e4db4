"""Delivery buffers, before the registers of output VCs that lead to a processor."""

from sim_model.engines.cycle.occupied_outputs import load_register
from sim_model.loops.bits import enter, source_bit
from sim_model.loops.compiled import compiled
from sim_model.vc.registers import ROW, WIDTH, WIRES
from sim_model.vc.state import DELIVERIES


@compiled
def store_delivery(number, flit, family):
    """Append a flit to the delivery buffer before an output VC."""
    buffer = family.output_vcs[number].buffer
    waiting = family.buffers[buffer]
    family.slots[buffer, (waiting.front + waiting.count) & (family.slots.shape[1] - 1)] = flit
    waiting.count += 1
    enter(family.deliveries, family.counts[DELIVERIES], number)  # counts only if it is not there yet
    family.counts[DELIVERIES] += 1 - waiting.listed
    waiting.listed = 1


@compiled
def deliver(cycle, state, family):
    """Move a flit from each delivery buffer into an empty register behind it; to be called before grants.

    Returns how many.
    """
    kept, delivered = 0, 0
    for position in range(family.counts[DELIVERIES]):
        number = family.deliveries[position]
        enter(family.deliveries, kept, number)
        waiting = family.buffers[family.output_vcs[number].buffer]
        if waiting.count == 0:
            waiting.listed = 0
        else:
            kept += 1
            delivered += deliver_flit(cycle, number, waiting, state, family)
    family.counts[DELIVERIES] = kept
    return delivered


@compiled
def deliver_flit(cycle, number, waiting, state, family):
    """Move a flit into the register of an output VC if that is empty. Returns 1 if so, else 0.

    The credit is as if on a wire in the next cycle.
    """
    channel = state.channels[number]
    vertex, bit = state.vertices[channel.source], source_bit(channel)
    if vertex.occupied & bit:
        return 0
    vertex.occupied |= bit
    place = (channel.source // WIDTH) * ROW + channel.source % WIDTH
    family.words[place + WIRES + ((cycle + 1) & 1) * WIDTH] |= bit
    load_register(number, family.slots[family.output_vcs[number].buffer, waiting.front], state)
    waiting.front = (waiting.front + 1) & (family.slots.shape[1] - 1)
    waiting.count -= 1
    return 1
