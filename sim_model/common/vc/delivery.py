"""Delivery: from the buffer of an output that leads to a processor into the register behind it."""

from sim_model.common.engine.bits import lowest_bit
from sim_model.common.engine.compiled import compiled


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
        state.channels[number].register = family.slots[buffer, waiting.front]
        waiting.front = (waiting.front + 1) & (family.slots.shape[1] - 1)
        waiting.count -= 1
        if waiting.count == 0:
            router.delivering ^= ready & -ready
        ready &= ready - 1
