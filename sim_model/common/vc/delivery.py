"""Delivery buffers, before the registers of output lanes that lead to a processor."""

from sim_model.common.engine.bits import source_bit
from sim_model.common.engine.compiled import compiled
from sim_model.common.engine.lists import enter
from sim_model.common.engine.movers import load_register
from sim_model.common.vc.registers import ROW, WIDTH, WIRES
from sim_model.common.vc.state import DELIVERIES


@compiled
def store_delivery(number, flit, family):
    """A flit goes behind the others in the delivery buffer before an output lane."""
    buffer = family.output_lanes[number].buffer
    waiting = family.buffers[buffer]
    family.slots[buffer, (waiting.front + waiting.count) & (family.slots.shape[1] - 1)] = flit
    enter(family.deliveries, family.counts[DELIVERIES], number)  # counts only if it is not there yet
    family.counts[DELIVERIES] += 1 if waiting.count == 0 else 0
    waiting.count += 1


@compiled
def deliver(cycle, state, family):
    """A flit goes from each delivery buffer into the register behind it if that is empty; to be called before grants.

    The credits are as if on a wire in the next cycle. Returns how many.
    """
    kept, delivered = 0, family.counts[DELIVERIES]
    for position in range(family.counts[DELIVERIES]):
        number = family.deliveries[position]
        enter(family.deliveries, kept, number)
        channel = state.channels[number]
        switch = channel.source
        vertex, bit = state.vertices[switch], source_bit(channel)
        if vertex.occupied & bit:
            kept += 1
            delivered -= 1
            continue
        buffer = family.output_lanes[number].buffer
        waiting = family.buffers[buffer]
        vertex.occupied |= bit
        place = (switch // WIDTH) * ROW + switch % WIDTH
        family.words[place + WIRES + ((cycle + 1) & 1) * WIDTH] |= bit
        load_register(number, family.slots[buffer, waiting.front], state)
        waiting.front = (waiting.front + 1) & (family.slots.shape[1] - 1)
        waiting.count -= 1
        kept += 1 if waiting.count != 0 else 0
    family.counts[DELIVERIES] = kept
    return delivered
