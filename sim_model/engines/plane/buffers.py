"""Buffers of all ports by planes: flits move up when the first one leaves."""

# Names in capitals are offsets of planes, which the loop has as constants.
# ruff: noqa: F821
# pyright: reportUndefinedVariable=false


def move_up(row, depth, held_at, tails_at, step, popped, arrived, arrived_tail):
    """Pop first flits from buffers, and store arriving flits in the first free place.

    Places beyond the depth of the buffers are never held, and left out.

    Parameters
    ----------
    row : int64[planes]
    depth : int
        Of the buffers, in flits; or more.
    held_at, tails_at : int
        Planes of the first place of the buffers: a flit is there, and is a tail.
    step : int
        From a place to the next one.
    popped, arrived, arrived_tail : vectors by port
        Buffers that a flit leaves, and enters, and whether that is a tail.
    """
    below = arrived
    for place in range(0, ROOM * step, step):
        if place >= MIN_DEPTH * step and place >= depth * step:
            break
        following, following_tail = splat(0), splat(0)
        if place + step < ROOM * step:
            following = vector_at(row, held_at + place + step)
            following_tail = vector_at(row, tails_at + place + step)
        held = vector_at(row, held_at + place) & ~popped | following & popped
        tail = vector_at(row, tails_at + place) & ~popped | following_tail & popped
        enters = below & ~held
        below = below & held
        put(row, held_at + place, held | enters)
        put(row, tails_at + place, tail | enters & arrived_tail)
