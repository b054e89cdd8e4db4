"""Output lanes: their registers, and the delivery buffers before those that lead to a processor."""

from sim_model.common.engine.bits import lowest_bit
from sim_model.common.engine.compiled import compiled
from sim_model.common.engine.movers import load_register
from sim_model.common.engine.state import NONE


@compiled
def load_output(switch, target, flit, state, family):
    """A flit goes into the register of an output lane, or behind the others in the delivery buffer before it."""
    vertex = state.vertices[switch]
    number = vertex.first_output + target
    buffer = family.output_lanes[number].buffer
    if buffer == NONE:
        vertex.occupied |= 1 << target
        load_register(number, flit, state)
        return
    waiting = family.buffers[buffer]
    family.slots[buffer, (waiting.front + waiting.count) & (family.slots.shape[1] - 1)] = flit
    waiting.count += 1
    family.routers[switch].delivering |= 1 << target


@compiled
def deliver(cycle, switch, ready, state, family):
    """A flit goes from each of some delivery buffers into the register behind it; to be called before the grants.

    The credits are as if on a wire in the next cycle.

    Parameters
    ----------
    ready : int
        Output lanes with flits in their delivery buffers and an empty register.
    """
    router, vertex = family.routers[switch], state.vertices[switch]
    vertex.occupied |= ready
    family.wires[switch, (cycle + 1) & 1] |= ready
    while ready != 0:
        number = vertex.first_output + lowest_bit(ready)
        buffer = family.output_lanes[number].buffer
        waiting = family.buffers[buffer]
        load_register(number, family.slots[buffer, waiting.front], state)
        waiting.front = (waiting.front + 1) & (family.slots.shape[1] - 1)
        waiting.count -= 1
        if waiting.count == 0:
            router.delivering ^= ready & -ready
        ready &= ready - 1
