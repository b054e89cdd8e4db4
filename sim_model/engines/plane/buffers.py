"""Buffers of all ports by planes: flits move up when the first one leaves."""

from sim_model.engines.plane.layout import RouterLayout
from sim_model.loops.compiled import compiled


@compiled
def move_up(row, depth, held_at, tails_at, step, popped, arrived, arrived_tail, at: RouterLayout):
    """Pop first flits from buffers, and store arriving flits in the first free place.

    Places beyond the depth of the buffers are never held, and left out.

    Parameters:
        row (int64[planes])
        depth (int): Of the buffers, in flits; or more.
        held_at, tails_at (int): Planes of the first place of the buffers: a flit is there, and is a tail.
        step (int): From a place to the next one.
        popped, arrived, arrived_tail (vectors by port): Buffers that a flit leaves, and enters, and whether that is a
            tail.
    """
    below = arrived
    for place in range(0, at.ROOM * step, step):
        if place >= at.MIN_DEPTH * step and place >= depth * step:
            break
        following, following_tail = at.splat(0), at.splat(0)
        if place + step < at.ROOM * step:
            following = at.vector_at(row, held_at + place + step)
            following_tail = at.vector_at(row, tails_at + place + step)
        held = at.vector_at(row, held_at + place) & ~popped | following & popped
        tail = at.vector_at(row, tails_at + place) & ~popped | following_tail & popped
        enters = below & ~held
        below = below & held
        at.put(row, held_at + place, held | enters)
        at.put(row, tails_at + place, tail | enters & arrived_tail)
